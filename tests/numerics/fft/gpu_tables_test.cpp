// Host computations of the GPU's plans: methods, tables, and lines of smooth lengths butterfly by butterfly.
#include <gtest/gtest.h>

#include <numeric>

#include "speedwell/numerics/fft/cpu/line_plan.hpp"
#include "speedwell/numerics/fft/gpu/device/line.hpp"
#include "speedwell/numerics/fft/gpu/method.hpp"
#include "speedwell/numerics/fft/gpu/tables.hpp"
#include "tests/numerics/fft/plan_cases.hpp"

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

/// Lines side by side in shared memory, pass after pass, items of all threads one after the other.
template <class T>
void expect_smooth(std::int64_t n, int lines, bool rows) {
  const SmoothLine line = smooth_line(n);
  ASSERT_LE(line.passes, SmoothLine::max_passes) << n;
  const auto values = smooth_table<T>(line);
  std::vector<Complex<T>> table, from(lines * line.pitch());
  for (const auto z : values) table.push_back({z.real(), z.imag()});
  table.push_back({});  // so that there is a place to point to
  const auto x = random_complex<T>(n * lines, n);
  for (int l = 0; l < lines; ++l)
    for (int i = 0; i < n; ++i) from[l * line.pitch() + i] = {x[l * n + i].real(), x[l * n + i].imag()};
  const Divisor of_lines(lines);
  for (int p = 0; p < line.passes; ++p) {
    const SmoothPass& pass = line.pass[p];
    ASSERT_LE(pass.table + (p > 0 ? (pass.radix - 1) * pass.s.divisor : 0), static_cast<int>(values.size()));
    const T nan = std::numeric_limits<T>::quiet_NaN();
    std::vector<Complex<T>> to(from.size(), {nan, nan});
    with_radix<max_radix>(pass.radix, [&]<int R>() {
      for (int item = 0; item < lines * pass.butterflies.divisor; ++item) {
        const auto [l, t] = smooth_item(pass, of_lines, rows, item);
        Complex<T> y[R];
        for (int j = 0; j < R; ++j) y[j] = from.at(l * line.pitch() + pass.from(t, j));
        const int q = pass.q(t);
        smooth_butterfly(y, pass.s.divisor, q, table.data() + pass.table);
        for (int k = 0; k < R; ++k) to.at(l * line.pitch() + pass.to(t, q, k)) = y[k];
      }
    });
    from = to;
  }
  for (const int l : {0, lines - 1}) {
    const std::vector<std::complex<T>> in(x.begin() + l * n, x.begin() + (l + 1) * n);
    std::vector<std::complex<T>> got;
    for (int i = 0; i < n; ++i) got.emplace_back(from[l * line.pitch() + i].re, from[l * line.pitch() + i].im);
    EXPECT_LE(l2(reference::forward(extended(in)), got), bound<T>(n)) << n << ", line " << l;
  }
}

TEST(FftGpuSmooth, TransformsLikeTheOracle) {
  for (const std::int64_t n : lengths())
    if (n > 1 && n <= 8192 && is_smooth(n)) {
      expect_smooth<double>(n, 1, true);
      expect_smooth<double>(n, 5, true);
      expect_smooth<float>(n, 8, false);
    }
}

TEST(FftGpuSmooth, TakesFewRadicesThatRegistersHold) {
  const auto radices = [](std::int64_t n) {
    const SmoothLine line = smooth_line(n);
    std::vector<int> all;
    for (int p = 0; p < line.passes; ++p) all.push_back(line.pass[p].radix);
    return all;
  };
  EXPECT_EQ(radices(1000), (std::vector{10, 10, 10}));
  EXPECT_EQ(radices(360), (std::vector{5, 9, 8}));
  EXPECT_EQ(radices(243), (std::vector{3, 9, 9}));
  EXPECT_EQ(radices(12), (std::vector{3, 4}));
  EXPECT_EQ(radices(143), (std::vector{11, 13}));
}

TEST(FftGpuSmooth, DividesWithoutDividing) {
  for (int d = 1; d < 9000; d += 1 + d / 20)
    for (int x = 0; x < 65536; x += 1 + x / 100)
      for (const int y : {x, x - x % d, x - x % d + d - 1})
        ASSERT_EQ(Divisor(d).quotient(y), y / d) << y << " by " << d;
}

template <int R>
void expect_butterfly() {
  const auto x = random_complex<double>(R, R);
  Complex<double> y[R];
  for (int j = 0; j < R; ++j) y[j] = {x[j].real(), x[j].imag()};
  Butterfly<R>::apply(y);
  std::vector<std::complex<double>> got;
  for (const auto z : y) got.emplace_back(z.re, z.im);
  EXPECT_LE(l2(reference::forward(extended(x)), got), 1e-15) << R;  // some roundings
}

TEST(FftGpuButterfly, TransformsLikeTheOracle) {
  expect_butterfly<2>(), expect_butterfly<3>(), expect_butterfly<4>(), expect_butterfly<5>(), expect_butterfly<6>();
  expect_butterfly<7>(), expect_butterfly<8>(), expect_butterfly<9>(), expect_butterfly<10>(), expect_butterfly<11>();
  expect_butterfly<13>(), expect_butterfly<16>();
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
  EXPECT_NEAR(gpu_bytes(Kind::complex, {{256, 256, 256}}, "cuda", 8), 3 * 0x1p28, 1e8);  // two passes
  EXPECT_NEAR(gpu_bytes(Kind::complex, {{256, 256, 256}}, "cuda-passes", 8), 2 * 0x1p28, 1e8);
  EXPECT_NEAR(gpu_bytes(Kind::complex, {{1 << 26}}, "cuda", 8), 3 * 0x1p30, 1e8);  // two steps
  EXPECT_NEAR(gpu_bytes(Kind::real, {{1 << 26}}, "cuda", 4), 2 * 0x1p28 + 0x1p28, 1e8);
}

}  // namespace
}  // namespace speedwell::fft::gpu
