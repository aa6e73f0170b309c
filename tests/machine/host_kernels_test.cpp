// The loops of every instruction set that this processor has, against loops written out here.
#include "speedwell/machine/host/host_kernels.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/simd/isa.hpp"

namespace speedwell::machine {
namespace {

const HostKernels& kernels_of(const std::string& isa) {
#if defined(SPEEDWELL_WITH_avx2)
  if (isa == "avx2") return avx2::host_kernels;
#endif
#if defined(SPEEDWELL_WITH_avx512)
  if (isa == "avx512") return avx512::host_kernels;
#endif
  return baseline::host_kernels;
}

// By name, so that the names of the tests do not depend on addresses.
std::vector<std::string> usable() {
  std::vector<std::string> names{"baseline"};
  for (const core::Isa isa : {core::Isa::avx2, core::Isa::avx512})
    if (core::is_available(isa)) names.emplace_back(core::to_string(isa));
  return names;
}

// Lengths of one, two and seven grains, with guards of one grain on both sides of each array.
class HostKernelsOfEachIsa : public testing::TestWithParam<std::string> {
 protected:
  void each_length(const std::function<void(std::int64_t n, double* a, double* b, double* c)>& visit) {
    for (const std::int64_t n : {host_kernel_grain, 2 * host_kernel_grain, 7 * host_kernel_grain}) {
      const std::int64_t stride = n + 2 * host_kernel_grain;
      core::HostBuffer<double> block(static_cast<std::size_t>(3 * stride));
      for (std::size_t i = 0; i < block.size(); ++i) block[i] = guard;
      double* first = block.data() + host_kernel_grain;
      double *a = first, *b = first + stride, *c = first + 2 * stride;
      for (std::int64_t i = 0; i < n; ++i)
        b[i] = static_cast<double>(i % 97 + 1), c[i] = static_cast<double>(i % 89 - 40);
      visit(n, a, b, c);
      for (const double* array : {a, b, c})
        for (std::int64_t g = 1; g <= host_kernel_grain; ++g) {
          ASSERT_EQ(array[-g], guard);
          ASSERT_EQ(array[n - 1 + g], guard);
        }
    }
  }
  static constexpr double guard = -12345;
  const HostKernels& k = kernels_of(GetParam());
};

TEST_P(HostKernelsOfEachIsa, AreThoseOfTheirName) { EXPECT_EQ(k.isa, GetParam()); }

TEST_P(HostKernelsOfEachIsa, ReadAddsEveryElementOnce) {
  each_length([&](std::int64_t n, double*, double* b, double*) {
    double sum = 0;  // of whole numbers: exact in any order
    for (std::int64_t i = 0; i < n; ++i) sum += b[i];
    EXPECT_EQ(k.read(b, n), sum);
    EXPECT_EQ(k.read_streams(b, n), sum);
  });
}

TEST_P(HostKernelsOfEachIsa, WriteCopyAndTriadWriteEveryElementAndNoOther) {
  for (const auto write : {k.write, k.write_streaming})
    if (write)
      each_length([&](std::int64_t n, double* a, double*, double*) {
        write(a, n, 2.5);
        for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(a[i], 2.5);
      });
  for (const auto copy : {k.copy, k.copy_streaming})
    if (copy)
      each_length([&](std::int64_t n, double* a, double* b, double*) {
        copy(a, b, n);
        for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(a[i], static_cast<double>(i % 97 + 1));
      });
  for (const auto triad : {k.triad, k.triad_streaming})
    if (triad)
      each_length([&](std::int64_t n, double* a, double* b, double* c) {
        triad(a, b, c, 3, n);
        for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(a[i], static_cast<double>(i % 97 + 1 + 3 * (i % 89 - 40)));
      });
}

TEST_P(HostKernelsOfEachIsa, ArithmeticDoesEveryIterationInEveryLane) {
  struct alignas(64) Lanes {
    double f64[max_lanes];
    float f32[max_lanes];
    std::uint32_t u32[max_lanes];
  } v{};
  ASSERT_LE(k.lanes_f32, max_lanes);
  for (int i = 0; i < max_lanes; ++i)
    v.f64[i] = i, v.f32[i] = static_cast<float>(i), v.u32[i] = static_cast<std::uint32_t>(i) * 77u;
  constexpr int iterations = 3;
  // Whole numbers small enough to be exact, fused or not: ((i x + y) x + y) x + y.
  k.fma_f64(v.f64, 2, 5, iterations);
  k.fma_f32(v.f32, 2, 5, iterations);
  k.integer(v.u32, 11, 0xf0f0f0f0u, iterations);
  for (int i = 0; i < max_lanes; ++i) {
    EXPECT_EQ(v.f64[i], i < k.lanes_f64 ? 8.0 * i + 35 : i);
    EXPECT_EQ(v.f32[i], i < k.lanes_f32 ? 8.0f * static_cast<float>(i) + 35 : static_cast<float>(i));
    std::uint32_t expected = static_cast<std::uint32_t>(i) * 77u;
    for (int r = 0; i < k.lanes_integer && r < iterations; ++r) expected = (expected + 11) ^ 0xf0f0f0f0u;
    EXPECT_EQ(v.u32[i], expected);
  }
}

INSTANTIATE_TEST_SUITE_P(All, HostKernelsOfEachIsa, testing::ValuesIn(usable()),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace speedwell::machine
