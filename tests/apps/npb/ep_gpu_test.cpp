// NPB EP on a GPU: every step of the ladder, and every alternative to the parameters of the best kernel
// (tuning_alternatives.cu), against the oracle. With --gtest_also_run_disabled_tests all are timed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "speedwell/apps/npb/adapter.hpp"
#include "speedwell/apps/npb/ep/gpu/launch.hpp"
#include "speedwell/apps/npb/ep/gpu_solver.hpp"
#include "speedwell/apps/npb/ep/ladder.hpp"
#include "speedwell/apps/npb/ep/verify.hpp"
#include "speedwell/harness/problems.hpp"
#include "tests/apps/npb/on_gpu.hpp"
#include "tests/apps/npb/tuning.hpp"

namespace speedwell::npb::ep {
namespace {

// The alternatives and the steps of the ladder.
std::vector<Alternative> everything() {
  std::vector<Alternative> all(alternatives().begin(), alternatives().end());
  for (const Step& step : steps) all.push_back({step.name, function_of(step.name)});
  return all;
}

Result result_of(const Problem& problem, Launch* function) { return run_once(GpuSolver(problem, function)); }

// Problems with fewer pairs than threads, with threads whose numbers of pairs differ by one, and with numbers of pairs
// that are no multiple of those that a thread computes at once.
TEST(EpGpu, GivesTheReferencesAnswer) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const int m : {10, 11, 16, 18, 19, 20, 21}) {
    const Expected expected = expect({m});
    for (const Alternative& alternative : everything()) {
      const core::Verdict verdict = verify(expected, result_of({m}, alternative.function));
      EXPECT_TRUE(verdict.passed) << m << " " << alternative.name << ": " << verdict.error << " " << verdict.oracle;
    }
  }
}

TEST(EpGpu, GivesTheOfficialAnswers) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const Class c : {Class::S, Class::W, Class::A, Class::B})
    for (const Alternative& alternative : everything()) {
      const core::Verdict verdict = verify(expect(problem_of(c)), result_of(problem_of(c), alternative.function));
      EXPECT_TRUE(verdict.passed) << letter(c) << " " << alternative.name << ": " << verdict.error << " "
                                  << verdict.oracle;
    }
}

TEST(EpGpu, GivesTheOfficialAnswersOfLargeClasses) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const Class c : {Class::C, Class::D}) {
    const core::Verdict verdict = verify(expect(problem_of(c)), result_of(problem_of(c), launch));
    EXPECT_TRUE(verdict.passed) << letter(c) << ": " << verdict.error << " " << verdict.oracle;
  }
}

TEST(EpGpu, GivesTheSameBitsEveryTime) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const Alternative& alternative : everything()) {
    if (alternative.name == "cuda-atomic") continue;
    EXPECT_EQ(result_of({22}, alternative.function), result_of({22}, alternative.function)) << alternative.name;
  }
}

TEST(EpGpu, RefusesWhatItCannotDo) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  EXPECT_THROW(GpuSolver({9}), std::invalid_argument);
  EXPECT_THROW(GpuSolver({45}), std::invalid_argument);
  EXPECT_THROW(GpuSolver({20}, "cuda-best"), std::logic_error);
}

TEST(EpGpuRows, AtomicAdditionsAreRefusedWhereBitsHaveToBeTheSame) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  harness::Application app = application();
  harness::bind_variants(app, cuda_runs());
  const harness::Variant& atomic = *harness::select_variants(app, "cuda-atomic").at(0);
  EXPECT_THROW(atomic.make(nullptr, {.deterministic = true}), core::Unavailable);
}

// Prints the median of five times for each class, after one that is not counted. All take turns, so that a change of
// the device's clock affects them alike.
TEST(DISABLED_EpTuningTimes, EveryAlternative) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const core::Stream stream;
  for (const Class c : {Class::A, Class::C, Class::D}) {
    const auto all = everything();
    std::vector<std::vector<double>> seconds(all.size());
    core::Event begin, end;
    for (int sample = -1; sample < 5; ++sample)
      for (std::size_t k = 0; k < all.size(); ++k) {
        GpuSolver solver(problem_of(c), all[k].function);
        solver.upload(stream);
        begin.record(stream);
        solver.run(stream);
        end.record(stream);
        end.synchronize();
        if (sample >= 0) seconds[k].push_back(end.seconds_since(begin));
      }
    std::printf("class %c\n", letter(c));
    for (std::size_t k = 0; k < all.size(); ++k) {
      std::sort(seconds[k].begin(), seconds[k].end());
      std::printf("  %-40s %10.3f ms\n", std::string(all[k].name).c_str(), seconds[k][2] * 1e3);
    }
  }
}

}  // namespace
}  // namespace speedwell::npb::ep
