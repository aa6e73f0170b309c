// The oracle against cases that can be done by hand, and its fast form against its slow one.
#include "speedwell/apps/fft/reference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/numerics/fft/support.hpp"

namespace speedwell::fft {
namespace {

using reference::Complex;
using reference::Real;

double distance(const std::vector<Complex>& a, const std::vector<Complex>& b) {
  Real difference = 0, norm = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference += std::norm(a[i] - b[i]), norm += std::norm(b[i]);
  return static_cast<double>(std::sqrt(difference / norm));
}

// A unit in the last place of long double is 1.1e-19 of its value on x86; sums of N terms of random sign lose sqrt(N)
// of them at most.
constexpr double extended_unit = 1.1e-19;

TEST(FftReference, RootsOfSmallOrdersAreExact) {
  for (const std::int64_t n : {1, 2, 4, 8, 12, 1000, 4096}) EXPECT_EQ(reference::root(0, n), Complex(1, 0)) << n;
  EXPECT_EQ(reference::root(1, 2), Complex(-1, 0));
  EXPECT_EQ(reference::root(1, 4), Complex(0, -1));
  EXPECT_EQ(reference::root(3, 4), Complex(0, 1));
  EXPECT_EQ(reference::root(3 << 20, 4 << 20), Complex(0, 1));
  EXPECT_NEAR(static_cast<double>(reference::root(1, 12).imag() + Real(0.5)), 0, extended_unit);
  EXPECT_NEAR(static_cast<double>(reference::root(5, 12).imag() + Real(0.5)), 0, extended_unit);
}

TEST(FftReference, TransformsFourPointsAsByHand) {
  const std::vector<Complex> x = {{1, 0}, {2, -1}, {0, -1}, {-1, 2}};
  const std::vector<Complex> expected = {{2, 0}, {-2, -2}, {0, -2}, {4, 4}};
  EXPECT_LE(distance(reference::direct(x), expected), extended_unit);
  EXPECT_LE(distance(reference::forward(x), expected), extended_unit);
}

// X[0] = N(N-1)/2, X[k] = N/2 (-1 + i cot(pi k/N)).
TEST(FftReference, TransformsARampToItsCotangents) {
  for (const std::int64_t n : {5, 16, 60, 127, 1000}) {
    std::vector<Complex> x(n), expected(n);
    const Real size = n;
    for (std::int64_t i = 0; i < n; ++i) {
      x[i] = static_cast<Real>(i);
      expected[i] = Complex(-size / 2, size / 2 / std::tan(std::numbers::pi_v<Real> * static_cast<Real>(i) / size));
    }
    expected[0] = size * (size - 1) / 2;
    EXPECT_LE(distance(reference::direct(x), expected), 50 * extended_unit) << n;
    EXPECT_LE(distance(reference::forward(x), expected), 50 * extended_unit) << n;
  }
}

TEST(FftReference, TheFastFormIsTheDirectSums) {
  for (std::int64_t n = 1; n <= 150; ++n) {
    const auto x = extended(random_complex<double>(n, n));
    EXPECT_LE(distance(reference::forward(x), reference::direct(x)), 30 * extended_unit) << n;
  }
  for (const std::int64_t n : {243, 343, 512, 961, 1009, 1021, 2048, 2310, 4096}) {
    const auto x = extended(random_complex<double>(n));
    EXPECT_LE(distance(reference::forward(x), reference::direct(x)), 100 * extended_unit) << n;
  }
}

TEST(FftReference, TheFastFormOfLongTransformsIsTheirBins) {
  for (const std::int64_t n : {131072, 100003, 123120, 2 * 10007}) {
    const auto x = extended(random_complex<double>(n));
    const auto fast = reference::forward(x);
    for (const std::int64_t k : {std::int64_t{0}, std::int64_t{1}, n / 3, n / 2 + 1, n - 1})
      EXPECT_LE(std::abs(fast[k] - reference::direct_bin(x, k)), 1000 * extended_unit * std::sqrt(Real(n))) << n;
  }
}

TEST(FftReference, BackwardUndoesForwardTimesN) {
  const auto x = extended(random_complex<double>(360));
  auto y = reference::backward(reference::forward(x));
  for (Complex& z : y) z /= 360;
  EXPECT_LE(distance(y, x), 30 * extended_unit);
}

TEST(FftReference, AnArrayIsTransformedAlongEveryAxis) {
  const std::int64_t extents[] = {3, 4, 5};
  auto x = extended(random_complex<double>(60));
  std::vector<Complex> expected(60);
  for (std::int64_t out = 0; out < 60; ++out)
    for (std::int64_t in = 0; in < 60; ++in) {
      const std::int64_t turns = (out / 20) * (in / 20) % 3 * 20 + (out / 5 % 4) * (in / 5 % 4) % 4 * 15 +
                                 (out % 5) * (in % 5) % 5 * 12;  // in sixtieths
      expected[out] += x[in] * reference::root(turns % 60, 60);
    }
  reference::forward(std::span(x), extents);
  EXPECT_LE(distance(x, expected), 30 * extended_unit);
}

TEST(FftAccuracy, SeesASingleWrongPointAndANaN) {
  const auto x = random_complex<double>(4096);
  auto got = x;
  EXPECT_EQ(errors<double>(extended(x), got).l2, 0);
  got[77] += std::complex<double>(1e-10, 0);
  EXPECT_GT(errors<double>(extended(x), got).l2, tolerance<double>(4096));
  EXPECT_GT(errors<double>(extended(x), got).linf, 1e-10);
  got[77] = NAN;
  EXPECT_TRUE(std::isnan(errors<double>(extended(x), got).l2));
  EXPECT_THROW(errors<double>(extended(x), random_complex<double>(4095)), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::fft
