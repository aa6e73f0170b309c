// Conversion between the matrices of Matrix Market files and those of speedwell::sparse, both in compressed rows with
// indices from 0.
#pragma once

#include <type_traits>
#include <utility>

#include "speedwell/io/matrix_market.hpp"
#include "speedwell/numerics/sparse/sparse.hpp"

namespace speedwell::io {

/// The matrix of a file, of as many rows, columns and entries. T is float or double, to which values are rounded. What
/// is passed with std::move() is not copied: parse and convert in one expression, or a large matrix is there twice.
/// Throws std::bad_alloc.
template <class T>
sparse::Csr<T> to_csr(SparseMatrix m) {
  sparse::Csr<T> matrix{m.rows, m.columns, std::move(m.offsets), std::move(m.column), {}};
  if constexpr (std::is_same_v<T, double>)
    matrix.value = std::move(m.value);
  else
    matrix.value.assign(m.value.begin(), m.value.end());
  return matrix;
}
/// The matrix as write_matrix_market() takes it: a copy. Throws std::bad_alloc; that function checks
/// symmetries.
inline SparseMatrix to_sparse_matrix(const sparse::Csr<double>& m) {
  return {m.rows, m.columns, m.offsets, m.column, m.value};
}

}  // namespace speedwell::io
