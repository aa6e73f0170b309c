// The integrals and maxima from which statistics are computed, on the host and on a GPU.
#pragma once

#include <array>

#include "speedwell/apps/incompressible_flow/statistics/statistics.hpp"

namespace speedwell::incompressible_flow {

/// Integrals over the box, by index: of velocities, their squares, their products between cell centres (xy, xz, yz),
/// the dissipation over viscosity, squares and cubes of du/dx, dv/dy, dw/dz, and 1.
constexpr int statistics_sums = 17;
enum StatisticsIndex { mean_x, square_x = 3, mixed_xy = 6, loss = 9, stretch_x2 = 10, stretch_x3 = 13, volume = 16 };

/// Maxima: |divergence| times the cell's minimum width, and the largest velocity component.
struct Largest {
  double divergence = 0, fastest = 0;
};

/// Computes statistics from integrals in a mesh whose axis d is axis order[d] of the problem.
Statistics statistics_from(const std::array<double, statistics_sums>& sums, const Largest& largest, double viscosity,
                           const std::array<int, 3>& order);

}  // namespace speedwell::incompressible_flow
