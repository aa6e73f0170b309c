// The GPU's blocks without a GPU: all threads of one phase after the other, against the oracle; and how often threads
// of a warp meet in a bank of shared memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>

#include "speedwell/numerics/fft/gpu/device/block.hpp"
#include "speedwell/numerics/fft/gpu/device/plane_store_threads.hpp"
#include "speedwell/numerics/fft/gpu/tables.hpp"
#include "tests/numerics/fft/plan_cases.hpp"

namespace speedwell::fft::gpu {
namespace {

template <class T, int log_n, Lines kind, int threads = default_threads<T, log_n, kind>>
std::vector<std::complex<T>> transformed(const std::vector<std::complex<T>>& in) {
  using B = Block<T, log_n, kind, threads>;
  using L = typename B::OneLine;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const auto values = line_table<T>(log_n);
  std::vector<Complex<T>> table;
  for (const auto z : values) table.push_back({z.real(), z.imag()});
  EXPECT_EQ(static_cast<int>(table.size()), table_size(log_n));
  std::vector<std::array<Complex<T>, L::points>> registers(B::threads);
  const auto of = [&](int thread) ->
      typename B::Registers& { return *reinterpret_cast<typename B::Registers*>(registers[thread].data()); };
  for (int thread = 0; thread < B::threads; ++thread)
    for (int e = 0; e < L::points; ++e) {
      const auto [line, lane] = B::load_position(thread);
      const auto z = in[line * L::n + L::point_index(lane, e)];
      of(thread)[e] = {z.real(), z.imag()};
    }
  detail::each<L::passes>([&]<int pass>() {
    for (int thread = 0; thread < B::threads; ++thread)
      L::template butterflies<pass>(of(thread), B::position_before(pass, thread).lane, table.data());
    if constexpr (pass + 1 < L::passes) {
      std::vector<Complex<T>> shared(B::shared_points, {nan, nan});
      for (int thread = 0; thread < B::threads; ++thread)
        for (int e = 0; e < L::points; ++e) shared.at(B::template write_index<pass>(thread, e)) = of(thread)[e];
      for (int thread = 0; thread < B::threads; ++thread)
        for (int e = 0; e < L::points; ++e) of(thread)[e] = shared.at(B::template read_index<pass>(thread, e));
    }
  });
  std::vector<std::complex<T>> out(in.size(), {nan, nan});
  for (int thread = 0; thread < B::threads; ++thread)
    for (int e = 0; e < L::points; ++e) {
      const auto [line, lane] = B::store_position(thread);
      out[line * L::n + L::point_index(lane, e)] = {of(thread)[e].re, of(thread)[e].im};
    }
  return out;
}

template <class T, int log_n, Lines kind, int threads = default_threads<T, log_n, kind>>
void expect_transforms() {
  using B = Block<T, log_n, kind, threads>;
  constexpr int n = B::OneLine::n;
  const auto in = random_complex<T>(std::int64_t{B::lines} * n, log_n);
  const auto out = transformed<T, log_n, kind, threads>(in);
  for (const int line : {0, B::lines / 3, B::lines - 1}) {
    const std::vector<std::complex<T>> x(in.begin() + line * n, in.begin() + (line + 1) * n);
    const std::vector<std::complex<T>> got(out.begin() + line * n, out.begin() + (line + 1) * n);
    EXPECT_LE(l2(reference::forward(extended(x)), got), bound<T>(n)) << n << ", line " << line;
  }
}

template <class T, int log_n>
void expect_shared_bytes() {
  using B = Block<T, log_n, Lines::columns, plane_store_threads<T>(log_n)>;
  EXPECT_EQ(plane_store_shared_bytes<T>(log_n), B::shared_points * static_cast<std::int64_t>(sizeof(Complex<T>)));
}

template <class T, int... log_n>
void expect_all_transforms(std::integer_sequence<int, log_n...>) {
  (expect_transforms<T, log_n + 1, Lines::rows>(), ...);
  (expect_transforms<T, log_n + 1, Lines::columns>(), ...);
  (expect_transforms<T, log_n + 1, Lines::rows_to_columns>(), ...);
  (expect_transforms<T, log_n + 1, Lines::columns, plane_store_threads<T>(log_n + 1)>(), ...);
}

TEST(FftGpuBlock, TransformsLikeTheOracle) {
  expect_all_transforms<double>(std::make_integer_sequence<int, max_log_f64>{});
  expect_all_transforms<float>(std::make_integer_sequence<int, max_log_f32>{});
}

/// A convolution as a block does it: two transforms between three products.
template <class T, int log_longer, Lines kind>
void expect_convolves(std::int64_t n) {
  using B = Block<T, log_longer, kind>;
  constexpr int longer = B::OneLine::n;
  const auto chirp = chirp_table<T>(n), table = convolution_table<T>(n, longer);
  const auto in = random_complex<T>(B::lines * n, n);
  std::vector<std::complex<T>> x(B::lines * longer);
  for (int line = 0; line < B::lines; ++line)
    for (int i = 0; i < n; ++i) x[line * longer + i] = in[line * n + i] * chirp[i];
  x = transformed<T, log_longer, kind>(x);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::conj(x[i] * table[i % longer]);
  x = transformed<T, log_longer, kind>(x);
  for (const int line : {0, B::lines - 1}) {
    std::vector<std::complex<T>> got;
    for (int i = 0; i < n; ++i) got.push_back(std::conj(x[line * longer + i]) * chirp[i]);
    const std::vector<std::complex<T>> one(in.begin() + line * n, in.begin() + (line + 1) * n);
    EXPECT_LE(l2(reference::forward(extended(one)), got), bound<T>(n)) << n << ", line " << line;
  }
}

TEST(FftGpuBlock, ConvolvesLikeTheOracle) {
  expect_convolves<double, 6, Lines::rows>(17);
  expect_convolves<double, 8, Lines::columns>(127);
  expect_convolves<double, 12, Lines::rows>(2039);
  expect_convolves<float, 11, Lines::columns>(1009);
  expect_convolves<float, 14, Lines::rows>(8191);
}

/// The maximum number of accesses to one bank; shared memory serves 128 bytes at a time.
template <class T, class Index>
int max_bank_accesses(Index index, int threads, int points) {
  constexpr int together = 64 / sizeof(T);  // threads of one wavefront, and entries of one row of banks
  int max = 0;
  for (int e = 0; e < points; ++e)
    for (int first = 0; first < threads; first += together) {
      std::array<int, together> bank{};
      for (int thread = first; thread < first + together; ++thread)
        max = std::max(max, ++bank[index(thread, e) % together]);
    }
  return max;
}

template <class T, int log_n, Lines kind>
void expect_no_conflicts(int max = 1) {
  using B = Block<T, log_n, kind>;
  detail::each<B::OneLine::passes - 1>([&]<int pass>() {
    EXPECT_LE(max_bank_accesses<T>(B::template write_index<pass>, B::threads, B::OneLine::points), max)
        << log_n << " written " << pass;
    EXPECT_LE(max_bank_accesses<T>(B::template read_index<pass>, B::threads, B::OneLine::points), max)
        << log_n << " read " << pass;
  });
}

template <class T, int... log_n>
void expect_few_conflicts(std::integer_sequence<int, log_n...>) {
  (expect_no_conflicts<T, log_n + 7, Lines::rows>(), ...);
  (expect_no_conflicts<T, log_n + 7, Lines::columns>(), ...);
  (expect_no_conflicts<T, log_n + 8, Lines::rows_to_columns>(), ...);
}

// Where a multiprocessor has the threads; longer lines need more of them for a line than for 128 bytes.
TEST(FftGpuBlock, StoresOverALinkFill128Bytes) {
  const auto bytes = [](int threads, int log_n, int point) { return threads / threads_per_line(log_n) * point; };
  for (int log_n = 0; log_n <= max_log_f64; ++log_n) {
    EXPECT_LE(plane_store_threads<double>(log_n), resident_threads<double>);
    EXPECT_GE(bytes(plane_store_threads<double>(log_n), log_n, 16), log_n <= 10 ? 128 : log_n == 11 ? 64 : 32);
  }
  for (int log_n = 0; log_n <= max_log_f32; ++log_n)
    EXPECT_GE(bytes(plane_store_threads<float>(log_n), log_n, 8), log_n <= 10 ? 128 : 128 >> (log_n - 10));
  expect_shared_bytes<double, 9>();
  expect_shared_bytes<double, 10>();
  expect_shared_bytes<double, 12>();
  expect_shared_bytes<float, 10>();
  expect_shared_bytes<float, 14>();
}

TEST(FftGpuBlock, HasNoBankConflicts) {
  expect_few_conflicts<double>(std::make_integer_sequence<int, 5>{});
  expect_few_conflicts<float>(std::make_integer_sequence<int, 7>{});
}

}  // namespace
}  // namespace speedwell::fft::gpu
