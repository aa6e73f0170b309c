// The public operator and BiCGSTAB on a GPU against those on the host.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "speedwell/apps/blast_wave/gpu_blocks7.hpp"
#include "speedwell/numerics/krylov/bicgstab.hpp"
#include "speedwell/numerics/krylov/gpu_bicgstab.hpp"
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
    const auto known = krylov::bicgstab([&](auto v, auto y) { a.multiply(v, y, 1); }, b, x, {.tolerance = 1e-13});
    const GpuBlocks7 on_gpu(a, stream);
    core::DeviceBuffer<double> db(b.size()), dx(b.size());
    core::copy_async(db.data(), b.data(), b.size(), stream);
    core::fill_bytes_async(dx, 0, stream);
    krylov::GpuBicgstab solver(static_cast<std::int64_t>(b.size()), {.tolerance = 1e-13});
    const auto result =
        solver.solve([&](const double* v, double* y, const core::Stream& s) { on_gpu.multiply(v, y, s); }, db.data(),
                     dx.data(), stream);
    core::copy_async(got.data(), dx.data(), got.size(), stream);
    stream.synchronize();
    EXPECT_EQ(result.outcome, krylov::BicgstabOutcome::converged);
    EXPECT_NEAR(result.iterations, known.iterations, 2);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(got[i], x[i], 1e-10);
    krylov::GpuBicgstab few(static_cast<std::int64_t>(b.size()), {.iterations = 2});
    core::fill_bytes_async(dx, 0, stream);
    EXPECT_EQ(few.solve([&](const double* v, double* y, const core::Stream& s) { on_gpu.multiply(v, y, s); }, db.data(),
                        dx.data(), stream)
                  .outcome,
              krylov::BicgstabOutcome::iteration_limit);
  }
}

}  // namespace
}  // namespace speedwell::blast_wave
