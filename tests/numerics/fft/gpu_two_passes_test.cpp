// Arrays of 256^3 points against the CPU's plan (which tests hold against the oracle).
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "speedwell/numerics/fft/gpu/kernels/two_passes.hpp"
#include "speedwell/numerics/fft/gpu/method.hpp"
#include "tests/numerics/fft/gpu_support.hpp"

namespace speedwell::fft {
namespace {

template <class T>
void expect_cubes(Direction direction) {
  const core::Stream stream;
  const Shape shape{{256, 256, 256}, 2};
  Plan<T> plan(shape, {.threads = 2, .normalisation = Normalisation::orthogonal});
  GpuPlan<T> gpu_plan(shape, {.normalisation = Normalisation::orthogonal});
  const double work_space =
      gpu::supports_two_passes() ? sizeof(std::complex<T>) * static_cast<double>(gpu::two_pass_points) : 0;
  EXPECT_GE(gpu_plan.bytes(), work_space);
  const auto x = random_complex<T>(plan.points());
  std::vector<std::complex<T>> expected(x.size());
  plan.transform(direction, x, expected);
  const auto got = on_gpu(gpu_plan, direction, x, stream);
  // In double: 34 million differences in extended precision take a minute.
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    error += std::norm(std::complex<double>(got[i]) - std::complex<double>(expected[i]));
    norm += std::norm(std::complex<double>(expected[i]));
  }
  EXPECT_LE(std::sqrt(error / norm), 2 * bound<T>(gpu::two_pass_points));
  const auto in_place = on_gpu_in_place(gpu_plan, direction, x, stream);
  EXPECT_EQ(std::memcmp(got.data(), in_place.data(), got.size() * sizeof got[0]), 0) << "in place";
}

TEST(FftGpuTwoPasses, TransformCubesLikeTheCpu) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  expect_cubes<double>(Direction::forward);
  expect_cubes<double>(Direction::backward);
  expect_cubes<float>(Direction::forward);
  expect_cubes<float>(Direction::backward);
}

}  // namespace
}  // namespace speedwell::fft
