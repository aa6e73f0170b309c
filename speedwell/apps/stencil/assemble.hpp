// The 7-point operator as a sparse matrix, and the 27-point matrix of a box.
#pragma once

#include "speedwell/apps/stencil/operator.hpp"
#include "speedwell/numerics/sparse/sparse.hpp"

namespace speedwell::stencil {

/// The matrix of a 7-point operator, without the entries that boundaries cut off. A coefficient of a zero ghost cell
/// contributes to the diagonal only. Throws std::invalid_argument as require_operator() and for 2^31 cells and more.
template <class T>
sparse::Csr<T> assemble(const Operator<T>& a);

/// 26 on the diagonal, -1 for each of up to 26 neighbours (the matrix of the HPCG benchmark).
template <class T>
sparse::Csr<T> assemble_27_point(const Grid& grid);

}  // namespace speedwell::stencil
