// The kernels of every instruction set that this processor has: lines in rows and in columns, whole vectors of them and
// parts, both directions, each length that has a butterfly, products of these and convolutions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "speedwell/core/host_buffer.hpp"
#include "speedwell/numerics/fft/cpu/long_real.hpp"
#include "tests/numerics/fft/support.hpp"
#include "tests/support/precisions.hpp"

namespace speedwell::fft {
namespace {

SPEEDWELL_EACH_PRECISION(FftKernels);

/// `count` lines of n points, point i of line l at l * lane + i * element complex numbers, times weights or not.
template <class T>
void expect_lines(core::Isa isa, std::int64_t n, int count, bool columns, bool backward, bool weighted) {
  const LineKernels<T> kernels = line_kernels<T>(isa);
  const LinePlan<T> plan(n);
  const std::int64_t element = columns ? count + 3 : 1, lane = columns ? 1 : n + 5;
  const auto x = random_complex<T>((n + 5) * (count + 3));
  std::vector<std::complex<T>> y(x.size());
  const std::vector<T> weights = weighted ? random_real<T>(n, 7) : std::vector<T>(n, 1);
  const std::int64_t buffer = 2 * plan.tables().buffer_points() * kernels.lanes;
  std::vector<T> buffers(2 * buffer);
  Lines<T> lines{.in = reinterpret_cast<const T*>(x.data()),
                 .in_element = 2 * element,
                 .in_lane = 2 * lane,
                 .out = reinterpret_cast<T*>(y.data()),
                 .out_element = 2 * element,
                 .out_lane = 2 * lane,
                 .count = count,
                 .backward = backward,
                 .scale = 2,
                 .weights = weighted ? weights.data() : nullptr};
  lines.buffer[0] = buffers.data();
  lines.buffer[1] = buffers.data() + buffer;
  kernels.complex(plan.tables(), lines);
  for (int l = 0; l < count; ++l) {
    std::vector<reference::Complex> line;
    std::vector<std::complex<T>> got;
    for (std::int64_t i = 0; i < n; ++i) {
      line.push_back(2.0L * weights[i] * reference::Complex(x[l * lane + i * element]));
      got.push_back(y[l * lane + i * element]);
    }
    EXPECT_LE(l2(backward ? reference::backward(line) : reference::forward(line), got), 2 * tolerance<T>(n))
        << to_string(isa) << ", line " << l << " of " << count << " with " << n << (columns ? ", columns" : ", rows")
        << (weighted ? ", weighted" : "");
  }
}

TYPED_TEST(FftKernels, AgreeWithTheOracleForEveryInstructionSet) {
  for (const core::Isa isa : {core::Isa::baseline, core::Isa::avx2, core::Isa::avx512}) {
    if (!core::is_available(isa)) continue;
    const int lanes = line_kernels<TypeParam>(isa).lanes;
    for (const std::int64_t n : {1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 17, 64, 91, 110, 128, 240, 512, 1009})
      for (const int count : {1, lanes - 1, lanes})
        for (const bool columns : {false, true})
          for (const bool backward : {false, true})
            for (const bool weighted : {false, true})
              expect_lines<TypeParam>(isa, n, count, columns, backward, weighted);
  }
}

// Columns that begin where they may be stored past the caches: whole vectors of lines, and a part, which are not.
TYPED_TEST(FftKernels, StreamTheBitsThatTheyStore) {
  using T = TypeParam;
  for (const core::Isa isa : {core::Isa::baseline, core::Isa::avx2, core::Isa::avx512}) {
    if (!core::is_available(isa)) continue;
    const LineKernels<T> kernels = line_kernels<T>(isa);
    for (const std::int64_t n : {1, 2, 12, 17, 64, 240})
      for (const int count : {kernels.lanes - 1, kernels.lanes})
        for (const bool backward : {false, true}) {
          const LinePlan<T> plan(n);
          const std::int64_t element = 2 * 16;  // reals: a multiple of the alignment in f32 and f64
          const auto x = random_complex<T>(n * element / 2);
          core::HostBuffer<T> stored(n * element), streamed(n * element),
              buffers(4 * plan.tables().buffer_points() * kernels.lanes);
          std::fill(stored.begin(), stored.end(), T{7});
          std::fill(streamed.begin(), streamed.end(), T{7});
          Lines<T> lines{.in = reinterpret_cast<const T*>(x.data()),
                         .in_element = element,
                         .out = stored.data(),
                         .out_element = element,
                         .count = count,
                         .backward = backward};
          lines.buffer[0] = buffers.data();
          lines.buffer[1] = buffers.data() + buffers.size() / 2;
          kernels.complex(plan.tables(), lines);
          lines.out = streamed.data();
          lines.streamed = true;
          kernels.complex(plan.tables(), lines);
          EXPECT_EQ(std::memcmp(stored.data(), streamed.data(), stored.bytes()), 0)
              << to_string(isa) << ", " << count << " lines of " << n;
        }
  }
}

// Long lines depend on the number of lanes beyond the kernels: cuts, factors for every lane, unpacking.
TYPED_TEST(FftKernels, MakeLongLinesForEveryInstructionSet) {
  using T = TypeParam;
  for (const core::Isa isa : {core::Isa::baseline, core::Isa::avx2, core::Isa::avx512}) {
    if (!core::is_available(isa)) continue;
    for (const std::int64_t n : {64, 65, 77, 130, 1000, 1024, 2187, 2018, 4099}) {
      Team<T> team(2, isa);
      const LongLine<T> line(n, team);
      const LongReal<T> real(n, team);
      team.allocate();
      std::vector<T> work(2 * std::max(line.work_points(), real.work_points()));
      const auto x = random_complex<T>(n);
      std::vector<std::complex<T>> got(n);
      const T* const in = reinterpret_cast<const T*>(x.data());
      T* const out = reinterpret_cast<T*>(got.data());
      line.execute(team, in, out, work.data(), true, 1, whole_team);
      EXPECT_LE(l2(reference::backward(extended(x)), got), tolerance<T>(n)) << to_string(isa) << ", " << n;
      real.execute(team, in, out, work.data(), false, 1, whole_team);
      auto expected = reference::forward(extended(std::vector<T>(in, in + n)));
      expected.resize(n / 2 + 1), got.resize(n / 2 + 1);
      EXPECT_LE(l2(expected, got), tolerance<T>(n)) << to_string(isa) << ", real, " << n;
    }
  }
}

TEST(FftPlanning, ConvolutionsAreOfSmoothLengths) {
  EXPECT_EQ(convolution_length(1), 1);
  EXPECT_EQ(convolution_length(33), 36);
  EXPECT_EQ(convolution_length(1021), 1024);
  EXPECT_EQ(convolution_length(1025), 1080);
  for (std::int64_t n = 1; n < 3000; n += 7) {
    EXPECT_GE(convolution_length(n), n);
    EXPECT_TRUE(is_smooth(convolution_length(n))) << n;
  }
  EXPECT_TRUE(is_smooth(13 * 11 * 7 * 5 * 3 * 2));
  EXPECT_FALSE(is_smooth(17 * 64));
}

}  // namespace
}  // namespace speedwell::fft
