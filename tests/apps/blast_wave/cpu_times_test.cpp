// Times of a product and of a step on all cores; run by hand: blast_wave_test --gtest_also_run_disabled_tests
// --gtest_filter='*CoresTimes*'.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "speedwell/apps/blast_wave/blast_wave.hpp"
#include "speedwell/apps/blast_wave/point.hpp"
#include "speedwell/core/parts.hpp"

namespace speedwell::blast_wave {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void show(const Extents& e, int steps) {
  const Problem problem{.extents = e, .steps = steps};
  CpuSolver solver(problem);
  const State begun = blast(problem);
  solver.set(begun);
  const double began = now();
  const History h = solver.run(steps);
  const double whole = now() - began;
  const CpuSolver::Parts parts = solver.seconds();
  std::vector<double> x(5 * solver.stride(), 1.0), y(x.size()), times;
  for (int n = 0; n < 20; ++n) {
    const double start = now();
    solver.multiply(x.data(), y.data());
    times.push_back(now() - start);
  }
  std::sort(times.begin(), times.end());
  const double bytes = static_cast<double>(e.points()) * (entries + 10) * 8;
  std::printf(
      "%lld x %lld x %lld, %d threads, %d steps: %.3f s, blocks %.3f, right-hand side %.3f, %lld iterations of "
      "%.3f ms; product %.3f ms, %.1f GB/s (median; best %.1f)\n",
      static_cast<long long>(e.nx), static_cast<long long>(e.ny), static_cast<long long>(e.nz),
      core::resolve_threads(0), steps, whole, parts.blocks, parts.right_hand_side,
      static_cast<long long>(h.iterations()), 1e3 * parts.bicgstab / static_cast<double>(h.iterations()),
      1e3 * times[times.size() / 2], 1e-9 * bytes / times[times.size() / 2], 1e-9 * bytes / times[0]);
}

TEST(BlastWaveOnAllCoresTimes, DISABLED_StepAndProduct) {
  show({65, 65, 64}, 3);
  show({128, 128, 128}, 1);
}

}  // namespace
}  // namespace speedwell::blast_wave
