#include "speedwell/apps/binary_fluid/verify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "speedwell/apps/binary_fluid/reference.hpp"

namespace speedwell::binary_fluid {
namespace {

constexpr std::int64_t most_updates = 8'000'000;  // of the oracle for one window: some seconds
constexpr std::int64_t reach = 2;                 // sites a step: one by propagation, one by the differences of phi

struct Sums {
  LongSum mass, phi;
  std::array<LongSum, 3> momentum;
  double largest_f = 0, largest_g = 0;
};

// Of differences from the weights. Sixteen values are added plainly: what that rounds off, 1e-16 of the largest a site
// and both ways, is a tenth of what a step may.
Sums sums(const State& s) {
  const auto n = static_cast<std::size_t>(s.extents.sites());
  constexpr std::size_t few = 16;
  constexpr int c[19][3] = {{0, 0, 0},  {1, 1, 0},  {1, 0, 1},  {1, 0, 0},   {1, 0, -1}, {1, -1, 0}, {0, 1, 1},
                            {0, 1, 0},  {0, 1, -1}, {0, 0, 1},  {0, 0, -1},  {0, -1, 1}, {0, -1, 0}, {0, -1, -1},
                            {-1, 1, 0}, {-1, 0, 1}, {-1, 0, 0}, {-1, 0, -1}, {-1, -1, 0}};
  Sums total;
  for (std::size_t p = 0; p < 19; ++p) {
    for (std::size_t begin = p * n; begin < (p + 1) * n; begin += few) {
      double f = 0, g = 0;
      for (std::size_t at = begin; at < std::min(begin + few, (p + 1) * n); ++at) {
        f += s.f[at];
        g += s.g[at];
        total.largest_f = std::max(total.largest_f, std::abs(s.f[at]));
        total.largest_g = std::max(total.largest_g, std::abs(s.g[at]));
      }
      total.mass.add(f);
      total.phi.add(g);
      for (std::size_t d = 0; d < 3; ++d)
        if (c[p][d] != 0) total.momentum[d].add(c[p][d] * f);
    }
  }
  return total;
}

}  // namespace

Expected expected(const Problem& problem, const Beginning& beginning, const State& initial_state) {
  require_valid(problem, beginning);
  Expected known;
  const Extents& e = problem.extents;
  const auto add = [&](const std::array<std::int64_t, 3>& origin, const Extents& part) {
    Problem within = problem;
    within.extents = part;
    Window w{origin, initial_window(problem, beginning, origin, part)};
    reference::advance(within, w.state);
    known.windows.push_back(std::move(w));
  };
  if (e.sites() * problem.steps <= most_updates) {
    add({0, 0, 0}, e);
  } else {
    // A corner, where the box wraps around, and a place in the middle. A window computes itself with its own edges,
    // which the sites that are compared do not see. Between walls it is as long as the box.
    for (const bool middle : {false, true}) {
      std::array<std::int64_t, 3> origin{};
      Extents part;
      std::int64_t* const length[] = {&part.nx, &part.ny, &part.nz};
      for (std::size_t d = 0; d < 3; ++d) {
        const std::int64_t n = e.extent(static_cast<int>(d)), wanted = 2 * reach * problem.steps + 6;
        const bool whole = problem.axes[d].walls || n <= wanted;
        *length[d] = whole ? n : wanted;
        origin[d] = whole ? 0 : (middle ? n / 2 + 5 : 0) - wanted / 2;
      }
      add(origin, part);
    }
  }
  const Sums begun = sums(initial_state);
  known.mass = begun.mass;
  known.phi = begun.phi;
  known.momentum = begun.momentum;
  for (const Axis& axis : problem.axes) known.walls = known.walls || axis.walls;
  for (std::size_t d = 0; d < 3; ++d)
    known.momentum[d].add(problem.fluid.force[d] * static_cast<double>(e.sites()) * problem.steps);
  return known;
}

Drift drift(const Expected& known, const State& got) {
  const Sums now = sums(got);
  const auto sites = static_cast<double>(got.extents.sites());
  Drift d{.mass = std::abs(now.mass.minus(known.mass)) / sites, .phi = std::abs(now.phi.minus(known.phi)) / sites};
  if (!known.walls)
    for (std::size_t x = 0; x < 3; ++x)
      d.momentum = std::max(d.momentum, std::abs(now.momentum[x].minus(known.momentum[x])) / sites);
  return d;
}

core::Verdict verify(const Problem& problem, const Expected& known, Precision precision, const State& got) {
  const Extents& e = problem.extents;
  const auto n = static_cast<std::size_t>(e.sites());
  if (got.f.size() != velocities * n || got.g.size() != velocities * n)
    throw std::invalid_argument("binary_fluid: " + std::to_string(got.f.size()) + " values to verify, " +
                                std::to_string(velocities * n) + " expected");
  // A step rounds a population some 20 times, by half a unit of the largest number it adds: in f64, as the oracle does,
  // that is a weight or the largest |g|, which is phi; in f32 the largest |f - w| or |g|. Steps add what they round (a
  // collision is a contraction but for the free energy, whose growth rate times the steps of one execute() is small).
  const bool f32 = precision != Precision::f64;
  const auto unit = [&](double largest_f, double largest_g) {
    return 0x1p-53 * std::max(1.0 / 3, largest_g) + (f32 ? 0x1p-24 * std::max(largest_f, largest_g) : 0);
  };
  double worst = 0;
  std::string what = "populations";
  const auto hold = [&](double error, double allowed, const char* name) {
    const double ratio = error / allowed;
    if (ratio <= worst) return;  // a NaN goes on
    worst = ratio == ratio ? ratio : std::numeric_limits<double>::infinity();
    what = name;
  };
  for (const Window& w : known.windows) {
    const Extents& part = w.state.extents;
    std::int64_t low[3], high[3];
    for (int d = 0; d < 3; ++d) {
      const bool whole = part.extent(d) == e.extent(d);
      low[d] = whole ? 0 : reach * problem.steps;
      high[d] = part.extent(d) - low[d];
    }
    double largest_f = 0, largest_g = 0, error = 0;
    for (const double f : w.state.f) largest_f = std::max(largest_f, std::abs(f));
    for (const double g : w.state.g) largest_g = std::max(largest_g, std::abs(g));
    const auto m = static_cast<std::size_t>(part.sites());
    for (std::int64_t k = low[2]; k < high[2]; ++k)
      for (std::int64_t j = low[1]; j < high[1]; ++j)
        for (std::int64_t i = low[0]; i < high[0]; ++i) {
          const auto wrapped = [&](int d, std::int64_t at) {
            const std::int64_t extent = e.extent(d);
            return ((w.origin[static_cast<std::size_t>(d)] + at) % extent + extent) % extent;
          };
          const std::size_t ours = e.at(wrapped(0, i), wrapped(1, j), wrapped(2, k)), theirs = part.at(i, j, k);
          for (std::size_t p = 0; p < velocities; ++p) {
            const double of_f = std::abs(got.f[p * n + ours] - w.state.f[p * m + theirs]);
            const double of_g = std::abs(got.g[p * n + ours] - w.state.g[p * m + theirs]);
            if (!(of_f <= error)) error = of_f;  // a NaN goes on
            if (!(of_g <= error)) error = of_g;
          }
        }
    hold(error, 40 * problem.steps * unit(largest_f, largest_g), "populations");
  }
  // Every site's sums are kept to a rounding of its largest number a step; roundings of many sites go both ways.
  const Sums now = sums(got);
  const auto sites = static_cast<double>(n);
  const double rounded = 40 * problem.steps * unit(now.largest_f, now.largest_g) * (std::sqrt(sites) + 0x1p-10 * sites);
  hold(std::abs(now.mass.minus(known.mass)), rounded, "mass");
  hold(std::abs(now.phi.minus(known.phi)), rounded, "order parameter");
  if (!known.walls)
    for (std::size_t d = 0; d < 3; ++d) hold(std::abs(now.momentum[d].minus(known.momentum[d])), rounded, "momentum");
  return core::Verdict::judge(worst, 1, "serial reference, largest error relative to what is allowed: " + what);
}

}  // namespace speedwell::binary_fluid
