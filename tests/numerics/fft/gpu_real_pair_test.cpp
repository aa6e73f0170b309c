// Bins of real rows from bins of their pairs, and back, against the oracle.
#include <gtest/gtest.h>

#include "speedwell/numerics/fft/gpu/device/real_pair.hpp"
#include "tests/numerics/fft/plan_cases.hpp"

namespace speedwell::fft::gpu {
namespace {

using Long = reference::Complex;
Complex<double> rounded(Long z) { return {static_cast<double>(z.real()), static_cast<double>(z.imag())}; }
Long widened(Complex<double> z) { return {z.re, z.im}; }

TEST(FftGpuRealPair, UnpacksAndPacks) {
  for (const std::int64_t n : {2, 4, 6, 8, 10, 100, 128}) {
    const std::int64_t h = n / 2;
    const auto x = random_real<double>(n);
    std::vector<Long> pairs;
    for (std::int64_t j = 0; j < h; ++j) pairs.emplace_back(x[2 * j], x[2 * j + 1]);
    const auto bins = reference::forward(extended(x)), z = reference::forward(pairs);
    for (std::int64_t k = 0; k <= h / 2; ++k) {
      const Complex<double> root = rounded(reference::root(k, n));
      const auto up = unpacked(rounded(z[k]), rounded(z[(h - k) % h]), root);
      const double allowed = 1e-14 * std::sqrt(static_cast<double>(n));  // some roundings of numbers of this size
      EXPECT_LE(std::abs(widened(up.low) - bins[k]), allowed) << k << " of " << n;
      EXPECT_LE(std::abs(widened(up.high) - bins[h - k]), allowed) << h - k << " of " << n;
      const auto back = packed(rounded(bins[k]), rounded(bins[h - k]), root);
      EXPECT_LE(std::abs(widened(back.low) - 2.0L * z[k]), allowed) << k << " of " << n;
      EXPECT_LE(k == 0 ? 0 : std::abs(widened(back.high) - 2.0L * z[h - k]), allowed) << h - k << " of " << n;
    }
  }
}

}  // namespace
}  // namespace speedwell::fft::gpu
