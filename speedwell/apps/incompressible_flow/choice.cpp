#include "speedwell/apps/incompressible_flow/choice.hpp"

#include <stdexcept>
#include <utility>

namespace speedwell::incompressible_flow {

std::optional<std::array<int, 3>> direct_order(const Problem& problem) {
  // Cosine transforms cost more than Fourier transforms, a periodic third axis more than one with walls, and another
  // order of axes needs copies: these are minimised in this order. Rows of one cell are worse than all of them. Mixed
  // transforms need the periodic axis first.
  std::optional<std::array<int, 3>> best;
  int min_cost = 0;
  for (const int third : {2, 1, 0}) {
    int first = third == 0 ? 1 : 0, second = third == 2 ? 1 : 2;
    if (!problem.uniform(first) || !problem.uniform(second)) continue;
    const int cosines = !problem.periodic(first) + !problem.periodic(second);
    const Extents e = problem.extents();
    // The transform of a single cell is the identity.
    const bool mixed = cosines == 1 && !problem.periodic(first) && e.extent(second) > 1;
    if (mixed || (e.extent(first) == 1 && problem.periodic(second))) std::swap(first, second);
    const bool permuted = first != 0 || second != 1;
    const bool short_rows = e.extent(first) == 1;
    const int cost = 16 * short_rows + 4 * cosines + 2 * permuted + problem.periodic(third);
    if (!best || cost < min_cost) {
      best = {first, second, third};
      min_cost = cost;
    }
  }
  return best;
}

namespace {

// The longest axis is the third, where its length costs least; rows have more than one cell.
std::array<int, 3> order_of_modes(const Extents& e) {
  int third = 2;
  for (const int axis : {1, 0})
    if (e.extent(axis) > e.extent(third)) third = axis;
  int first = third == 0 ? 1 : 0, second = third == 2 ? 1 : 2;
  if (e.extent(first) < e.extent(second)) std::swap(first, second);
  return {first, second, third};
}

}  // namespace

Choice choose(const Problem& problem, Pressure wanted) {
  const auto order = direct_order(problem);
  const bool solids = !problem.solid.empty();
  Choice choice;
  if (wanted == Pressure::direct && solids)
    throw std::invalid_argument("the direct pressure solver does not support solids: use conjugate gradients");
  if (order) choice.order = *order;
  if (problem.strain && (!order || wanted == Pressure::conjugate_gradients))
    throw std::invalid_argument(
        "a moving mesh requires the direct pressure solver, which requires a uniform mesh along two axes");
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
  const std::array<int, 3> of_modes = order_of_modes(problem.extents());
  const bool few = problem.extents().extent(of_modes[0]) <= max_mode_cells;
  if (!order && !solids && (wanted == Pressure::direct || (wanted == Pressure::automatic && few))) {
    choice.by_modes = true;
    choice.order = of_modes;
    choice.reason =
        "direct: eigenvectors along " + name(0) + " and " + name(1) + ", tridiagonal systems along " + name(2);
    return choice;
  }
  choice.pressure = Pressure::conjugate_gradients;
  choice.preconditioned = order && solids;
  if (choice.preconditioned)
    choice.reason = "conjugate gradients, because there are solids; preconditioned by the box without them: " + direct;
  else if (wanted == Pressure::conjugate_gradients)
    choice.reason = "conjugate gradients with a polynomial preconditioner, as requested";
  else
    choice.reason =
        "conjugate gradients with a polynomial preconditioner, because the mesh is uniform along fewer than two axes "
        "and " +
        std::string(solids ? "there are solids" : "one of the others is too long for eigenvectors");
  return choice;
}

}  // namespace speedwell::incompressible_flow
