#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "speedwell/apps/new_application/cuda.hpp"
#include "speedwell/apps/new_application/ladder.hpp"
#include "speedwell/apps/new_application/problem.hpp"
#include "speedwell/apps/new_application/verify.hpp"

namespace speedwell::new_application {
namespace {

template <class T>
class AxpyOnGpu : public testing::Test {};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(AxpyOnGpu, Types);

// Every step of the ladder is tested. Elements after the last one must stay unchanged.
TYPED_TEST(AxpyOnGpu, AgreesWithTheReference) {
  using T = TypeParam;
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const T a = static_cast<T>(2.5), guard = -77;
  const core::Stream stream;
  for (const Step& step : steps)
    for (const std::size_t n : {0, 1, 31, 256, 1025, 300007}) {
      const auto count = static_cast<std::int64_t>(n);
      std::vector<T> x(n), y(n), z(n + 16, guard);
      fill<T>({.n = count}, x, y);
      core::DeviceBuffer<T> device_x(n), device_y(n), device_z(z.size());
      core::copy_async(device_x.data(), x.data(), n, stream);
      core::copy_async(device_y.data(), y.data(), n, stream);
      core::copy_async(device_z.data(), z.data(), z.size(), stream);
      const Operands<T> operands{a, device_x.data(), device_y.data(), device_z.data(), count};
      launch_of<T>(step.name)(operands, stream);
      core::copy_async(z.data(), device_z.data(), z.size(), stream);
      stream.synchronize();
      EXPECT_EQ(std::vector<T>(z.begin() + static_cast<std::ptrdiff_t>(n), z.end()), std::vector<T>(16, guard));
      z.resize(n);
      const core::Verdict verdict = verify<T>(a, x, y, reference<T>(a, x, y), z);
      EXPECT_TRUE(verdict.passed) << step.name << ", " << n << " elements: " << verdict.error;
    }
}

TEST(AxpyLadder, AnUnknownStepIsRefused) { EXPECT_THROW(launch_of<double>("cuda-unknown"), std::logic_error); }

}  // namespace
}  // namespace speedwell::new_application
