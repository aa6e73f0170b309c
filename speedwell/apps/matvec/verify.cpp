// The oracle and the verdict. They share no code with the variants.
//
// Tolerance. Whatever the order of summation, fused or not, at most M roundings touch any one product, so that
// |got_i - exact_i| <= gamma_M s_i, where s_i = sum_j |a_ij| |b_j| and gamma_k = k u / (1 - k u) (Higham 2002, 3.1),
// and no smaller bound holds for every input. For long rows it says little: at M = 10^7 in f32 it admits zeros.
//
// Our random data are independent and of mean zero, and for such the bound does not grow with M (Higham and Mary, SIAM
// J. Sci. Comput. 42 (2020), A3427). A partial sum of M products of variance 1/9 exceeds l sqrt(M) / 3 with probability
// below 2 exp(-l^2/2). Each rounding is at most u times that, and of mean zero; the sum of M of them exceeds l sqrt(M)
// times the largest with the same probability. In all (l^2/3) u M, and s_i is about M/4. With l = 9, which fails once
// in 10^8 products with 10^9 elements, that is 108 u s_i. The tolerance is gamma_128 s_i, or gamma_M s_i if that is
// less.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "speedwell/apps/matvec/problem.hpp"

namespace speedwell::matvec {
namespace {

constexpr std::int64_t roundings_of_random_data = 128;

template <class T>
double gamma(std::int64_t k) {
  const double ku = static_cast<double>(k) * std::numeric_limits<T>::epsilon() / 2;
  return ku < 1 ? ku / (1 - ku) : std::numeric_limits<double>::infinity();
}

// sum_j a_j b_j as if in twice the precision of f64, and sum_j |a_j b_j|. Ogita, Rump, Oishi, SIAM J. Sci. Comput. 26
// (2005), Dot2: the rounding of each product and of each addition is itself computed exactly and summed apart.
struct Sums {
  double value, magnitude;
};
template <class T>
Sums dot(const T* a, const T* b, std::int64_t columns) {
  double sum = 0, lost = 0, magnitude = 0;
  for (std::int64_t j = 0; j < columns; ++j) {
    const double x = a[j], y = b[j];
    const double product = x * y;
    if constexpr (sizeof(T) == 8) lost += std::fma(x, y, -product);  // a product of two f32 is exact in f64
    const double next = sum + product;
    const double back = next - sum;
    lost += (sum - (next - back)) + (product - back);
    sum = next;
    magnitude += std::abs(product);
  }
  return {sum + lost, magnitude};
}

template <class T>
Expected compensated(const Matrix<T>& a, std::span<const T> b, double factor) {
  Expected expected;
  expected.value.resize(a.rows);
  expected.tolerance.resize(a.rows);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < a.rows; ++i) {
    const Sums sums = dot(a.data + i * a.leading, b.data(), a.columns);
    expected.value[i] = sums.value;
    expected.tolerance[i] = factor * sums.magnitude;
  }
  return expected;
}

// a_ij depends on i through i mod 17 only, so that there are only 17 different sums.
Expected exact(const Problem& problem) {
  const auto seed = static_cast<std::int64_t>(problem.seed % 17);
  std::int64_t sums[17] = {};
  for (std::int64_t i = 0; i < 17; ++i)
    for (std::int64_t j = 0; j < problem.columns; ++j)
      sums[i] += ((7 * i + 13 * j + seed + 16) % 17 - 8) * (5 * j % 11 - 5);
  Expected expected;
  expected.value.resize(problem.rows);
  expected.tolerance.assign(problem.rows, 0.0);
  for (std::int64_t i = 0; i < problem.rows; ++i) expected.value[i] = static_cast<double>(sums[i % 17]);
  return expected;
}

}  // namespace

template <class T>
Expected expect(const Problem& problem, std::span<const T> a, std::span<const T> b) {
  require_problem<T>(problem);
  if (problem.values == Values::integers) return exact(problem);
  return compensated<T>({a.data(), problem.rows, problem.columns, problem.columns}, b,
                        gamma<T>(std::min(problem.columns, roundings_of_random_data)));
}

template <class T>
Expected expect_any_data(const Matrix<T>& a, std::span<const T> b) {
  return compensated(a, b, gamma<T>(a.columns));
}

template <class T>
core::Verdict verify(const Problem& problem, const Expected& expected, std::span<const T> got) {
  if (got.size() != expected.value.size())
    throw std::invalid_argument("matvec: " + std::to_string(got.size()) + " elements to verify, " +
                                std::to_string(expected.value.size()) + " expected");
  double differing = 0, largest = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double distance = std::abs(static_cast<double>(got[i]) - expected.value[i]);
    if (distance == 0) continue;
    ++differing;
    const double ratio = distance / expected.tolerance[i];
    if (!std::isnan(largest) && !(ratio <= largest)) largest = ratio;  // keeps a NaN
  }
  if (problem.values == Values::integers)
    return core::Verdict::from_error(differing, 0, "integer arithmetic, elements that differ");
  return core::Verdict::from_error(largest, 1, "compensated f64 sums, largest error over the rounding bound");
}

template Expected expect(const Problem&, std::span<const float>, std::span<const float>);
template Expected expect(const Problem&, std::span<const double>, std::span<const double>);
template Expected expect_any_data(const Matrix<float>&, std::span<const float>);
template Expected expect_any_data(const Matrix<double>&, std::span<const double>);
template core::Verdict verify(const Problem&, const Expected&, std::span<const float>);
template core::Verdict verify(const Problem&, const Expected&, std::span<const double>);

}  // namespace speedwell::matvec
