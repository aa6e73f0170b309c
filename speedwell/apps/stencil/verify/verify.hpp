// Verification, common to all variants.
#pragma once

#include <limits>
#include <span>

#include "speedwell/apps/stencil/fields.hpp"
#include "speedwell/apps/stencil/verify/reference.hpp"
#include "speedwell/core/verdict.hpp"

namespace speedwell::stencil {

/// gamma_k = k u / (1 - k u), u the unit roundoff of T: bounds the relative error of k roundings (Higham 2002, 3.1).
template <class T>
constexpr double gamma(double k) {
  const double ku = k * static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
  return ku / (1 - ku);
}

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

/// Order of a sum: in double in lanes, blocks and pairwise (sum_of_squares, gpu_sum), or in T along z, y and x.
enum class SumOrder { lanes, stages };

/// Verifies a sum of the squares of grid.size() values of T against the reference `expected`.
template <class T>
core::Verdict verify_sum(const Grid& grid, Values values, SumOrder order, long double expected, double got);

}  // namespace speedwell::stencil
