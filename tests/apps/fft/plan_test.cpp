// The planned transforms against the oracle: lengths of every kind, dimensions, batches, directions, threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "speedwell/apps/fft/fft.hpp"
#include "tests/apps/fft/support.hpp"

namespace speedwell::fft {
namespace {

template <class T>
class FftPlan : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(FftPlan, Precisions);

template <class T>
std::complex<T> poison() {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  return {nan, nan};
}

/// The accuracy that is asked of all: in f64 4e-16 log2 N, a bound that a recurrence for twiddles does not keep; the
/// same multiple of epsilon in f32. A transform of one or two points may round once.
template <class T>
double bound(std::int64_t points) {
  return 4e-16 / 2.2e-16 * std::numeric_limits<T>::epsilon() * std::max(1.0, std::log2(static_cast<double>(points)));
}

/// Lengths: all small ones, every power of two, three, five and seven, primes, and numbers around powers of two.
std::vector<std::int64_t> lengths() {
  std::vector<std::int64_t> n;
  for (std::int64_t i = 1; i <= 300; ++i) n.push_back(i);
  for (const std::int64_t base : {2, 3, 5, 7, 11, 13, 17})
    for (std::int64_t p = base; p <= 70000; p *= base) n.push_back(p);
  for (std::int64_t p = 512; p <= 4096; p *= 2) n.insert(n.end(), {p - 3, p - 1, p + 1, p + 3});
  for (std::int64_t i = 301; i <= 4096; i += 29) n.push_back(i);
  n.insert(n.end(), {8191, 10007, 9973, 30030, 46656, 65521, 100000, 65536 + 2, 123457, 3 << 16, 1 << 18});
  return n;
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

struct Case {
  std::vector<std::int64_t> extents;
  std::int64_t batch;
};
// Planes for every thread and fewer, axes shorter than a vector, primes, batches that end within one.
const Case cases[] = {{{1}, 1},         {{16}, 1},         {{16}, 7},         {{5}, 100},        {{100}, 33},
                      {{37}, 17},       {{1024}, 9},       {{4099}, 16},      {{10000}, 3},      {{20000}, 4},
                      {{1, 1}, 1},      {{1, 9}, 2},       {{9, 1}, 2},       {{8, 8}, 1},       {{12, 10}, 5},
                      {{64, 48}, 1},    {{7, 100}, 3},     {{100, 7}, 3},     {{31, 127}, 1},    {{2, 20000}, 1},
                      {{20000, 2}, 1},  {{37, 41}, 4},     {{1, 1, 1}, 1},    {{8, 8, 8}, 1},    {{16, 16, 16}, 2},
                      {{6, 10, 12}, 1}, {{17, 19, 23}, 1}, {{2, 3, 5}, 11},   {{1, 33, 34}, 3},  {{33, 1, 34}, 1},
                      {{33, 34, 1}, 1}, {{3, 4, 65}, 2},   {{64, 32, 40}, 1}, {{1, 300, 600}, 1}};

std::vector<reference::Complex> transformed(std::vector<reference::Complex> x, const Case& c, bool backward) {
  std::vector<std::int64_t> extents = c.extents;
  const auto points = x.size() / static_cast<std::size_t>(c.batch);
  for (std::int64_t b = 0; b < c.batch; ++b) {
    const auto one = std::span(x).subspan(b * points, points);
    backward ? reference::backward(one, extents) : reference::forward(one, extents);
  }
  return x;
}

std::string name(const Case& c) {
  std::string text = std::to_string(c.batch) + " of";
  for (const auto n : c.extents) text += " " + std::to_string(n);
  return text;
}

TYPED_TEST(FftPlan, ComplexArraysAndBatches) {
  using T = TypeParam;
  for (const Case& c : cases)
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      const Shape shape{c.extents, c.batch};
      const auto x = random_complex<T>(Plan<T>(shape).points());
      const auto expected = transformed(extended(x), c, direction == Direction::backward);
      for (const int threads : {1, 3}) {
        Plan<T> plan(shape, {.threads = threads});
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
  for (const Case& c : cases) {
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
  for (const Case& c : {Case{{1 << 16}, 1}, Case{{50000}, 7}, Case{{65537}, 1}, Case{{24, 30, 64}, 1}}) {
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

TYPED_TEST(FftPlan, ScalesAsItIsAsked) {
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
