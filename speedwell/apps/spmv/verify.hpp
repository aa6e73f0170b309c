// Verification, common to all variants.
#pragma once

#include <span>

#include "speedwell/core/verdict.hpp"
#include "speedwell/numerics/sparse/sparse.hpp"

namespace speedwell::spmv {

/// Verifies y = A x for a sparse matrix; exact: no product or sum of the data is ever rounded.
template <class T>
core::Verdict verify_sparse(const sparse::Csr<T>& a, std::span<const T> x, bool exact, std::span<const T> got);

}  // namespace speedwell::spmv
