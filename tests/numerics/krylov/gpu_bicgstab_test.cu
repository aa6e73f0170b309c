// BiCGSTAB on a GPU at breakdowns.
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "speedwell/numerics/krylov/gpu_bicgstab.hpp"
#include "tests/numerics/krylov/small_system.hpp"

namespace speedwell::krylov {
namespace {

__global__ void multiply_small(SmallSystem a, const double* x, double* y) { a.multiply(x, y); }

struct Solved {
  BicgstabResult result;
  double x[3];
};

/// Solves the system from the guess; nothing where there is no GPU whose loop the device runs.
std::optional<Solved> solve(const SmallSystem& a, const double (&right_hand_side)[3], const double (&guess)[3]) {
  if (!core::have_device() || std::getenv("SPEEDWELL_LOOPS_BY_HOST")) return std::nullopt;
  const core::Stream stream;
  core::DeviceBuffer<double> b(3), x(3);
  core::copy_async(b.data(), right_hand_side, 3, stream);
  core::copy_async(x.data(), guess, 3, stream);
  GpuBicgstab solver(3, {});
  Solved solved{};
  solved.result = solver.solve(
      [&](const double* v, double* y, const core::Stream& s) {
        multiply_small<<<1, 1, 0, s.get()>>>(a, v, y);
        core::check(cudaGetLastError());
      },
      b.data(), x.data(), stream);
  core::copy_async(solved.x, static_cast<const double*>(x.data()), 3, stream);
  stream.synchronize();
  return solved;
}

constexpr double zeros[3] = {};
constexpr const char* skipped = "no GPU, or its loop is the host's";

TEST(BicgstabOnGpu, ADivisionByZeroIsGotOverByBeginningAgain) {
  const auto solved = solve(breaks_down_once, breaks_down_once.right_hand_side, zeros);
  if (!solved) GTEST_SKIP() << skipped;
  EXPECT_EQ(solved->result.outcome, BicgstabOutcome::converged);
  EXPECT_EQ(solved->result.restarts, 1);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(solved->x[i], breaks_down_once.solution[i], 1e-12);
}

// The first direction is orthogonal to what it gives: beginning again is no help, and x stays.
TEST(BicgstabOnGpu, ASecondDivisionByZeroEndsItWithTheGuess) {
  const SmallSystem turn = {{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}, {1, 0, 0}, {}};
  const auto solved = solve(turn, turn.right_hand_side, zeros);
  if (!solved) GTEST_SKIP() << skipped;
  EXPECT_EQ(solved->result.outcome, BicgstabOutcome::breakdown);
  EXPECT_EQ(solved->result.restarts, 1);
  for (const double value : solved->x) EXPECT_EQ(value, 0);
}

TEST(BicgstabOnGpu, ARightHandSideOfZerosGivesZeros) {
  const auto solved = solve(breaks_down_once, zeros, breaks_down_once.right_hand_side);
  if (!solved) GTEST_SKIP() << skipped;
  EXPECT_EQ(solved->result.outcome, BicgstabOutcome::converged);
  EXPECT_EQ(solved->result.residual, 0);
  for (const double value : solved->x) EXPECT_EQ(value, 0);
}

}  // namespace
}  // namespace speedwell::krylov
