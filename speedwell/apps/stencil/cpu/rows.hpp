// Rows of an operator: pointers to a row's neighbours and coefficients according to the boundary condition.
#pragma once

#include <vector>

#include "speedwell/apps/stencil/cpu/cpu_rows.hpp"

namespace speedwell::stencil {

/// The coefficients of cells [begin, begin + n) of row (j, k).
template <class T>
Row<T> row_of(const Operator<T>& a, std::int64_t begin, std::int64_t n, std::int64_t j, std::int64_t k);

/// The index of a neighbouring row, or -1 if it is outside of the box.
inline std::int64_t neighbour_index(std::int64_t index, std::int64_t extent, Boundary boundary) {
  if (index >= 0 && index < extent) return index;
  return boundary == Boundary::periodic ? (index % extent + extent) % extent : -1;
}

/// Sets the field pointers of a row to x (grid.size() values). `zeros` has at least nx zeros.
template <class T>
void point_at(Row<T>& row, const Operator<T>& a, const T* x, const T* zeros, std::int64_t begin, std::int64_t j,
              std::int64_t k);

}  // namespace speedwell::stencil
