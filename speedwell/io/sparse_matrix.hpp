// Conversion between the matrices of Matrix Market files and those of speedwell::sparse.
#pragma once

#include <vector>

#include "speedwell/io/matrix_market.hpp"
#include "speedwell/numerics/sparse/sparse.hpp"

namespace speedwell::io {

/// The matrix in compressed rows; values are rounded to T.
template <class T>
sparse::Csr<T> to_csr(const SparseMatrix& m) {
  return {m.rows, m.columns, m.offsets, m.column, std::vector<T>(m.value.begin(), m.value.end())};
}
/// The matrix as a writer of Matrix Market files takes it; the values are those of `m`.
inline SparseMatrix to_sparse_matrix(const sparse::Csr<double>& m) {
  return {m.rows, m.columns, m.offsets, m.column, m.value};
}

}  // namespace speedwell::io
