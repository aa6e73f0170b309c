// Fields that several tests begin with, and what they measure of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "speedwell/apps/blast_wave/blast_wave.hpp"
#include "speedwell/apps/blast_wave/verify/reference.hpp"
#include "speedwell/apps/blast_wave/verify/verify.hpp"

namespace speedwell::blast_wave {

/// A state from density, velocity and pressure at (x, y, z) of the unit box.
inline State state_of(const Extents& e, const std::function<reference::Point(double, double, double)>& primitive) {
  State s{e, std::vector<double>(5 * static_cast<std::size_t>(e.points()))};
  const auto n = static_cast<std::size_t>(e.points());
  std::size_t at = 0;
  for (std::int64_t k = 0; k < e.nz; ++k)
    for (std::int64_t j = 0; j < e.ny; ++j)
      for (std::int64_t i = 0; i < e.nx; ++i, ++at) {
        const reference::Point w = primitive(static_cast<double>(i) / static_cast<double>(e.nx),
                                             static_cast<double>(j) / static_cast<double>(e.ny),
                                             static_cast<double>(k) / static_cast<double>(e.nz));
        s.q[at] = w[0];
        for (std::size_t d = 1; d <= 3; ++d) s.q[d * n + at] = w[0] * w[d];
        s.q[4 * n + at] = w[4] / 0.4 + 0.5 * w[0] * (w[1] * w[1] + w[2] * w[2] + w[3] * w[3]);
      }
  return s;
}

/// A blast off the middle of the box and in motion, so that no value has a mirror image.
inline State moving_blast(const Problem& problem) {
  State state = blast(problem);
  const auto n = static_cast<std::size_t>(problem.extents.points());
  for (std::size_t p = 0; p < n; ++p)
    for (std::size_t d = 1; d <= 3; ++d)
      state.q[d * n + p] += 0.1 * std::sin(static_cast<double>(p * d % 97) + static_cast<double>(d));
  for (std::size_t p = 0; p < n; ++p) state.q[4 * n + p] += 0.05;
  return state;
}

/// What one core makes of a state in all steps of a problem.
inline Answer on_one_core(const Problem& problem, const State& start) {
  CpuSolver solver(problem, 1);
  solver.set(start);
  Answer answer;
  answer.history = solver.run(problem.steps);
  solver.get(answer.state);
  return answer;
}

/// The largest difference of a state from its image where x and the axis d change places. Extents along both agree.
inline double asymmetry_of_swap(const State& s, int d) {
  const Extents& e = s.extents;
  const auto n = static_cast<std::size_t>(e.points());
  double worst = 0;
  for (std::int64_t k = 0; k < e.nz; ++k)
    for (std::int64_t j = 0; j < e.ny; ++j)
      for (std::int64_t i = 0; i < e.nx; ++i) {
        std::int64_t to[] = {i, j, k};
        std::swap(to[0], to[d]);
        const auto here = static_cast<std::size_t>(i + e.nx * (j + e.ny * k)),
                   there = static_cast<std::size_t>(to[0] + e.nx * (to[1] + e.ny * to[2]));
        for (int c = 0; c < 5; ++c) {
          const int image = c == 1 ? d + 1 : c == d + 1 ? 1 : c;
          worst = std::max(worst, std::abs(s.q[static_cast<std::size_t>(c) * n + here] -
                                           s.q[static_cast<std::size_t>(image) * n + there]));
        }
      }
  return worst;
}

/// The same where x becomes 1 - x.
inline double asymmetry_of_reflection(const State& s) {
  const Extents& e = s.extents;
  const auto n = static_cast<std::size_t>(e.points());
  double worst = 0;
  for (std::int64_t row = 0; row < e.ny * e.nz; ++row)
    for (std::int64_t i = 0; i < e.nx; ++i) {
      const auto here = static_cast<std::size_t>(row * e.nx + i),
                 there = static_cast<std::size_t>(row * e.nx + (e.nx - i) % e.nx);
      for (std::size_t c = 0; c < 5; ++c)
        worst = std::max(worst, std::abs(s.q[c * n + here] - (c == 1 ? -1 : 1) * s.q[c * n + there]));
    }
  return worst;
}

/// The asymmetry under generators of the 48 symmetries of a cube.
inline double asymmetry_of_cube(const State& s) {
  return std::max({asymmetry_of_swap(s, 1), asymmetry_of_swap(s, 2), asymmetry_of_reflection(s)});
}

/// The largest relative drift of mass and energy, and of momentum. verify() says why 1e-11 are allowed in 100 steps.
inline double drift(const Totals& before, const Totals& after) {
  double worst = std::max(std::abs(after.mass / before.mass - 1), std::abs(after.energy / before.energy - 1));
  for (int d = 0; d < 3; ++d) worst = std::max(worst, std::abs(after.momentum[d] - before.momentum[d]));
  return worst;
}

}  // namespace speedwell::blast_wave
