// The kernel that transforms the rows and then the columns of planes computes what the plan of the CPU does, which
// other tests compare with the oracle: for every pair of lengths that it supports, and for any lag of columns behind
// rows.
#include <gtest/gtest.h>

#include "speedwell/numerics/fft/gpu/block_transform.hpp"
#include "speedwell/numerics/fft/gpu/kernels/planes.hpp"
#include "speedwell/numerics/fft/gpu/method.hpp"
#include "tests/numerics/fft/gpu_support.hpp"

namespace speedwell::fft {
namespace {

template <class T>
void expect_planes(std::int64_t planes, std::int64_t rows, std::int64_t columns, int lag) {
  const core::Stream stream;
  const Shape shape{{rows, columns}, planes};
  Plan<T> plan(shape, {.threads = 2});
  const auto x = random_complex<T>(plan.points());
  auto expected = x;
  plan.backward(expected);
  const gpu::BlockTransform<T> row(columns, stream);
  const gpu::BlockTransform<T> column(rows, stream);
  const auto in = upload(x, stream);
  auto out = poisoned<std::complex<T>>(plan.points(), stream);
  core::DeviceBuffer<std::uint32_t> counters(gpu::plane_counters(planes));
  gpu::transform_planes<T>({planes, column.log_n(), row.log_n(), row.table(), column.table(), lag},
                           reinterpret_cast<const gpu::Complex<T>*>(in.data()),
                           reinterpret_cast<gpu::Complex<T>*>(out.data()), T{-1}, T{-1}, T{1}, counters.data(),
                           stream);  // sign -1: the backward transform
  EXPECT_LE(l2(extended(expected), download(out, stream)), 2 * bound<T>(rows * columns))
      << planes << " of " << rows << " x " << columns << ", lag " << lag;
}

template <class T>
void expect_all_planes() {
  for (std::int64_t rows = 64; rows <= 1024; rows *= 2)
    for (std::int64_t columns = 64; columns <= 1024; columns *= 2)
      if (gpu::is_plane(rows, columns, sizeof(T))) expect_planes<T>(3, rows, columns, 2);
  for (const int lag : {1, 3, 50}) expect_planes<T>(7, 128, 256, lag);
  expect_planes<T>(1, 256, 128, 1);
}

TEST(FftGpuPlanes, AreTransformedLikeOnTheCpu) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  expect_all_planes<double>();
  expect_all_planes<float>();
}

TEST(FftGpuPlanes, AreRefusedWhereThereIsNoKernel) {
  EXPECT_TRUE(gpu::is_plane(64, 64, sizeof(double)));
  EXPECT_FALSE(gpu::is_plane(64, 64, sizeof(float)));  // fewer points than a block transforms
  EXPECT_FALSE(gpu::is_plane(32, 1024, sizeof(double)));
  EXPECT_FALSE(gpu::is_plane(1024, 2048, sizeof(double)));
  EXPECT_FALSE(gpu::is_plane(100, 128, sizeof(double)));
}

}  // namespace
}  // namespace speedwell::fft
