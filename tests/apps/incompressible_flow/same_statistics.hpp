// Statistics of one flow that were added up in two orders, and numbers of a state by array and cell.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "speedwell/apps/incompressible_flow/statistics/statistics.hpp"

namespace speedwell::incompressible_flow {

/// Expects the same maxima, and sums that differ by their rounding. Sums of n terms in double precision differ by at
/// most 2 n 2^-53 times the sum of the terms' magnitudes in any two orders, and a term has some 16 roundings of its
/// own, which differ between compilers. `ghost`: the relative rounding of ghost cells at walls that two programs fill,
/// of which single precision has its own; the links to walls have their differences, whose squares add to the
/// dissipation.
inline void expect_close(const Statistics& got, const Statistics& expected, const Extents& e, double ghost,
                         const std::string& what) {
  const double n = static_cast<double>(e.cells()) + 16, rounding = 2 * n * 0x1p-53;
  const double square = expected.fastest * expected.fastest;
  EXPECT_EQ(got.fastest, expected.fastest) << what;
  for (std::size_t d = 0; d < 3; ++d)
    EXPECT_NEAR(got.mean[d], expected.mean[d], rounding * expected.fastest) << what << ", mean " << d;
  for (std::size_t s = 0; s < 6; ++s)  // a mean product and the product of two means
    EXPECT_NEAR(got.stresses[s], expected.stresses[s], 3 * rounding * square) << what << ", stress " << s;
  EXPECT_NEAR(got.energy, expected.energy, 2 * rounding * square) << what;
  EXPECT_NEAR(got.turbulent_energy, expected.turbulent_energy, 5 * rounding * square) << what;
  EXPECT_NEAR(got.dissipation, expected.dissipation, (rounding + 64 * ghost) * expected.dissipation) << what;
  // <|s|^3> / <s^2>^1.5 is below the root of the box over its smallest cell: of 8 n, as cells are at least 1/8 of the
  // mean. It is rounded with both sums, of which one is raised to the power of 1.5.
  if (!std::isnan(expected.skewness)) {
    EXPECT_NEAR(got.skewness, expected.skewness, 3 * rounding * std::sqrt(8 * n)) << what;
  } else {
    EXPECT_TRUE(std::isnan(got.skewness)) << what;
  }
}

/// Expects the same bits of all sums and maxima.
inline void expect_same_bits(const Statistics& got, const Statistics& expected, const std::string& what) {
  EXPECT_EQ(got.mean, expected.mean) << what;
  EXPECT_EQ(got.stresses, expected.stresses) << what;
  EXPECT_EQ(got.turbulent_energy, expected.turbulent_energy) << what;
  EXPECT_EQ(got.energy, expected.energy) << what;
  EXPECT_EQ(got.dissipation, expected.dissipation) << what;
  EXPECT_TRUE(got.skewness == expected.skewness || (std::isnan(got.skewness) && std::isnan(expected.skewness))) << what;
  EXPECT_EQ(got.divergence, expected.divergence) << what;
  EXPECT_EQ(got.fastest, expected.fastest) << what;
}

/// Values of all arrays in cells of every plane of a box, also of its first and its last plane.
inline std::vector<CellValue> some_cells(const Extents& e) {
  std::vector<CellValue> cells;
  for (int n = 0; n < e.nx * e.ny * e.nz; n += n + 11 < e.cells() ? 11 : 1)
    for (int array = 3; array >= 0; --array) cells.push_back({array, {n % e.nx, n / e.nx % e.ny, n / e.nx / e.ny}});
  return cells;
}

template <class T>
std::vector<T> values_of(const State<T>& state, const std::vector<CellValue>& cells) {
  std::vector<T> values;
  for (const CellValue& value : cells) {
    const auto& array = value.array < 3 ? state.velocity[static_cast<std::size_t>(value.array)] : state.pressure;
    values.push_back(array[state.extents.at(value.cell[0], value.cell[1], value.cell[2])]);
  }
  return values;
}

}  // namespace speedwell::incompressible_flow
