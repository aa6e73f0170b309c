// Prints the times of a time step and of a matrix-vector product y = A x on all cores. Disabled, because it checks
// nothing; to be run by hand: blast_wave_test --gtest_also_run_disabled_tests --gtest_filter='*CoresTimes*'.
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

/// Seconds of a monotonic clock.
double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void print_times(const Extents& e, int steps, Products products) {
  const Problem problem{.extents = e, .steps = steps};
  CpuSolver solver(problem, 0, products);
  solver.set(blast(problem));
  const double begin = now();
  const History h = solver.run(steps);
  const double total = now() - begin;
  const CpuSolver::Parts parts = solver.seconds();
  std::vector<double> x(5 * solver.stride(), 1.0), y(x.size()), times;
  for (int n = 0; n < 20; ++n) {
    const double start = now();
    solver.multiply(x.data(), y.data());
    times.push_back(now() - start);
  }
  std::sort(times.begin(), times.end());
  // Doubles per point that a product moves: x and y, and the blocks or what they are computed from: five variables of
  // the state per unit mass and three dissipation strengths.
  const int doubles = 10 + (products == Products::stored ? entries : 8);
  const double bytes = static_cast<double>(e.points()) * doubles * 8;
  std::printf(
      "%lld x %lld x %lld, %s, %d threads, %d steps: %.3f s, blocks %.3f, right-hand side %.3f, %lld iterations of "
      "%.3f ms; product %.3f ms, %.1f GB/s (median; best %.1f)\n",
      static_cast<long long>(e.nx), static_cast<long long>(e.ny), static_cast<long long>(e.nz),
      products == Products::stored ? "stored blocks" : "matrix-free", core::resolve_threads(0), steps, total,
      parts.blocks, parts.right_hand_side, static_cast<long long>(h.iterations()),
      1e3 * parts.bicgstab / static_cast<double>(h.iterations()), 1e3 * times[times.size() / 2],
      1e-9 * bytes / times[times.size() / 2], 1e-9 * bytes / times[0]);
}

TEST(BlastWaveOnAllCoresTimes, DISABLED_StepAndProduct) {
  for (const Products products : {Products::matrix_free, Products::stored}) {
    print_times({65, 65, 64}, 3, products);
    print_times({128, 128, 128}, 1, products);
  }
}

}  // namespace
}  // namespace speedwell::blast_wave
