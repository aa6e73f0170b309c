// The public operator and BiCGSTAB on a GPU against those on the host.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "speedwell/apps/blast_wave/gpu_blocks7.hpp"
#include "speedwell/numerics/bicgstab.hpp"
#include "speedwell/numerics/gpu_bicgstab.hpp"
#include "tests/apps/blast_wave/block_system.hpp"

namespace speedwell::blast_wave {
namespace {

TEST(BlastWaveBlocksOnGpu, SolveAsOnTheHost) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  if (std::getenv("SPEEDWELL_LOOPS_BY_HOST")) GTEST_SKIP() << "its loop is the device's";
  const core::Stream stream;
  for (const Extents& e : {Extents{3, 3, 3}, Extents{7, 5, 9}, Extents{33, 8, 11}}) {
    const Blocks7 a = random_blocks(e, 11);
    const auto n = static_cast<std::size_t>(e.points());
    std::vector<double> b(a.vector_size(), 0.0), x(b), got(b);
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t c = 0; c < 5; ++c) b[c * a.stride() + p] = std::sin(static_cast<double>(p + 100 * c));
    const auto known = numerics::bicgstab([&](auto v, auto y) { a.multiply(v, y, 1); }, b, x);
    const GpuBlocks7 on_gpu(a, stream);
    core::DeviceBuffer<double> db(b.size()), dx(b.size());
    core::copy_async(db.data(), b.data(), b.size(), stream);
    core::fill_bytes_async(dx, 0, stream);
    numerics::GpuBicgstab solver(static_cast<std::int64_t>(b.size()), {});
    const auto result =
        solver.solve([&](const double* v, double* y, const core::Stream& s) { on_gpu.multiply(v, y, s); }, db.data(),
                     dx.data(), stream);
    core::copy_async(got.data(), dx.data(), got.size(), stream);
    stream.synchronize();
    EXPECT_EQ(result.outcome, numerics::BicgstabOutcome::converged);
    EXPECT_NEAR(result.iterations, known.iterations, 2);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(got[i], x[i], 1e-10);
    numerics::GpuBicgstab few(static_cast<std::int64_t>(b.size()), {.iterations = 2});
    core::fill_bytes_async(dx, 0, stream);
    EXPECT_EQ(few.solve([&](const double* v, double* y, const core::Stream& s) { on_gpu.multiply(v, y, s); }, db.data(),
                        dx.data(), stream)
                  .outcome,
              numerics::BicgstabOutcome::iteration_limit);
  }
}

__global__ void multiply_small(SmallSystem a, const double* x, double* y) { a.multiply(x, y); }

TEST(BlastWaveBlocksOnGpu, ADivisionByZeroIsGotOverByBeginningAgain) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  if (std::getenv("SPEEDWELL_LOOPS_BY_HOST")) GTEST_SKIP() << "its loop is the device's";
  const core::Stream stream;
  core::DeviceBuffer<double> b(3), x(3);
  double got[3];
  core::copy_async(b.data(), breaks_down_once.right_hand_side, 3, stream);
  core::fill_bytes_async(x, 0, stream);
  numerics::GpuBicgstab solver(3, {});
  const auto result = solver.solve(
      [](const double* v, double* y, const core::Stream& s) {
        multiply_small<<<1, 1, 0, s.get()>>>(breaks_down_once, v, y);
        core::check(cudaGetLastError());
      },
      b.data(), x.data(), stream);
  core::copy_async(got, x.data(), 3, stream);
  stream.synchronize();
  EXPECT_EQ(result.outcome, numerics::BicgstabOutcome::converged);
  EXPECT_EQ(result.restarts, 1);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(got[i], breaks_down_once.solution[i], 1e-12);
}

// The first direction is orthogonal to what it gives: beginning again is no help, and x stays.
TEST(BlastWaveBlocksOnGpu, ASecondDivisionByZeroEndsItWithTheGuess) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  if (std::getenv("SPEEDWELL_LOOPS_BY_HOST")) GTEST_SKIP() << "its loop is the device's";
  const core::Stream stream;
  const SmallSystem turn = {{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}, {1, 0, 0}, {}};
  core::DeviceBuffer<double> b(3), x(3);
  double got[3];
  core::copy_async(b.data(), turn.right_hand_side, 3, stream);
  core::fill_bytes_async(x, 0, stream);
  numerics::GpuBicgstab solver(3, {});
  const auto result = solver.solve(
      [&](const double* v, double* y, const core::Stream& s) {
        multiply_small<<<1, 1, 0, s.get()>>>(turn, v, y);
        core::check(cudaGetLastError());
      },
      b.data(), x.data(), stream);
  core::copy_async(got, x.data(), 3, stream);
  stream.synchronize();
  EXPECT_EQ(result.outcome, numerics::BicgstabOutcome::breakdown);
  EXPECT_EQ(result.restarts, 1);
  for (const double value : got) EXPECT_EQ(value, 0);
}

}  // namespace
}  // namespace speedwell::blast_wave
