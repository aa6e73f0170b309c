// The one verdict on every variant.
#pragma once

#include <span>

#include "speedwell/apps/stencil/fields.hpp"
#include "speedwell/apps/stencil/reference.hpp"
#include "speedwell/apps/stencil/sparse.hpp"
#include "speedwell/core/verdict.hpp"

namespace speedwell::stencil {

/// The sweeps after which values that began as multiples of 2^-5 below 1 are still exact in T: 5 + 4 sweeps <= 24, 53.
template <class T>
constexpr int exact_sweeps() {
  return sizeof(T) == 4 ? 4 : 12;
}

/// Judges y = A x. Dyadic data: the number of cells that differ from the oracle, to be 0. Random data: the largest
/// |y - oracle| over its bound (verify.cpp), to be at most 1. A NaN fails. Throws std::invalid_argument if the size is
/// not the grid's.
template <class T>
core::Verdict verify_product(const Fields<T>& fields, std::span<const T> got);

/// The same of `sweeps` products with an operator of form E0, whose weights are positive and sum to 1, against
/// `expected`, the reference's. Dyadic data are exact for exact_sweeps() of them.
template <class T>
core::Verdict verify_sweeps(const Fields<T>& fields, int sweeps, std::span<const T> expected, std::span<const T> got);

/// Judges x, what conjugate gradients made of A x = b from 0 in `result.iterations`, by the method's own identities and
/// by `expected`, the reference's solution, and residuals after 1, 2 ... iterations. The error is the largest of three
/// over their bounds (verify.cpp): of the residual that the run states from b - A x in extended precision, and from the
/// reference's; and of A times the difference of the two solutions, relative to b.
template <class T>
core::Verdict verify_cg(const Operator<T>& a, std::span<const T> b, const ReferenceCg& expected, const CgResult& result,
                        std::span<const T> got);

/// Judges y = A x of a sparse matrix; exact: no product or sum of the data is ever rounded.
template <class T>
core::Verdict verify_sparse(const Csr<T>& a, std::span<const T> x, bool exact, std::span<const T> got);

/// Judges x, what was to solve A x = b to ||b - A x|| <= tolerance ||b||, by that residual in extended precision. Fails
/// where result.outcome is another than converged.
template <class T>
core::Verdict verify_solution(const Operator<T>& a, std::span<const T> b, double tolerance, const CgResult& result,
                              std::span<const T> got);
template <class T>
core::Verdict verify_solution(const Csr<T>& a, std::span<const T> b, double tolerance, const CgResult& result,
                              std::span<const T> got);

/// How a sum was added up: in double in lanes, pieces and halves (sum_of_squares, gpu_sum), or in T along z, y and x.
enum class SumOrder { lanes, stages };

/// Judges a sum of the squares of grid.size() values of T against `expected`, the reference's.
template <class T>
core::Verdict verify_sum(const Grid& grid, Values values, SumOrder order, long double expected, double got);

}  // namespace speedwell::stencil
