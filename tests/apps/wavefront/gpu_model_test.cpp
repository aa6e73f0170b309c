// The tile model, with parameters measured on this GPU by sweeps of other shapes, against measured times.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "speedwell/apps/wavefront/adapter.hpp"
#include "speedwell/apps/wavefront/gpu/tile_timing.hpp"
#include "speedwell/apps/wavefront/gpu_solver.hpp"
#include "speedwell/apps/wavefront/verify/reference.hpp"
#include "speedwell/core/statistics.hpp"
#include "speedwell/harness/problems.hpp"

namespace speedwell::wavefront {
namespace {

/// Seconds from launch to completion as the harness measures them: the median of several sweeps of the same grid.
template <class T>
double measured_seconds(const Extents& extents, const Recurrence<T>& recurrence) {
  const core::Stream stream;
  GpuSolver<T> solver(extents, recurrence, {}, "cuda");
  solver.upload(make_grid<T>({.extents = extents, .bits = 24}, recurrence.c), stream);
  const std::span<T> cells = solver.device_cells();
  core::DeviceBuffer<T> initial(cells.size());
  core::copy_async(initial.data(), static_cast<const T*>(cells.data()), cells.size(), stream);
  std::vector<double> seconds;
  for (int n = 0; n < 12; ++n) {
    core::copy_async(cells.data(), static_cast<const T*>(initial.data()), cells.size(), stream);
    stream.synchronize();
    const auto begin = std::chrono::steady_clock::now();
    solver.run(stream);
    stream.synchronize();
    if (n > 0) seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  solver.finish(stream);
  return core::median(seconds);
}

template <class T>
void print_device(const Extents& extents, const Recurrence<T>& recurrence) {
  const model::TiledDevice& device = measured_device(extents, recurrence);
  const TilePlan plan = plan_tiles(extents, sizeof(T), recurrence.loops > 0, {});
  std::printf(
      "  %d planes, %d cells: launch %.1f us, hops %.1f and %.1f steps, %.1f between tiles; us of a step by tiles",
      plan.planes, plan.cells, 1e6 * device.launch_s, device.hop_x, device.hop_y, device.restart_steps);
  for (const auto& [tiles, seconds] : device.loaded) std::printf(", %d: %.3f", static_cast<int>(tiles), 1e6 * seconds);
  std::printf("\n");
}

/// Relative error of the model.
template <class T>
double error(const Extents& extents, std::int64_t loops) {
  const Recurrence<T> recurrence{.loops = loops};
  const double measured = measured_seconds(extents, recurrence), foreseen = predicted_seconds(extents, recurrence);
  std::printf("%3d x %3d x %3d f%d loops %2d: foreseen %8.1f us, measured %8.1f us, %+.1f %%\n",
              static_cast<int>(extents.nx), static_cast<int>(extents.ny), static_cast<int>(extents.nz),
              static_cast<int>(8 * sizeof(T)), static_cast<int>(loops), 1e6 * foreseen, 1e6 * measured,
              100 * (foreseen / measured - 1));
  print_device(extents, recurrence);
  std::fflush(stdout);
  return foreseen / measured - 1;
}

TEST(WavefrontGpuClear, IsAsIfZerosHadBeenUploaded) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const Extents extents{9, 33, 50};
  const Recurrence<float> recurrence{.loops = 2};
  const core::Stream stream;
  GpuSolver<float> solver(extents, recurrence, {}, "cuda");
  solver.clear(stream);
  solver.run(stream);
  solver.finish(stream);
  core::HostBuffer<float> got(static_cast<std::size_t>(extents.cells()));
  solver.download(got.span(), stream);
  Grid<float> zeros(extents);
  std::memset(zeros.cells.data(), 0, zeros.cells.bytes());
  reference::sweep(zeros, recurrence, {});
  EXPECT_EQ(std::memcmp(got.data(), zeros.cells.data(), got.bytes()), 0);
}

// Required accuracy. None of these shapes is one of those that determine the parameters.
TEST(WavefrontGpuModelLarge, ForeseesTimesWithinAFifth) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const struct {
    Extents extents;
    bool f32;
    std::int64_t loops;
  } all[] = {
      {{80, 80, 80}, true, 0},     {{160, 160, 160}, true, 0},  {{320, 320, 320}, true, 0},
      {{640, 640, 640}, true, 0},  {{80, 80, 80}, false, 1},    {{160, 160, 160}, false, 10},
      {{320, 320, 320}, false, 1}, {{640, 640, 640}, false, 0}, {{160, 160, 160}, true, 1},
      {{320, 320, 320}, true, 10}, {{640, 640, 640}, true, 10}, {{640, 640, 640}, false, 10},
      {{640, 96, 320}, true, 0},   {{96, 640, 320}, false, 0},  {{400, 400, 80}, true, 1},
      {{200, 480, 640}, false, 0}, {{121, 77, 333}, true, 0},   {{500, 333, 211}, false, 1},
  };
  for (const auto& [extents, f32, loops] : all)
    EXPECT_LE(std::abs(f32 ? error<float>(extents, loops) : error<double>(extents, loops)), 0.2)
        << extents.nx << " x " << extents.ny << " x " << extents.nz << (f32 ? " f32" : " f64") << ", loops " << loops;
}

TEST(WavefrontGpuModelLarge, ProjectsToGpusLikeThisOne) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const harness::Application app = application();
  const harness::Problem problem = harness::problems(app, {.name = "none"}, {{"n", std::int64_t{320}}}, 1).at(0);
  const auto made = app.projector->project(problem, harness::parse_machine(app, "gpus=4"), {.device = 0});
  ASSERT_EQ(made.size(), 1u);
  ASSERT_EQ(made[0].table.size(), 4u);  // the header; 1, 2 and 4 of them
  EXPECT_EQ(made[0].table[0][0], "gpus");
  EXPECT_EQ(made[0].table[1][1], "1 x 1");
  for (const auto& row : made[0].table) {
    for (const std::string& cell : row) std::printf("%12s", cell.c_str());
    std::printf("\n");
  }
}

}  // namespace
}  // namespace speedwell::wavefront
