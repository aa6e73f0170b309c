// Statistics of a fluid on ranks, against those of one process or GPU.
#pragma once

#include <gtest/gtest.h>

#include "speedwell/apps/binary_fluid/statistics.hpp"

namespace speedwell::binary_fluid {

/// Extrema are those of one; sums are, but for the order of their terms, and have the same bits when taken `again`.
inline void expect_statistics_over_ranks(const Statistics& got, const Statistics& again, const Statistics& expected,
                                         const Extents& extents, int ranks) {
  EXPECT_EQ(got.phi_min, expected.phi_min);
  EXPECT_EQ(got.phi_max, expected.phi_max);
  EXPECT_EQ(got.rho_min, expected.rho_min);
  EXPECT_EQ(got.rho_max, expected.rho_max);
  EXPECT_EQ(got.speed_max, expected.speed_max);
  // Sums of as many terms below 1, in another order unless there is one rank.
  const double bound = ranks == 1 ? 0 : 1e-16 * static_cast<double>(extents.sites());
  EXPECT_NEAR(got.mass, expected.mass, bound);
  EXPECT_NEAR(got.momentum[1], expected.momentum[1], bound);
  EXPECT_NEAR(got.phi, expected.phi, 100 * bound);
  EXPECT_NEAR(got.phi_squared, expected.phi_squared, 100 * bound);
  EXPECT_NEAR(got.free_energy, expected.free_energy, bound);
  EXPECT_NEAR(got.surface, expected.surface, 100 * bound);
  EXPECT_EQ(got.free_energy, again.free_energy);
  EXPECT_EQ(got.surface, again.surface);
}

}  // namespace speedwell::binary_fluid
