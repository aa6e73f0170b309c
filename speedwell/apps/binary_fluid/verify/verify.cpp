#include "speedwell/apps/binary_fluid/verify/verify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "speedwell/apps/binary_fluid/verify/reference.hpp"

namespace speedwell::binary_fluid {
namespace {

// The number of sites, along each axis, by which the domain of dependence grows per step. A population comes from a
// site one away (propagation), whose collision reads phi one site further (differences with either stencil; phi is a
// sum of that site's own populations): 2. With Brazovskii's free energy the collision also reads differences of the
// Laplacian of phi, and thus phi two sites away: 3. Walls do not add to it: the populations that they return are of the
// site itself, and phi behind them is that of the last site.
constexpr std::int64_t reach_of(const FreeEnergy& energy) {
  return energy.kind == FreeEnergy::Kind::brazovskii ? 3 : 2;
}
constexpr double bytes_of_site = 2 * velocities * sizeof(double);

struct Sums {
  LongSum mass, phi;
  std::array<LongSum, 3> momentum;
  double largest_f = 0, largest_g = 0;
};

// Sums over all sites of f - w, g and the momentum, and the largest |f - w| and |g|. Sixteen values at a time are added
// without compensation: the rounding error, 1e-16 of the largest value per site and of either sign, is a tenth of the
// error allowed per step. Blocks of values are summed on all threads, and then added in order, so that the sums have
// the same bits on any number of threads.
Sums sums(const State& s) {
  const auto n = static_cast<std::size_t>(s.extents.sites());
  constexpr std::size_t few = 16, block = 65536;
  constexpr int c[19][3] = {{0, 0, 0},  {1, 1, 0},  {1, 0, 1},  {1, 0, 0},   {1, 0, -1}, {1, -1, 0}, {0, 1, 1},
                            {0, 1, 0},  {0, 1, -1}, {0, 0, 1},  {0, 0, -1},  {0, -1, 1}, {0, -1, 0}, {0, -1, -1},
                            {-1, 1, 0}, {-1, 0, 1}, {-1, 0, 0}, {-1, 0, -1}, {-1, -1, 0}};
  struct Part {
    LongSum f, g;
    double largest_f = 0, largest_g = 0;
  };
  const std::size_t blocks = (n + block - 1) / block;  // for the values of one velocity
  std::vector<Part> parts(19 * blocks);
#pragma omp parallel for if (n > block)
  for (std::size_t b = 0; b < parts.size(); ++b) {
    const std::size_t p = b / blocks, end = p * n + std::min((b % blocks + 1) * block, n);
    Part& part = parts[b];
    for (std::size_t begin = p * n + b % blocks * block; begin < end; begin += few) {
      double f = 0, g = 0;
      for (std::size_t at = begin; at < std::min(begin + few, end); ++at) {
        f += s.f[at];
        g += s.g[at];
        part.largest_f = std::max(part.largest_f, std::abs(s.f[at]));
        part.largest_g = std::max(part.largest_g, std::abs(s.g[at]));
      }
      part.f.add(f);
      part.g.add(g);
    }
  }
  Sums total;
  for (std::size_t b = 0; b < parts.size(); ++b) {
    const Part& part = parts[b];
    total.mass.add(part.f);
    total.phi.add(part.g);
    for (std::size_t d = 0; d < 3; ++d)
      if (const int sign = c[b / blocks][d]; sign != 0) total.momentum[d].add(part.f, sign);
    total.largest_f = std::max(total.largest_f, part.largest_f);
    total.largest_g = std::max(total.largest_g, part.largest_g);
  }
  return total;
}

// The division of a box into slabs normal to `axis`, which the oracle computes one after the other. In a slab `planes`
// planes are compared; `margin` more on either side take up the error that spreads from its ends, where it is computed
// as a periodic box. The whole box is one slab without a margin.
struct Slabs {
  int axis = 2;
  std::int64_t planes = 0, margin = 0;
};

// Divides a box so that the oracle's state of a slab has at most `max_kept` bytes, or at least one compared plane. Axes
// with walls are not divided; a box that cannot be divided is one slab.
Slabs slabs_of(const Problem& problem, double max_kept) {
  const Extents& e = problem.extents;
  for (int axis = 2; axis >= 0; --axis) {
    const std::int64_t n = e.extent(axis), margin = reach_of(problem.fluid.energy) * problem.steps;
    if (problem.axes[static_cast<std::size_t>(axis)].walls ||
        static_cast<double>(e.sites()) * bytes_of_site <= max_kept)
      continue;
    const double plane = static_cast<double>(e.sites() / n) * bytes_of_site;
    const auto planes = std::max(static_cast<std::int64_t>(max_kept / plane) - 2 * margin, std::int64_t{1});
    if (planes + 2 * margin < n) return {axis, planes, margin};
  }
  return {2, e.nz, 0};
}

// `error`: the largest difference of a population from the oracle's, NaN if any is; the others: the oracle's largest
// |f - w| and |g|.
struct Distance {
  double error = 0, largest_f = 0, largest_g = 0;
};

// Compares the planes of a slab with those of `got`, the state of the whole box, from plane `first` of the box on.
Distance distance(const Slabs& slabs, std::int64_t first, const State& slab, const State& got) {
  const Extents &part = slab.extents, &e = got.extents;
  const auto m = static_cast<std::size_t>(part.sites()), n = static_cast<std::size_t>(e.sites());
  std::int64_t low[3] = {}, high[3] = {part.nx, part.ny, part.nz}, origin[3] = {};
  low[slabs.axis] = slabs.margin;
  high[slabs.axis] = part.extent(slabs.axis) - slabs.margin;
  origin[slabs.axis] = first - slabs.margin;
  double error = 0, largest_f = 0, largest_g = 0;
  bool nan = false;
#pragma omp parallel for collapse(2) reduction(max : error, largest_f, largest_g) reduction(|| : nan) if (m > 8192)
  for (std::int64_t p = 0; p < velocities; ++p)
    for (std::int64_t k = low[2]; k < high[2]; ++k)
      for (std::int64_t j = low[1]; j < high[1]; ++j)
        for (std::int64_t i = low[0]; i < high[0]; ++i) {
          const std::size_t theirs = static_cast<std::size_t>(p) * m + part.at(i, j, k);
          const std::size_t ours = static_cast<std::size_t>(p) * n + e.at(origin[0] + i, origin[1] + j, origin[2] + k);
          const double off_f = std::abs(got.f[ours] - slab.f[theirs]), off_g = std::abs(got.g[ours] - slab.g[theirs]);
          nan = nan || std::isnan(off_f) || std::isnan(off_g);
          error = std::max({error, off_f, off_g});
          largest_f = std::max(largest_f, std::abs(slab.f[theirs]));
          largest_g = std::max(largest_g, std::abs(slab.g[theirs]));
        }
  return {nan ? std::numeric_limits<double>::quiet_NaN() : error, largest_f, largest_g};
}

// Calls hold(distance) for every slab. A slab is computed from the initial state here, unless the oracle's state of the
// whole box was kept.
template <class Hold>
void for_each_slab(const Problem& problem, const Expected& known, const State& got, const Hold& hold) {
  const Slabs slabs = slabs_of(problem, known.max_kept);
  if (known.whole) return hold(distance(slabs, 0, *known.whole, got));
  const std::int64_t n = problem.extents.extent(slabs.axis);
  for (std::int64_t first = 0; first < n; first += slabs.planes) {
    Problem within = problem;
    std::int64_t* const lengths[] = {&within.extents.nx, &within.extents.ny, &within.extents.nz};
    *lengths[slabs.axis] = std::min(slabs.planes, n - first) + 2 * slabs.margin;
    std::array<std::int64_t, 3> origin{};
    origin[static_cast<std::size_t>(slabs.axis)] = first - slabs.margin;
    State slab = initial_window(problem, known.beginning, origin, within.extents);
    reference::advance(within, slab);
    hold(distance(slabs, first, slab, got));
  }
}

}  // namespace

Expected expected(const Problem& problem, const Beginning& beginning, const State& start, double max_kept) {
  require_valid(problem, beginning);
  Expected known{.beginning = beginning, .max_kept = max_kept};
  const Extents& e = problem.extents;
  if (slabs_of(problem, max_kept).margin == 0) {
    known.whole = start;
    reference::advance(problem, *known.whole);
  }
  const Sums sum = sums(start);
  known.mass = sum.mass;
  known.phi = sum.phi;
  known.momentum = sum.momentum;
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
  const auto n = static_cast<std::size_t>(problem.extents.sites());
  if (got.extents != problem.extents || got.f.size() != velocities * n || got.g.size() != velocities * n)
    throw std::invalid_argument("binary_fluid: " + std::to_string(got.f.size()) + " values to verify, " +
                                std::to_string(velocities * n) + " expected");
  // A step rounds a population some 20 times, here and in the oracle, by half a unit in the last place of the largest
  // number that it adds: in f64 that is a weight, at most 1/3, or the largest |g|, which is about phi; in f32 the
  // largest |f - w| or |g|. The errors of steps add up (a collision is a contraction except for the free energy, whose
  // growth rate times the steps of one execute() is small).
  const bool f32 = precision != Precision::f64;
  const auto unit = [&](double largest_f, double largest_g) {
    return 0x1p-53 * std::max(1.0 / 3, largest_g) + (f32 ? 0x1p-24 * std::max(largest_f, largest_g) : 0);
  };
  double worst = 0;
  std::string what = "populations";
  const auto hold = [&](double error, double allowed, const char* name) {
    const double ratio = error / allowed;
    if (ratio <= worst) return;  // false for a NaN, which then counts as infinite
    worst = ratio == ratio ? ratio : std::numeric_limits<double>::infinity();
    what = name;
  };
  for_each_slab(problem, known, got, [&](const Distance& d) {
    hold(d.error, 40 * problem.steps * unit(d.largest_f, d.largest_g), "populations");
  });
  // The mass, phi and momentum of a site are conserved in a collision up to a rounding of its largest number. Roundings
  // of many sites have either sign: together they are some sqrt(sites) of one, and 2^-10 sites more are admitted.
  const Sums now = sums(got);
  const auto sites = static_cast<double>(n);
  const double rounded = 40 * problem.steps * unit(now.largest_f, now.largest_g) * (std::sqrt(sites) + 0x1p-10 * sites);
  hold(std::abs(now.mass.minus(known.mass)), rounded, "mass");
  hold(std::abs(now.phi.minus(known.phi)), rounded, "order parameter");
  if (!known.walls)
    for (std::size_t d = 0; d < 3; ++d) hold(std::abs(now.momentum[d].minus(known.momentum[d])), rounded, "momentum");
  return core::Verdict::from_error(worst, 1, "serial reference, largest error relative to what is allowed: " + what);
}

}  // namespace speedwell::binary_fluid
