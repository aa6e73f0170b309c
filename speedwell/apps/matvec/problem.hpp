// Generated data, the oracle's result for them, and the verification of all variants.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "speedwell/apps/matvec/matvec.hpp"
#include "speedwell/core/verdict.hpp"

namespace speedwell::matvec {

/// integers: a_ij = (7i + 13j + seed - 1) mod 17 - 8 and b_j = 5j mod 11 - 5, counted from 0. Every partial sum in any
///           order is an integer of at most 40 M, so that the answer is exact and the comparison needs no tolerance.
/// random:   a_ij and b_j independent, uniform in [-1, 1).
enum class Values { integers, random };

struct Problem {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  Values values = Values::random;
  std::uint64_t seed = 1;
  int block_threads = 0;  // of the GPU's steps with a thread for each row; 0: by the number of rows
};

/// The maximum number of columns for which the integers are exact in T: 40 M must fit into the significand.
template <class T>
constexpr std::int64_t exact_columns() {
  return (std::int64_t{1} << (sizeof(T) == 4 ? 24 : 53)) / 40;
}

/// Throws std::invalid_argument for less than 1 x 1, for more bytes than 64 bits can count, and for integers on more
/// than exact_columns<T>() columns.
template <class T>
void require_problem(const Problem& problem);

/// Writes A (rows x columns, without gaps) and B (columns elements). All threads take part, each on its strip of rows,
/// so that pages are in the memory of the thread that multiplies them. Throws as require_problem.
template <class T>
void fill(const Problem& problem, std::span<T> a, std::span<T> b);

/// The expected C, and the tolerance of each element.
struct Expected {
  std::vector<double> value;
  std::vector<double> tolerance;  // 0: exactly
};

/// The oracle. For integers it evaluates the definition in integer arithmetic and reads neither array. For random data
/// it sums the products of `a` and `b` in twice the precision of f64, and its tolerance is gamma_min(M,128) sum_j
/// |a_ij|
/// |b_j| (see verify.cpp). a has no gaps between its rows.
template <class T>
Expected expect(const Problem& problem, std::span<const T> a, std::span<const T> b);

/// The bound that holds for any data, any order of summation and any rounding of it: gamma_M sum_j |a_ij| |b_j|.
template <class T>
Expected expect_any_data(const Matrix<T>& a, std::span<const T> b);

/// Compares `got` with the oracle's result. The error is the largest |got_i - expected_i| / tolerance_i, which must be
/// at most 1; for integers it is the number of elements that differ, which must be 0. A NaN fails.
template <class T>
core::Verdict verify(const Problem& problem, const Expected& expected, std::span<const T> got);

}  // namespace speedwell::matvec
