// The GPU variants against the oracle, word by word, and for large tables against each other: the direct method undoes
// the updates of another method. With --gtest_also_run_disabled_tests they are timed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/gups/adapter.hpp"
#include "speedwell/apps/gups/gpu_solver.hpp"
#include "speedwell/apps/gups/ladder.hpp"
#include "tests/apps/gups/golden.hpp"
#include "tests/apps/gups/gpu_check.hpp"
#include "tests/apps/gups/support.hpp"
#include "tests/apps/lifecycle.hpp"

namespace speedwell::gups {
namespace {

constexpr Method methods[] = {Method::direct, Method::windows, Method::regions, Method::binned, Method::parts};
const char* name_of(Method method) {
  for (const Step& step : steps)
    if (step.method == method) return step.name.data();
  return "?";
}

class GupsGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!core::have_device()) GTEST_SKIP() << "no GPU";
    stream_.emplace();
  }
  void start(GpuSolver& solver) const {
    solver.upload(*stream_);
    solver.initialise(*stream_);
    solver.run(*stream_);
  }
  std::vector<std::uint64_t> table_of(GpuSolver& solver, const Problem& problem) const {
    start(solver);
    std::vector<std::uint64_t> table(problem.words);
    solver.download(table, *stream_);
    return table;
  }
  std::optional<core::Stream> stream_;
};

TEST_F(GupsGpu, LosesNoUpdateForAnySize) {
  for (const Problem& problem : problems(18)) {
    const auto right = expected(problem);
    for (const Method method : methods) {
      GpuSolver solver(problem, method);
      EXPECT_TRUE(table_of(solver, problem) == right)
          << name_of(method) << " " << problem.words << " words " << problem.updates << " updates";
    }
  }
}

TEST_F(GupsGpu, MakesTheKnownTablesLarge) {
  for (const golden::Table& row : golden::tables)
    for (const Method method : methods) {
      const std::uint64_t words = std::uint64_t{1} << row.log2_words;
      GpuSolver solver({words, 4 * words}, method);
      EXPECT_TRUE(golden::row_of(row.log2_words, table_of(solver, {words, 4 * words})) == row)
          << name_of(method) << " " << row.log2_words;
    }
}

// Some thousand updates for each word of a small table and few for each of a larger one, in bins half as large as they
// should be or smaller.
TEST_F(GupsGpu, BinsThatOverflowLoseNothing) {
  for (const Problem& problem :
       {Problem{1 << 10, 1 << 20}, Problem{1 << 15, 3 << 17}, Problem{1 << 19, (4 << 19) + 5}}) {
    const auto right = expected(problem);
    for (const double capacity_fraction : {0.0, 0.01, 0.5, 0.97}) {
      GpuSolver solver(problem, Method::binned, Rule::any, Tuning{.capacity_fraction = capacity_fraction});
      EXPECT_TRUE(table_of(solver, problem) == right) << problem.words << " " << capacity_fraction;
    }
  }
}

TEST_F(GupsGpu, BothTilesGiveTheSameTable) {
  for (const Problem& problem : {Problem{1 << 17, 4 << 17}, Problem{1 << 20, (3 << 20) + 7}}) {
    const auto right = expected(problem);
    for (const Tuning& tuning :
         {Tuning{}, Tuning{.threads = 512, .updates_per_thread = 22, .blocks_of_multiprocessor = 2}}) {
      GpuSolver solver(problem, Method::binned, Rule::any, tuning);
      EXPECT_TRUE(table_of(solver, problem) == right) << problem.words << " " << tuning.threads;
    }
  }
}

// More regions than one pass of sorting has bins for, bins that overflow in both passes, batches of 1024 updates a
// thread.
TEST_F(GupsGpu, AgreesWithTheDirectMethodOnLargeTables) {
  struct Trial {
    Problem problem;
    Method method = Method::binned;
    Rule rule = Rule::any;
    double capacity_fraction = 1;
  };
  constexpr std::uint64_t one = 1;
  for (const Trial& trial :
       {Trial{{one << 26, 4 * (one << 26)}}, Trial{{one << 27, 3 * (one << 27) + 1}},
        Trial{{one << 26, 4 * (one << 26) + 54321}, Method::binned, Rule::thread},
        Trial{{one << 26, one << 26}, Method::binned, Rule::any, 0.3},
        Trial{{one << 20, one << 30}, Method::binned, Rule::thread}, Trial{{one << 26, one << 26}, Method::windows},
        Trial{{one << 26, 4 * (one << 26)}, Method::parts}, Trial{{one << 28, 3 * (one << 28) + 5}, Method::parts},
        Trial{{one << 27, 4 * (one << 27)}, Method::parts, Rule::thread, 0.3}}) {
    GpuSolver solver(trial.problem, trial.method, trial.rule, Tuning{.capacity_fraction = trial.capacity_fraction});
    GpuSolver direct(trial.problem, Method::direct);
    for (GpuSolver* one_of_both : {&solver, &direct}) start(*one_of_both);
    EXPECT_EQ(differing_words(solver, direct, *stream_), 0u)
        << name_of(trial.method) << " " << trial.problem.words << " " << trial.problem.updates << " room "
        << trial.capacity_fraction;
  }
}

// Objects that hold some parts each: together they have the whole table, for numbers of ranks that divide it and
// others.
TEST_F(GupsGpu, PartsOfRanksMakeTheWholeTable) {
  for (const Problem& problem : problems(18)) {
    const auto right = expected(problem);
    for (const int ranks : {1, 2, 3, 4, 7}) {
      std::vector<std::uint64_t> whole;
      for (int rank = 0; rank < ranks; ++rank) {
        const Parts parts = parts_of_rank(problem, ranks, rank);
        if (parts.count == 0) continue;
        GpuSolver solver(problem, parts);
        std::vector<std::uint64_t> own(solver.plan().words());
        start(solver);
        solver.download(own, *stream_);
        whole.insert(whole.end(), own.begin(), own.end());
      }
      EXPECT_TRUE(whole == right) << problem.words << " words " << problem.updates << " updates, " << ranks << " ranks";
    }
  }
}

TEST_F(GupsGpu, RefusesWhatItCannotDo) {
  EXPECT_THROW(GpuSolver({1000, 1}, Method::direct), std::invalid_argument);
  EXPECT_THROW(GpuSolver({1024, 0}, Method::direct), std::invalid_argument);
  EXPECT_THROW(GpuSolver({1024, 1}, Method::binned, Rule::process), std::invalid_argument);
  EXPECT_THROW(GpuSolver({1024, 1}, Parts{1, 0, 1}, Rule::process), std::invalid_argument);
  EXPECT_THROW(GpuSolver({1024, 1}, Parts{1, 0, 0}), std::invalid_argument);
  GpuSolver solver({1024, 1}, Method::direct, Rule::process);
  std::vector<std::uint64_t> table(1023);
  EXPECT_THROW(solver.download(table, *stream_), std::invalid_argument);
  EXPECT_THROW(method_of("cuda-sorted", {}), std::logic_error);
}

double best_seconds(GpuSolver& solver, const core::Stream& stream) {
  core::Event begin, end;
  double best = 1e30;
  for (int round = 0; round < 5; ++round) {
    solver.initialise(stream);
    begin.record(stream);
    solver.run(stream);
    end.record(stream);
    end.synchronize();
    best = std::min(best, end.seconds_since(begin));
    if (best > 0.5) break;
  }
  return best;
}

TEST_F(GupsGpu, DISABLED_Times) {
  std::printf("%5s %-14s %10s %8s %12s\n", "words", "method", "ms", "GUPS", "wrong words");
  const Tuning one_block, two_blocks{.threads = 512, .updates_per_thread = 22, .blocks_of_multiprocessor = 2};
  for (int k = 10; k <= 32; k += k < 22 ? 2 : 1) {
    const Problem problem{std::uint64_t{1} << k, std::uint64_t{4} << k};
    GpuSolver direct(problem, Method::direct);
    const auto time = [&](Method method, const std::optional<Tuning>& tuning, const char* note) {
      std::optional<GpuSolver> other;
      if (method != Method::direct) other.emplace(problem, method, Rule::any, tuning);
      GpuSolver& solver = other ? *other : direct;
      solver.upload(*stream_);
      const double seconds = best_seconds(solver, *stream_);
      const std::uint64_t wrong = differing_words(solver, direct, *stream_);
      std::printf("2^%-3d %-14s %10.4f %8.2f %12llu %s\n", k, name_of(method), seconds * 1e3,
                  static_cast<double>(problem.updates) / seconds * 1e-9, static_cast<unsigned long long>(wrong), note);
      std::fflush(stdout);
      EXPECT_EQ(wrong, 0u);
    };
    time(Method::direct, {}, "");
    if (k > 22 && k <= 28) time(Method::windows, {}, "");
    if (k <= 20) time(Method::regions, {}, "");
    if (k >= 14) time(Method::binned, one_block, "one block of 1024");
    if (k >= 14) time(Method::binned, two_blocks, "two blocks of 512");
    if (k >= 26) time(Method::parts, one_block, "one block of 1024");
    if (k >= 26) time(Method::parts, two_blocks, "two blocks of 512");
  }
}

TEST_F(GupsGpu, VariantsSayWhichRuleTheyKeep) {
  harness::Application app = application();
  harness::bind_variants(app, cuda_runs());
  for (const harness::Variant& variant : app.variants) {
    if (variant.backend != harness::Backend::cuda) continue;
    const auto run =
        harness::completed_run(app, variant, harness::problem_with(app, {{"words", std::int64_t{1} << 22}}));
    const bool stores = run->choices().size() > 2;
    EXPECT_EQ(run->choices()[0].second.find(stores ? "1024 per thread" : "1024 per process"), 0u) << variant.name;
  }
}

}  // namespace
}  // namespace speedwell::gups
