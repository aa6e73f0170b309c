// Rows of an operator: where a row's neighbours and coefficients are, met as the boundary has it.
#pragma once

#include <vector>

#include "speedwell/apps/stencil/cpu_rows.hpp"

namespace speedwell::stencil {

/// The operator's side of a row: everything but fields. Cells [begin, begin + n) of row (j, k).
template <class T>
Row<T> row_of(const Operator<T>& a, std::int64_t begin, std::int64_t n, std::int64_t j, std::int64_t k);

/// A neighbouring row's index, or -1 where nothing is beyond.
inline std::int64_t neighbour_index(std::int64_t index, std::int64_t extent, Boundary boundary) {
  if (index >= 0 && index < extent) return index;
  return boundary == Boundary::periodic ? (index % extent + extent) % extent : -1;
}

/// Points a row at the cells of x (grid.size() values). `zeros`: at least nx values 0.
template <class T>
void point_at(Row<T>& row, const Operator<T>& a, const T* x, const T* zeros, std::int64_t begin, std::int64_t j,
              std::int64_t k);

}  // namespace speedwell::stencil
