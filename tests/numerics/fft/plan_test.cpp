// The planned transforms against the oracle: lengths of every kind, dimensions, batches, directions, threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "speedwell/numerics/fft/fft.hpp"
#include "tests/numerics/fft/plan_cases.hpp"
#include "tests/support/precisions.hpp"

namespace speedwell::fft {
namespace {

SPEEDWELL_EACH_PRECISION(FftPlan);

template <class T>
std::complex<T> poison() {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  return {nan, nan};
}

template <class T>
void expect_complex(std::int64_t n, int threads = 2) {
  const auto x = random_complex<T>(n, n);
  Plan<T> plan({.extents = {n}}, {.threads = threads});
  std::vector<std::complex<T>> got(n, poison<T>());
  plan.forward(x, got);
  auto expected = reference::forward(extended(x));
  EXPECT_LE(l2(expected, got), bound<T>(n)) << n;
  plan.backward(x, got);
  std::reverse(expected.begin() + 1, expected.end());  // e^{+i a k} is e^{-i a (n - k)}
  EXPECT_LE(l2(expected, got), bound<T>(n)) << "backward, " << n;
  auto in_place = x;
  plan.backward(in_place);
  EXPECT_EQ(std::memcmp(in_place.data(), got.data(), n * sizeof got[0]), 0) << "in place, " << n;
}

template <class T>
void expect_real(std::int64_t n) {
  const auto x = random_real<T>(n, n);
  RealPlan<T> plan({.extents = {n}}, {.threads = 2});
  std::vector<std::complex<T>> spectrum(n / 2 + 1, poison<T>()), padded(n / 2 + 1, poison<T>());
  plan.forward(x, spectrum);
  auto expected = reference::forward(extended(x));
  expected.resize(n / 2 + 1);
  EXPECT_LE(l2(expected, spectrum), bound<T>(n)) << n;
  std::memcpy(static_cast<void*>(padded.data()), x.data(), n * sizeof(T));
  plan.forward(padded);
  EXPECT_EQ(std::memcmp(padded.data(), spectrum.data(), padded.size() * sizeof padded[0]), 0) << "in place, " << n;
  // Backward of the rounded spectrum, conjugates filled in.
  std::vector<reference::Complex> whole(n);
  for (std::int64_t k = 0; k < n; ++k)
    whole[k] = k <= n / 2 ? reference::Complex(spectrum[k]) : std::conj(reference::Complex(spectrum[n - k]));
  std::vector<T> back(n, std::numeric_limits<T>::quiet_NaN());
  plan.backward(spectrum, back);
  EXPECT_LE(l2(reference::backward(whole), std::vector<std::complex<T>>(back.begin(), back.end())), bound<T>(n))
      << "backward, " << n;
  plan.backward(padded);
  EXPECT_EQ(std::memcmp(padded.data(), back.data(), n * sizeof(T)), 0) << "backward in place, " << n;
}

TYPED_TEST(FftPlan, ComplexLinesOfAnyLength) {
  for (const std::int64_t n : lengths()) expect_complex<TypeParam>(n);
}
TYPED_TEST(FftPlan, RealLinesOfAnyLength) {
  for (const std::int64_t n : lengths()) expect_real<TypeParam>(n);
}
TYPED_TEST(FftPlan, LongLines) {
  for (const std::int64_t n : {1 << 20, 1000003}) expect_complex<TypeParam>(n);
  for (const std::int64_t n : {1000000, 200003}) expect_real<TypeParam>(n);
}

TYPED_TEST(FftPlan, ComplexArraysAndBatches) {
  using T = TypeParam;
  for (const Shape& c : shapes)
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      const auto x = random_complex<T>(Plan<T>(c).points());
      const auto expected = transformed(extended(x), c, direction == Direction::backward);
      for (const int threads : {1, 3}) {
        Plan<T> plan(c, {.threads = threads});
        std::vector<std::complex<T>> got(x.size(), poison<T>());
        plan.transform(direction, x, got);
        EXPECT_LE(l2(expected, got), bound<T>(plan.points() / c.batch)) << name(c) << ", " << threads << " threads";
        auto in_place = x;
        plan.transform(direction, in_place, in_place);
        EXPECT_EQ(std::memcmp(in_place.data(), got.data(), got.size() * sizeof got[0]), 0) << name(c);
      }
    }
}

TYPED_TEST(FftPlan, RealArraysAndBatches) {
  using T = TypeParam;
  for (const Shape& c : shapes) {
    RealPlan<T> plan({c.extents, c.batch}, {.threads = 2, .normalisation = Normalisation::backward});
    const auto x = random_real<T>(plan.real_points());
    const auto whole = transformed(extended(x), c, false);
    const std::int64_t n = c.extents.back(), kept = n / 2 + 1, rows = plan.real_points() / n;
    std::vector<reference::Complex> expected;
    std::vector<std::complex<T>> padded(plan.spectrum_points(), poison<T>());
    for (std::int64_t r = 0; r < rows; ++r) {
      expected.insert(expected.end(), whole.begin() + r * n, whole.begin() + r * n + kept);
      std::memcpy(static_cast<void*>(&padded[r * kept]), &x[r * n], n * sizeof(T));
    }
    const double allowed = bound<T>(plan.real_points() / c.batch);
    std::vector<std::complex<T>> got(plan.spectrum_points(), poison<T>());
    plan.forward(x, got);
    EXPECT_LE(l2(expected, got), allowed) << name(c);
    plan.forward(padded);
    EXPECT_EQ(std::memcmp(padded.data(), got.data(), got.size() * sizeof got[0]), 0) << name(c);

    const auto kept_spectrum = got;
    std::vector<T> back(x.size(), std::numeric_limits<T>::quiet_NaN());
    plan.backward(got, back);
    EXPECT_EQ(std::memcmp(kept_spectrum.data(), got.data(), got.size() * sizeof got[0]), 0) << name(c);
    EXPECT_LE(l2(extended(x), std::vector<std::complex<T>>(back.begin(), back.end())), 2 * allowed) << name(c);
    plan.backward(padded);
    for (std::int64_t r = 0; r < rows; ++r)
      EXPECT_EQ(std::memcmp(&padded[r * kept], &back[r * n], n * sizeof(T)), 0) << name(c) << ", row " << r;
  }
}

TYPED_TEST(FftPlan, TheBitsDoNotDependOnTheThreads) {
  using T = TypeParam;
  for (const Shape& c : {Shape{{1 << 16}, 1}, Shape{{50000}, 7}, Shape{{65537}, 1}, Shape{{24, 30, 64}, 1}}) {
    Plan<T> one({c.extents, c.batch}, {.threads = 1});
    const auto x = random_complex<T>(one.points());
    auto expected = x;
    one.forward(expected);
    for (const int threads : {2, 3, 8}) {
      auto got = x;
      Plan<T>({c.extents, c.batch}, {.threads = threads}).forward(got);
      EXPECT_EQ(std::memcmp(expected.data(), got.data(), got.size() * sizeof got[0]), 0) << name(c) << threads;
    }
  }
}

TYPED_TEST(FftPlan, ScalesAsRequested) {
  using T = TypeParam;
  const auto x = random_complex<T>(60);
  const auto scaled = [&](Normalisation normalisation, Direction direction) {
    std::vector<std::complex<T>> got(60);
    Plan<T>({.extents = {4, 15}}, {.threads = 1, .normalisation = normalisation}).transform(direction, x, got);
    return got;
  };
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    auto expected = transformed(extended(x), {{4, 15}, 1}, direction == Direction::backward);
    EXPECT_LE(l2(expected, scaled(Normalisation::none, direction)), bound<T>(60));
    auto whole = expected;
    for (auto& z : whole) z /= direction == Direction::backward ? 60 : 1;
    EXPECT_LE(l2(whole, scaled(Normalisation::backward, direction)), bound<T>(60));
    for (auto& z : expected) z /= std::sqrt(60.0L);
    EXPECT_LE(l2(expected, scaled(Normalisation::orthogonal, direction)), bound<T>(60));
  }
}

}  // namespace
}  // namespace speedwell::fft
