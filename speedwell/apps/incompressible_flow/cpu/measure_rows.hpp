// Measures of rows of cells, compiled for several instruction sets (measure_rows.cpp). Pointers are to cell 0 of the
// row; fields have a layer of ghost cells, which are filled, and metrics along y and z are at this row's cell.
#pragma once

#include <cstddef>

#include "speedwell/apps/incompressible_flow/cpu/momentum.hpp"
#include "speedwell/core/simd/isa.hpp"

namespace speedwell::incompressible_flow {

/// The maximum over a row of the sum over the axes of |velocity| / width, the faster of a cell's two faces along each;
/// NaN if a velocity is not finite.
template <class T>
struct ConvectionRateRow {
  std::ptrdiff_t row, plane;
  MeshMetrics<T> metrics;
  int cells;
  const T* u[3];
};
/// Terms of a row of cells in the sums and maxima of statistics (statistics_sums.hpp).
struct StatisticsTerms {
  double mean[3] = {}, square[3] = {}, mixed[3] = {}, loss = 0, stretch2[3] = {}, stretch3[3] = {}, volume = 0;
  double divergence = 0, fastest = 0;
};
/// closed[d]: whether the row has the first and the last cell along axis d of a mesh that ends there.
template <class T>
struct StatisticsRow {
  std::ptrdiff_t row, plane;
  MeshMetrics<double> metrics;
  int cells;
  bool closed[3][2];
  const T* u[3];
  const T* wall_drag[3];  // or null
};

template <class T>
struct MeasureRows {
  double (*convection_rate)(const ConvectionRateRow<T>&);
  StatisticsTerms (*statistics)(const StatisticsRow<T>&);
};

/// The kernels for an instruction set. Throws std::invalid_argument if the processor does not have it.
template <class T>
MeasureRows<T> measure_rows(core::Isa isa = core::best_isa());
template <>
MeasureRows<float> measure_rows(core::Isa isa);
template <>
MeasureRows<double> measure_rows(core::Isa isa);

}  // namespace speedwell::incompressible_flow
