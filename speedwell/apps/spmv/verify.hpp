// Verification, common to all variants.
#pragma once

#include <span>

#include "speedwell/apps/stencil/sparse.hpp"
#include "speedwell/core/verdict.hpp"

namespace speedwell::spmv {

/// Verifies y = A x for a sparse matrix; exact: no product or sum of the data is ever rounded.
template <class T>
core::Verdict verify_sparse(const stencil::Csr<T>& a, std::span<const T> x, bool exact, std::span<const T> got);

}  // namespace speedwell::spmv
