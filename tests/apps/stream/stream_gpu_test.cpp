#include <gtest/gtest.h>

#include "speedwell/apps/stream/cuda.hpp"
#include "speedwell/apps/stream/verify.hpp"
#include "tests/apps/stream/rows.hpp"

namespace speedwell::stream {
namespace {

harness::Application application_with_cuda() {
  harness::Application a = application();
  harness::bind_variants(a, cuda_runs());
  return a;
}
const std::string gpu_rows[] = {"cuda-naive", "cuda-grid-stride", "cuda-vector", "cuda-evict-first", "cuda"};

class StreamGpuRows : public ::testing::TestWithParam<Row> {};
TEST_P(StreamGpuRows, AgreeWithTheInputsDefinition) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  expect_right(application_with_cuda(), GetParam(), {1, 2, 3, 7, 31, 1025, 300007});
}
// For arrays larger than the L2 cache `cuda` takes its other branch. They are too big for the sanitizers, which check
// that branch with operands of any alignment below.
TEST_P(StreamGpuRows, AgreeAboveTheL2CacheLarge) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  expect_right(application_with_cuda(), GetParam(), {1000003, 10000019});
}
TEST_P(StreamGpuRows, HaveTheirFaultsRejected) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  expect_faults_rejected(application_with_cuda(), GetParam(), "f64", 100003);
  expect_faults_rejected(application_with_cuda(), GetParam(), "f32", 100003);
}
INSTANTIATE_TEST_SUITE_P(Gpu, StreamGpuRows,
                         ::testing::Combine(::testing::ValuesIn(gpu_rows), ::testing::ValuesIn(all_kernels)), name_of);

template <class T>
class StreamGpuOf : public ::testing::Test {};
using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(StreamGpuOf, Types);

// Operands at any element of a buffer: no kernel may take a wide load at an address that does not bear it, or write
// beside its part.
TYPED_TEST(StreamGpuOf, AnyAlignmentWillDo) {
  using T = TypeParam;
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  constexpr std::size_t n = 1003, room = 16;
  const core::Stream stream;
  const Inputs<T> inputs = make_inputs<T>({.kernel = Kernel::triad, .n = n, .f32 = sizeof(T) == 4});
  core::DeviceBuffer<T> x(n + room), y(n + room), out(n + room);
  DotWorkspace dot(n, stream);
  std::vector<T> got(n + room);
  const T guard = static_cast<T>(-77);
  for (Launch<T>* launch_row : {&ladder::naive<T>, &ladder::grid_stride<T>, &ladder::vector<T>, &launch<T>})
    for (const std::size_t ox : {0, 1})
      for (const std::size_t oy : {0, 3})
        for (const std::size_t oo : {0, 1, 4}) {
          core::copy_async(x.data() + ox, inputs.x.data(), n, stream);
          core::copy_async(y.data() + oy, inputs.y.data(), n, stream);
          for (const Kernel kernel : {Kernel::copy, Kernel::scale, Kernel::add, Kernel::triad}) {
            fill(out.data(), static_cast<std::int64_t>(n + room), guard, stream);
            launch_row(kernel, {.x = x.data() + ox, .y = y.data() + oy, .out = out.data() + oo, .n = n}, stream);
            core::copy_async(got.data(), out.data(), n + room, stream);
            stream.synchronize();
            const Problem problem{.kernel = kernel, .n = n, .f32 = sizeof(T) == 4};
            ASSERT_TRUE(verify<T>(problem, {.out = std::span<const T>(got).subspan(oo, n)}).passed);
            for (std::size_t i = 0; i < got.size(); ++i)
              if (i < oo || i >= oo + n) {
                ASSERT_EQ(got[i], guard) << i;
              }
          }
          launch_row(Kernel::dot, {.x = x.data() + ox, .y = y.data() + oy, .n = n, .dot = &dot}, stream);
          stream.synchronize();
          ASSERT_TRUE(verify<T>({.kernel = Kernel::dot, .n = n, .f32 = sizeof(T) == 4}, {.sum = dot.result()}).passed);
        }
}

TEST(StreamGpu, DotHasTheSameBitsEveryTime) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const core::Stream stream;
  constexpr std::int64_t n = 3000001;
  const Inputs<double> inputs = make_inputs<double>({.kernel = Kernel::dot, .n = n});
  core::DeviceBuffer<double> x(n), y(n);
  core::copy_async(x.data(), inputs.x.data(), x.size(), stream);
  core::copy_async(y.data(), inputs.y.data(), y.size(), stream);
  DotWorkspace dot(n, stream);
  double first = 0;
  for (int repeat = 0; repeat < 50; ++repeat) {
    launch<double>(Kernel::dot, {.x = x.data(), .y = y.data(), .n = n, .dot = &dot}, stream);
    stream.synchronize();
    if (repeat == 0) first = dot.result();
    ASSERT_EQ(dot.result(), first);
  }
}

TEST(StreamGpu, NothingToDoIsDone) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const core::Stream stream;
  DotWorkspace dot(0, stream);
  for (Launch<double>* launch_row :
       {&ladder::naive<double>, &ladder::grid_stride<double>, &ladder::vector<double>, &launch<double>}) {
    launch_row(Kernel::triad, {.n = 0}, stream);
    launch_row(Kernel::dot, {.n = 0, .dot = &dot}, stream);
    stream.synchronize();
    EXPECT_EQ(dot.result(), 0);
  }
}

}  // namespace
}  // namespace speedwell::stream
