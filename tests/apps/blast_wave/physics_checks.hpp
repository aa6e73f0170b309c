// Physical properties that several implementations are tested for. advance(problem, state) returns the history.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/apps/blast_wave/fields.hpp"

namespace speedwell::blast_wave {

/// The root mean square error of the density of a smooth wave that the flow carries, on n^3 points. Its order is 2.
template <class Advance>
double error_of_density_wave(int n, bool dissipated, const Advance& advance) {
  Problem problem{.extents = {n, n, n}, .dt = 0.8 / n, .theta = 0.5, .steps = n / 2};
  problem.gas.viscous = false;
  if (!dissipated) problem.kappa2 = problem.kappa4 = 0;
  const auto wave = [](double t) {
    return [t](double x, double y, double z) {
      return reference::Point{1 + 0.2 * std::sin(2 * std::numbers::pi * (x + y + z - 0.6 * t)), 0.5, -0.3, 0.4,
                              1 / 1.4};
    };
  };
  State s = state_of(problem.extents, wave(0));
  EXPECT_EQ(advance(problem, s).stop_reason, StopReason::done);
  const State exact = state_of(problem.extents, wave(0.4));
  double squares = 0;
  const auto points = static_cast<std::size_t>(problem.extents.points());
  for (std::size_t p = 0; p < points; ++p) squares += std::pow(s.q[p] - exact.q[p], 2);
  return std::sqrt(squares / static_cast<double>(points));
}

template <class Advance>
void expect_conservation_for_every_tolerance(const Advance& advance) {
  for (const double tolerance : {1e-4, 1e-8, 1e-12, 1e-16, 1e-20})
    for (const double theta : {0.5, 1.0}) {
      Problem problem{.extents = {9, 8, 7}, .theta = theta, .max_squared_residual = tolerance, .steps = 100};
      problem.gas.reynolds = 500;
      State s = blast(problem);
      const Totals before = totals(problem.gas, s);
      ASSERT_EQ(advance(problem, s).stop_reason, StopReason::done) << tolerance << " " << theta;
      EXPECT_LE(drift(before, totals(problem.gas, s)), 1e-11) << tolerance << " " << theta;
    }
}

}  // namespace speedwell::blast_wave
