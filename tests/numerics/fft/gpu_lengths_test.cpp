// Lines of some 500 lengths on a GPU, complex and real, both directions, in both precisions, against the oracle; long
// ones against the CPU's plan, which tests hold against the oracle.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/numerics/fft/gpu_support.hpp"

namespace speedwell::fft {
namespace {

using reference::Complex;

template <class T>
std::vector<T> real_parts(const std::vector<std::complex<float>>& x) {
  std::vector<T> parts;
  for (const auto z : x) parts.push_back(z.real());
  return parts;
}

/// Transforms of x, and of the same backward.
template <class T>
void expect_complex(const std::vector<std::complex<float>>& x, std::vector<Complex> expected,
                    const core::Stream& stream) {
  const auto n = static_cast<std::int64_t>(x.size());
  GpuPlan<T> plan(Shape{{n}});
  const std::vector<std::complex<T>> in(x.begin(), x.end());
  EXPECT_LE(l2(expected, on_gpu(plan, Direction::forward, in, stream)), bound<T>(n)) << n;
  std::reverse(expected.begin() + 1, expected.end());  // e^{+i a k} is e^{-i a (n - k)}
  EXPECT_LE(l2(expected, on_gpu(plan, Direction::backward, in, stream)), bound<T>(n)) << "backward, " << n;
  const auto in_place = on_gpu_in_place(plan, Direction::backward, in, stream);
  EXPECT_LE(l2(expected, in_place), bound<T>(n)) << "backward in place, " << n;
}

/// Transforms of the real parts of x, and back.
template <class T>
void expect_real(const std::vector<std::complex<float>>& x, const std::vector<Complex>& whole,
                 const core::Stream& stream) {
  const auto n = static_cast<std::int64_t>(x.size());
  std::vector<Complex> expected;
  for (std::int64_t k = 0; k <= n / 2; ++k) expected.push_back((whole[k] + std::conj(whole[(n - k) % n])) / 2.0L);
  GpuRealPlan<T> plan(Shape{{n}});
  const std::vector<T> reals = real_parts<T>(x);
  const auto in = upload(reals, stream);
  auto out = poisoned<std::complex<T>>(plan.spectrum_points(), stream);
  plan.forward(in.span(), out.span(), stream);
  const auto spectrum = download(out, stream);
  EXPECT_LE(l2(expected, spectrum), bound<T>(n)) << "real, " << n;
  auto back = poisoned<T>(n, stream);
  plan.backward(out.span(), back.span(), stream);
  const auto got = download(back, stream);
  EXPECT_EQ(std::memcmp(download(out, stream).data(), spectrum.data(), spectrum.size() * sizeof spectrum[0]), 0) << n;
  std::vector<Complex> scaled;
  for (const T v : reals) scaled.push_back(static_cast<long double>(v) * static_cast<long double>(n));
  // The spectrum was rounded, too.
  EXPECT_LE(l2(scaled, std::vector<std::complex<T>>(got.begin(), got.end())), 2 * bound<T>(n))
      << "real backward, " << n;
  plan.backward(out.span(), stream);
  const auto padded = download(out, stream);
  EXPECT_EQ(std::memcmp(padded.data(), got.data(), got.size() * sizeof(T)), 0) << "real backward in place, " << n;
}

TEST(FftGpuLengths, AgreeWithTheOracle) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const core::Stream stream;
  for (const std::int64_t n : lengths()) {
    const auto x = random_complex<float>(n, n);
    const auto expected = reference::forward(extended(x));
    expect_complex<double>(x, expected, stream);
    expect_complex<float>(x, expected, stream);
    expect_real<double>(x, expected, stream);
    expect_real<float>(x, expected, stream);
  }
}

TEST(FftGpuLengths, LongLinesAgreeWithTheCpu) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const core::Stream stream;
  for (const std::int64_t n : {1 << 20, 1000000, 1000003, 1 << 22, 5 << 20, 1 << 23, 1 << 24, 1 << 25}) {
    const auto x = random_complex<float>(n, n);
    std::vector<std::complex<double>> expected(x.begin(), x.end());
    Plan<double>(Shape{{n}}).forward(expected);
    const auto whole = extended(expected);
    expect_complex<double>(x, whole, stream);
    expect_complex<float>(x, whole, stream);
    if (n < 1 << 22) {
      expect_real<double>(x, whole, stream);
      expect_real<float>(x, whole, stream);
    }
  }
}

// More lines than the work space has capacity for: rows in steps, columns in steps, and convolutions.
TEST(FftGpuLengths, ManyLongLinesAgreeWithTheCpu) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const core::Stream stream;
  for (const Shape& shape : {Shape{{16384}, 2100}, Shape{{20000, 1700}}, Shape{{10007}, 1100}}) {
    GpuPlan<double> plan(shape);
    const auto x = random_complex<double>(plan.points());
    std::vector<std::complex<double>> expected(x.size());
    Plan<double>(shape).forward(x, expected);
    const auto got = on_gpu(plan, Direction::forward, x, stream);
    double distance = 0, norm = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      distance += std::norm(got[i] - expected[i]), norm += std::norm(expected[i]);
    // Both have an error.
    EXPECT_LE(std::sqrt(distance / norm), 2 * bound<double>(plan.points() / shape.batch)) << name(shape);
  }
}

}  // namespace
}  // namespace speedwell::fft
