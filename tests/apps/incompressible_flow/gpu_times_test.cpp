// Times of steps on a GPU, and of their kernels under a profiler; with --gtest_also_run_disabled_tests.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "speedwell/apps/incompressible_flow/gpu_solver.hpp"
#include "tests/apps/incompressible_flow/cases.hpp"

namespace speedwell::incompressible_flow {
namespace {

template <class T>
void time_steps(const std::string& name, const Problem& p, int steps) {
  const core::Stream stream;
  GpuSolver<T> solver(p, {.threads = 16});
  State<T> begin(p.extents());
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t n = 0; n < begin.velocity[c].size(); ++n)
      begin.velocity[c][n] = static_cast<T>(0.01 * static_cast<double>((n * 2654435761u) % 1000) / 1000);
  solver.upload(begin, stream);
  solver.run(1e-3, 2, stream);
  core::Event first, last;
  first.record(stream);
  solver.run(1e-3, steps, stream);
  last.record(stream);
  stream.synchronize();
  const double seconds = last.seconds_since(first) / steps, cells = static_cast<double>(p.extents().cells());
  std::printf("%-24s %s %10.1f us a step %8.3f ns per cell and step\n", name.c_str(), sizeof(T) == 8 ? "f64" : "f32",
              seconds * 1e6, seconds / cells * 1e9);
}

Problem channel(int nx, int ny, int nz) {
  Problem p = box(nx, ny, nz, 1e-3);
  p.faces[1] = two_sided_faces(ny, 2, 2);
  close(p, 1);
  return p;
}

TEST(FlowTimes, DISABLED_BoxesAndChannels) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const int n : {32, 64, 128, 256, 512}) {
    const int steps = n <= 64 ? 200 : n <= 128 ? 50 : 10;
    time_steps<double>("periodic " + std::to_string(n), box(n, n, n, 1e-3), steps);
    time_steps<float>("periodic " + std::to_string(n), box(n, n, n, 1e-3), steps);
  }
  time_steps<double>("channel 192 x 128 x 160", channel(192, 128, 160), 50);
  time_steps<double>("channel 512", channel(512, 512, 512), 10);
}

TEST(FlowTimes, DISABLED_LargeBoxes) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const int n : {64, 256}) {
    time_steps<double>("periodic " + std::to_string(n), box(n, n, n, 1e-3), 20);
    time_steps<float>("periodic " + std::to_string(n), box(n, n, n, 1e-3), 20);
  }
  time_steps<double>("periodic 512", box(512, 512, 512, 1e-3), 5);
}

TEST(FlowTimes, DISABLED_OneBox) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  time_steps<double>("periodic 512", box(512, 512, 512, 1e-3), 1);
}

}  // namespace
}  // namespace speedwell::incompressible_flow
