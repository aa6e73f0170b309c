// Verification, common to all variants.
#pragma once

#include <span>

#include "speedwell/apps/stencil/fields.hpp"
#include "speedwell/apps/stencil/reference.hpp"
#include "speedwell/apps/stencil/sparse.hpp"
#include "speedwell/core/verdict.hpp"

namespace speedwell::stencil {

/// Number of sweeps after which initial multiples of 2^-5 below 1 are still exact in T: 5 + 4 sweeps <= 24, 53.
template <class T>
constexpr int exact_sweeps() {
  return sizeof(T) == 4 ? 4 : 12;
}

/// Verifies y = A x. Dyadic data: the error is the number of cells that differ from the oracle and must be 0. Random
/// data: the error is the maximum of |y - oracle| over its bound (verify.cpp) and must be at most 1. A NaN fails.
/// Throws std::invalid_argument if the size is not that of the grid.
template <class T>
core::Verdict verify_product(const Fields<T>& fields, std::span<const T> got);

/// Verifies `sweeps` products with an operator of form E0, whose weights are positive and sum to 1, against the
/// reference solution `expected`. Dyadic data are exact for exact_sweeps() of them.
template <class T>
core::Verdict verify_sweeps(const Fields<T>& fields, int sweeps, std::span<const T> expected, std::span<const T> got);

/// Verifies x after `result.iterations` of conjugate gradients for A x = b from 0, by identities of the method and by
/// `expected`, the reference solution and its residuals after 1, 2 ... iterations. The error is the maximum of three
/// quotients of a difference and its bound (verify.cpp): of the reported residual from b - A x in extended precision,
/// and from that of the reference; and of A times the difference of the two solutions, relative to b.
template <class T>
core::Verdict verify_cg(const Operator<T>& a, std::span<const T> b, const ReferenceCg& expected, const CgResult& result,
                        std::span<const T> got);

/// Verifies y = A x for a sparse matrix; exact: no product or sum of the data is ever rounded.
template <class T>
core::Verdict verify_sparse(const Csr<T>& a, std::span<const T> x, bool exact, std::span<const T> got);

/// Verifies that x solves A x = b to ||b - A x|| <= tolerance ||b||, by that residual in extended precision. Fails if
/// result.outcome is not converged.
template <class T>
core::Verdict verify_solution(const Operator<T>& a, std::span<const T> b, double tolerance, const CgResult& result,
                              std::span<const T> got);
template <class T>
core::Verdict verify_solution(const Csr<T>& a, std::span<const T> b, double tolerance, const CgResult& result,
                              std::span<const T> got);

/// Order of a sum: in double in lanes, blocks and pairwise (sum_of_squares, gpu_sum), or in T along z, y and x.
enum class SumOrder { lanes, stages };

/// Verifies a sum of the squares of grid.size() values of T against the reference `expected`.
template <class T>
core::Verdict verify_sum(const Grid& grid, Values values, SumOrder order, long double expected, double got);

}  // namespace speedwell::stencil
