#include "speedwell/apps/incompressible_flow/choice.hpp"

#include <stdexcept>

namespace speedwell::incompressible_flow {

std::optional<std::array<int, 3>> direct_order(const Problem& problem) {
  // Cosines cost more than plain transforms, a periodic third axis more than a walled one, another order of axes copies
  // in and out: the least of each, in this order. Rows of one cell are worse than all that. Mixed transforms take the
  // periodic axis first.
  std::optional<std::array<int, 3>> best;
  int least = 0;
  for (const int third : {2, 1, 0}) {
    int first = third == 0 ? 1 : 0, second = third == 2 ? 1 : 2;
    if (!problem.uniform(first) || !problem.uniform(second)) continue;
    const int cosines = !problem.periodic(first) + !problem.periodic(second);
    const Extents e = problem.extents();
    // One cell is its own transform of either kind.
    const bool mixed = cosines == 1 && !problem.periodic(first) && e.extent(second) > 1;
    if (mixed || (e.extent(first) == 1 && problem.periodic(second))) std::swap(first, second);
    const bool turned = first != 0 || second != 1;
    const bool short_rows = e.extent(first) == 1;
    const int cost = 16 * short_rows + 4 * cosines + 2 * turned + problem.periodic(third);
    if (!best || cost < least) {
      best = {first, second, third};
      least = cost;
    }
  }
  return best;
}

Choice choose(const Problem& problem, Pressure wanted) {
  const auto order = direct_order(problem);
  const bool solids = !problem.solid.empty();
  Choice choice;
  if (wanted == Pressure::direct && solids)
    throw std::invalid_argument("the direct pressure solver does not see solids: take conjugate gradients");
  if (wanted == Pressure::direct && !order)
    throw std::invalid_argument("the direct pressure solver needs equal cells along two axes, and this mesh has fewer");
  if (order) choice.order = *order;
  if (problem.strain && (!order || wanted == Pressure::conjugate_gradients))
    throw std::invalid_argument(
        "a mesh that moves takes the direct pressure solver, which needs equal cells along two axes");
  const char* names = "xyz";
  const auto name = [&](std::size_t d) { return std::string(1, names[choice.order[d]]); };
  const auto transform = [&](std::size_t d) {
    return std::string(problem.periodic(choice.order[d]) ? "Fourier" : "cosine") + " transform along " + name(d);
  };
  const std::string direct =
      order ? transform(0) + ", " + transform(1) + ", tridiagonal systems along " + name(2) : std::string();
  if (order && !solids && wanted != Pressure::conjugate_gradients) {
    choice.reason = "direct: " + direct;
    return choice;
  }
  choice.pressure = Pressure::conjugate_gradients;
  choice.preconditioned = order && solids;
  if (choice.preconditioned)
    choice.reason = "conjugate gradients, for there are solids; preconditioned by the box without them: " + direct;
  else if (!order)
    choice.reason = "conjugate gradients with a polynomial preconditioner, for fewer than two axes have equal cells";
  else
    choice.reason = "conjugate gradients with a polynomial preconditioner, as asked for";
  return choice;
}

}  // namespace speedwell::incompressible_flow
