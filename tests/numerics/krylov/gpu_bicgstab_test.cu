// BiCGSTAB on a GPU at breakdowns.
#include <gtest/gtest.h>

#include <cstdlib>

#include "speedwell/numerics/krylov/gpu_bicgstab.hpp"
#include "tests/numerics/krylov/small_system.hpp"

namespace speedwell::krylov {
namespace {

__global__ void multiply_small(SmallSystem a, const double* x, double* y) { a.multiply(x, y); }

TEST(BicgstabOnGpu, ADivisionByZeroIsGotOverByBeginningAgain) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  if (std::getenv("SPEEDWELL_LOOPS_BY_HOST")) GTEST_SKIP() << "its loop is the device's";
  const core::Stream stream;
  core::DeviceBuffer<double> b(3), x(3);
  double got[3];
  core::copy_async(b.data(), breaks_down_once.right_hand_side, 3, stream);
  core::fill_bytes_async(x, 0, stream);
  GpuBicgstab solver(3, {});
  const auto result = solver.solve(
      [](const double* v, double* y, const core::Stream& s) {
        multiply_small<<<1, 1, 0, s.get()>>>(breaks_down_once, v, y);
        core::check(cudaGetLastError());
      },
      b.data(), x.data(), stream);
  core::copy_async(got, x.data(), 3, stream);
  stream.synchronize();
  EXPECT_EQ(result.outcome, BicgstabOutcome::converged);
  EXPECT_EQ(result.restarts, 1);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(got[i], breaks_down_once.solution[i], 1e-12);
}

// The first direction is orthogonal to what it gives: beginning again is no help, and x stays.
TEST(BicgstabOnGpu, ASecondDivisionByZeroEndsItWithTheGuess) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  if (std::getenv("SPEEDWELL_LOOPS_BY_HOST")) GTEST_SKIP() << "its loop is the device's";
  const core::Stream stream;
  const SmallSystem turn = {{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}, {1, 0, 0}, {}};
  core::DeviceBuffer<double> b(3), x(3);
  double got[3];
  core::copy_async(b.data(), turn.right_hand_side, 3, stream);
  core::fill_bytes_async(x, 0, stream);
  GpuBicgstab solver(3, {});
  const auto result = solver.solve(
      [&](const double* v, double* y, const core::Stream& s) {
        multiply_small<<<1, 1, 0, s.get()>>>(turn, v, y);
        core::check(cudaGetLastError());
      },
      b.data(), x.data(), stream);
  core::copy_async(got, x.data(), 3, stream);
  stream.synchronize();
  EXPECT_EQ(result.outcome, BicgstabOutcome::breakdown);
  EXPECT_EQ(result.restarts, 1);
  for (const double value : got) EXPECT_EQ(value, 0);
}

TEST(BicgstabOnGpu, ARightHandSideOfZerosGivesZeros) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  if (std::getenv("SPEEDWELL_LOOPS_BY_HOST")) GTEST_SKIP() << "its loop is the device's";
  const core::Stream stream;
  core::DeviceBuffer<double> b(3), x(3);
  double got[3];
  core::fill_bytes_async(b, 0, stream);
  core::copy_async(x.data(), breaks_down_once.right_hand_side, 3, stream);
  GpuBicgstab solver(3, {});
  const auto result = solver.solve(
      [](const double* v, double* y, const core::Stream& s) {
        multiply_small<<<1, 1, 0, s.get()>>>(breaks_down_once, v, y);
        core::check(cudaGetLastError());
      },
      b.data(), x.data(), stream);
  core::copy_async(got, x.data(), 3, stream);
  stream.synchronize();
  EXPECT_EQ(result.outcome, BicgstabOutcome::converged);
  EXPECT_EQ(result.residual, 0);
  for (const double value : got) EXPECT_EQ(value, 0);
}

}  // namespace
}  // namespace speedwell::krylov
