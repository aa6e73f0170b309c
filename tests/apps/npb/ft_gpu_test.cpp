// FT on a GPU: every step against the oracle. With --gtest_also_run_disabled_tests the steps are timed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "speedwell/apps/npb/ft/gpu_fused_solver.hpp"
#include "speedwell/apps/npb/ft/gpu_solver.hpp"
#include "speedwell/apps/npb/ft/ladder.hpp"
#include "speedwell/apps/npb/ft/verify.hpp"
#include "tests/apps/npb/on_gpu.hpp"

namespace speedwell::npb::ft {
namespace {

Checksums checksums_of(const Problem& problem, std::string_view step) {
  return step == "cuda" ? run_once(FusedGpuSolver(problem)) : run_once(GpuSolver(problem, step));
}

// One point, lines, sides of one, every order of sides, more than 1024 along an axis, blocks that are not full.
TEST(FtGpu, GivesTheReferencesAnswer) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const Problem grids[] = {{1, 1, 1, 2},    {2, 2, 2, 2},    {64, 1, 1, 2},   {1, 64, 1, 2},
                           {1, 1, 64, 2},   {4, 8, 16, 3},   {16, 8, 4, 3},   {8, 32, 2, 3},
                           {2048, 2, 2, 1}, {2, 2048, 2, 1}, {2, 2, 2048, 1}, {32, 32, 32, 2}};
  for (const Problem& p : grids) {
    const Expected expected = expect(p);
    for (const Step& step : steps) {
      const core::Verdict verdict = verify(expected, checksums_of(p, step.name));
      EXPECT_TRUE(verdict.passed) << p.nx << " x " << p.ny << " x " << p.nz << " " << step.name << ": "
                                  << verdict.error;
    }
  }
}

TEST(FtGpu, GivesTheOfficialAnswers) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const Class c : {Class::S, Class::W, Class::A})
    for (const Step& step : steps) {
      const core::Verdict verdict = verify(expect(problem_of(c)), checksums_of(problem_of(c), step.name));
      EXPECT_TRUE(verdict.passed) << letter(c) << " " << step.name << ": " << verdict.error;
    }
}

TEST(FtGpu, GivesTheOfficialAnswersOfLargeClasses) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const Class c : {Class::B, Class::C})
    for (const std::string_view step : {"cuda-layouts", "cuda"}) {
      const core::Verdict verdict = verify(expect(problem_of(c)), checksums_of(problem_of(c), step));
      EXPECT_TRUE(verdict.passed) << letter(c) << " " << step << ": " << verdict.error;
    }
}

TEST(FtGpu, GivesTheSameBitsEveryTime) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const Step& step : steps)
    EXPECT_EQ(checksums_of(problem_of(Class::S), step.name), checksums_of(problem_of(Class::S), step.name));
}

// This is tested without a GPU, too: the arguments are checked before a device is used.
TEST(FtGpu, RefusesWhatItCannotDo) {
  EXPECT_THROW(GpuSolver({0, 8, 8, 1}, "cuda-layouts"), std::invalid_argument);
  EXPECT_THROW(GpuSolver({8, 8, 8, 0}, "cuda-layouts"), std::invalid_argument);
  EXPECT_THROW(GpuSolver({8, 12, 8, 1}, "cuda-layouts"), std::invalid_argument);
  EXPECT_THROW(GpuSolver({8, 8, 8, 1}, "cuda-best"), std::logic_error);
  EXPECT_THROW(FusedGpuSolver({8, 8, 0, 1}), std::invalid_argument);
  EXPECT_THROW(FusedGpuSolver({8, 8, 12, 1}), std::invalid_argument);
}

// The middle one of three times.
template <class Solver>
double time_of(Solver solver) {
  const core::Stream stream;
  upload_to(solver, stream);
  core::Event begin, end;
  std::vector<double> seconds;
  for (int sample = -1; sample < 3; ++sample) {
    begin.record(stream);
    solver.run(stream);
    end.record(stream);
    end.synchronize();
    if (sample >= 0) seconds.push_back(end.seconds_since(begin));
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[1];
}

TEST(DISABLED_FtStepTimes, EveryStep) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const Class c : {Class::A, Class::B, Class::C})
    for (const Step& step : steps) {
      const bool fused = step.name == "cuda";
      if (c == Class::C && !fused) continue;
      const double seconds =
          fused ? time_of(FusedGpuSolver(problem_of(c))) : time_of(GpuSolver(problem_of(c), step.name));
      std::printf("class %c  %-20s %10.3f ms\n", letter(c), std::string(step.name).c_str(), seconds * 1e3);
    }
}

}  // namespace
}  // namespace speedwell::npb::ft
