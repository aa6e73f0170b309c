// What the GPU's plans compute on the host: methods, tables, and lines of smooth lengths butterfly by butterfly.
#include <gtest/gtest.h>

#include <numeric>

#include "speedwell/apps/fft/gpu/line.hpp"
#include "speedwell/apps/fft/gpu/method.hpp"
#include "speedwell/apps/fft/gpu/tables.hpp"
#include "speedwell/apps/fft/line_plan.hpp"
#include "tests/apps/fft/plan_cases.hpp"

namespace speedwell::fft::gpu {
namespace {

TEST(FftGpuMethod, TakesFactorsThatABlockHolds) {
  using Kind = LineMethod::Kind;
  std::vector<std::int64_t> many = lengths();
  for (std::int64_t n = 1 << 13; n <= std::int64_t{1} << 33; n *= 2) many.insert(many.end(), {n, n + 1, n / 8 * 9});
  for (const std::int64_t n : many)
    for (const std::size_t real_bytes : {4, 8}) {
      const bool is_power = (n & (n - 1)) == 0;
      const std::int64_t most = real_bytes == 8 ? 4096 : is_power ? 16384 : 8192;
      const LineMethod method = line_method(n, real_bytes);
      EXPECT_EQ(method.kind == Kind::convolution, !is_smooth(n)) << n;
      EXPECT_EQ(method.kind == Kind::steps, is_smooth(n) && n > most) << n;
      if (method.kind == Kind::steps) {
        EXPECT_EQ(std::accumulate(method.factors.begin(), method.factors.end(), std::int64_t{1}, std::multiplies<>()),
                  n);
        EXPECT_LE(*std::max_element(method.factors.begin(), method.factors.end()), most) << n;
        EXPECT_GE(*std::min_element(method.factors.begin(), method.factors.end()), 2) << n;
        EXPECT_LE(method.factors.size(), 3u) << n;
      }
      EXPECT_GE(method.kind == Kind::convolution ? method.longer : 2 * n, 2 * n - 1) << n;
    }
}

template <class T>
void expect_smooth(std::int64_t n) {
  const SmoothRadices radices = smooth_radices(n);
  const auto values = smooth_table<T>(radices);
  std::vector<Complex<T>> table, from, to(n);
  for (const auto z : values) table.push_back({z.real(), z.imag()});
  table.push_back({});  // so that there is a place to point to
  const auto x = random_complex<T>(n, n);
  for (const auto z : x) from.push_back({z.real(), z.imag()});
  for (int p = 0, s = 1; p < radices.passes; s *= radices.radix[p++]) {
    ASSERT_LE(radices.table[p] + (s > 1 ? (radices.radix[p] - 1) * s : 0), static_cast<int>(values.size()));
    for (int t = 0; t < n / radices.radix[p]; ++t)
      smooth_butterfly(radices.radix[p], from.data(), to.data(), 1, radices.n, s, t, table.data() + radices.table[p]);
    std::swap(from, to);
  }
  std::vector<std::complex<T>> got;
  for (const auto z : from) got.emplace_back(z.re, z.im);
  EXPECT_LE(l2(reference::forward(extended(x)), got), bound<T>(n)) << n;
}

TEST(FftGpuSmooth, TransformsLikeTheOracle) {
  for (const std::int64_t n : lengths())
    if (n > 1 && n <= 8192 && is_smooth(n)) {
      expect_smooth<double>(n);
      expect_smooth<float>(n);
    }
}

TEST(FftGpuRoots, AreProductsOfTwoTables) {
  for (const std::int64_t n : {1, 2, 3, 1000, 4096, 65537, 1 << 20}) {
    const auto tables = root_tables<double>(n);
    for (std::int64_t j = 0; j < n; j += 1 + n / 3000) {
      const auto got =
          tables.high.at(j >> tables.log_low) * tables.low.at(j & ((std::int64_t{1} << tables.log_low) - 1));
      // Two values that are rounded, and a product of rounded products.
      EXPECT_LE(std::abs(reference::Complex(got) - reference::root(j, n)), 4 * 0x1p-53L) << j << " of " << n;
    }
  }
}

// The table is the spectrum of what a convolution multiplies with.
TEST(FftGpuConvolution, HasTheSpectrumOfItsChirp) {
  for (const auto& [n, longer] : {std::pair{17, 64}, {1009, 2048}}) {
    const auto c = chirp_table<double>(n);
    std::vector<reference::Complex> x(longer);
    for (std::int64_t j = 0; j < n; ++j)
      for (const std::int64_t at : {j, (longer - j) % longer})
        x[at] = std::conj(reference::Complex(c[j])) / static_cast<long double>(longer);
    EXPECT_LE(l2(reference::forward(x), convolution_table<double>(n, longer)), bound<double>(longer));
  }
}

TEST(FftGpuBytes, CountArraysAndWorkSpace) {
  EXPECT_NEAR(gpu_bytes(Kind::complex, {{512, 512, 512}}, "cuda", 8), 2 * 0x1p31, 1e8);
  EXPECT_NEAR(gpu_bytes(Kind::complex, {{512, 512, 512}}, "cuda-transposed", 8), 3 * 0x1p31, 1e8);
  EXPECT_NEAR(gpu_bytes(Kind::complex, {{1 << 26}}, "cuda", 8), 3 * 0x1p30, 1e8);  // two steps
  EXPECT_NEAR(gpu_bytes(Kind::real, {{1 << 26}}, "cuda", 4), 2 * 0x1p28 + 0x1p28, 1e8);
}

}  // namespace
}  // namespace speedwell::fft::gpu
