// The loops of every instruction set that this processor supports, at every alignment, with and without streaming
// stores.
#include "speedwell/apps/stream/host_kernels.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "speedwell/apps/stream/verify.hpp"
#include "speedwell/core/simd/isa.hpp"

namespace speedwell::stream {
namespace {

template <class T>
std::vector<HostKernels<T>> tables_here() {
  const auto of = [](const HostKernels<double>& f64, const HostKernels<float>& f32) {
    if constexpr (sizeof(T) == 8)
      return f64;
    else
      return f32;
  };
  std::vector<HostKernels<T>> tables{of(baseline::kernels_f64, baseline::kernels_f32)};
#if defined(SPEEDWELL_WITH_avx2)
  if (core::is_available(core::Isa::avx2)) tables.push_back(of(avx2::kernels_f64, avx2::kernels_f32));
#endif
#if defined(SPEEDWELL_WITH_avx512)
  if (core::is_available(core::Isa::avx512)) tables.push_back(of(avx512::kernels_f64, avx512::kernels_f32));
#endif
  return tables;
}

template <class T>
class HostKernelsOf : public ::testing::Test {};
using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(HostKernelsOf, Types);

TYPED_TEST(HostKernelsOf, AreRightAtEveryAlignmentAndTouchNothingElse) {
  using T = TypeParam;
  constexpr std::size_t room = 32;
  constexpr T guard = static_cast<T>(-77);
  for (const HostKernels<T>& table : tables_here<T>())
    for (const std::size_t n : {0, 1, 2, 3, 7, 31, 64, 1003})
      for (const std::size_t offset : {0, 1, 3, 8, 15}) {
        const Problem sizes{.kernel = Kernel::triad, .n = static_cast<std::int64_t>(n), .f32 = sizeof(T) == 4};
        const Inputs<T> inputs = make_inputs<T>(sizes);
        std::vector<T> x(n + 2 * room, guard), y(n + 2 * room, guard);
        std::copy(inputs.x.begin(), inputs.x.end(), x.begin() + static_cast<std::ptrdiff_t>(offset + 1));
        std::copy(inputs.y.begin(), inputs.y.end(), y.begin() + static_cast<std::ptrdiff_t>(offset));
        for (const bool streaming : {false, true})
          for (const auto& [kernel, loop] :
               {std::pair{Kernel::copy, table.copy}, std::pair{Kernel::scale, table.scale},
                std::pair{Kernel::add, table.add}, std::pair{Kernel::triad, table.triad}}) {
            std::vector<T> out(n + 2 * room, guard);
            loop(static_cast<T>(stream_scalar), x.data() + offset + 1, y.data() + offset, out.data() + offset, n,
                 streaming);
            Problem problem = sizes;
            problem.kernel = kernel;
            const core::Verdict verdict = verify<T>(problem, {.out = std::span<const T>(out).subspan(offset, n)});
            ASSERT_TRUE(verdict.passed) << "n " << n << " offset " << offset << " streaming " << streaming;
            for (std::size_t i = 0; i < out.size(); ++i) {
              if (i < offset || i >= offset + n) {
                ASSERT_EQ(out[i], guard) << i;
              }
            }
          }
        Problem problem = sizes;
        problem.kernel = Kernel::dot;
        ASSERT_TRUE(verify<T>(problem, {.sum = table.dot(x.data() + offset + 1, y.data() + offset, n)}).passed) << n;
      }
}

// Determinism of triad: the rounding must not depend on the boundaries of threads.
TYPED_TEST(HostKernelsOf, RoundAlikeWhereverTheyAreCut) {
  using T = TypeParam;
  const std::size_t n = 1003;
  const Inputs<T> inputs =
      make_inputs<T>({.kernel = Kernel::triad, .n = static_cast<std::int64_t>(n), .f32 = sizeof(T) == 4});
  for (const HostKernels<T>& table : tables_here<T>()) {
    std::vector<T> whole(n), cut(n);
    const T s = static_cast<T>(0.1);
    table.triad(s, inputs.x.data(), inputs.y.data(), whole.data(), n, false);
    for (std::size_t begin = 0; begin < n; begin += 59) {
      const std::size_t count = std::min<std::size_t>(59, n - begin);
      table.triad(s, inputs.x.data() + begin, inputs.y.data() + begin, cut.data() + begin, count, true);
    }
    EXPECT_EQ(whole, cut);
  }
}

}  // namespace
}  // namespace speedwell::stream
