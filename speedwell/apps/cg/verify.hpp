// Verification, common to all variants.
#pragma once

#include <span>

#include "speedwell/apps/cg/reference.hpp"
#include "speedwell/apps/stencil/cg.hpp"
#include "speedwell/core/verdict.hpp"
#include "speedwell/numerics/sparse/sparse.hpp"

namespace speedwell::cg {

/// Verifies x after `result.iterations` of conjugate gradients for A x = b from 0, by identities of the method and by
/// `expected`, the reference solution and its residuals after 1, 2 ... iterations. The error is the maximum of three
/// quotients of a difference and its bound (verify.cpp): of the reported residual from b - A x in extended precision,
/// and from that of the reference; and of A times the difference of the two solutions, relative to b.
template <class T>
core::Verdict verify_cg(const stencil::Operator<T>& a, std::span<const T> b, const ReferenceCg& expected,
                        const stencil::CgResult& result, std::span<const T> got);

/// Verifies that x solves A x = b to ||b - A x|| <= tolerance ||b||, by that residual in extended precision. Fails if
/// result.outcome is not converged.
template <class T>
core::Verdict verify_solution(const stencil::Operator<T>& a, std::span<const T> b, double tolerance,
                              const stencil::CgResult& result, std::span<const T> got);
template <class T>
core::Verdict verify_solution(const sparse::Csr<T>& a, std::span<const T> b, double tolerance,
                              const stencil::CgResult& result, std::span<const T> got);

}  // namespace speedwell::cg
