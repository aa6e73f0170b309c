// One pair on several GPUs, which ranks may share: the end point, the checks and the alignment of one GPU alone.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "speedwell/apps/alignment/adapter.hpp"
#include "speedwell/apps/alignment/alignment.hpp"
#include "speedwell/apps/alignment/gpu_pair_on_devices.hpp"
#include "speedwell/apps/alignment/gpu_steps.hpp"
#include "speedwell/apps/alignment/gpu_team_of_ranks.hpp"
#include "speedwell/apps/alignment/verify/reference.hpp"
#include "tests/apps/alignment/gpu_pair_fixture.hpp"
#include "tests/apps/alignment/same_alignment.hpp"
#include "tests/apps/device_ranks_lifecycle.hpp"

namespace speedwell::alignment {
namespace {

using speedwell::test::is_root;
using speedwell::test::ranks;
using speedwell::test::set_device_of_rank;
using test::dna;
using test::Residues;

/// All ranks make the same sequences.
class PairOnGpus : public testing::Test {
 protected:
  void SetUp() override {
    if (!set_device_of_rank()) GTEST_SKIP() << "no GPU";
    core::check(cudaGetDevice(&device_));
    team_.emplace(ranks());
  }

  Residues random_residues(std::size_t length, std::size_t symbol_count = 4) {
    Residues made(length);
    for (auto& code : made) code = static_cast<std::uint8_t>(random_.below(symbol_count));
    return made;
  }

  struct Found {
    EndPoint end;
    PairChecks checks;
    Alignment alignment;  // on the first rank
  };
  /// The sweep is repeated without its uploads.
  Found on_all(const Residues& query, const Residues& subject, const Scoring& scoring, const GpuPairTuning& tuning,
               bool with_traceback = false, int sweeps = 1) {
    GpuPair pair(device_);
    const core::Stream stream;
    GpuPairSteps steps(pair, query, subject, scoring, tuning, with_traceback, &*team_);
    steps.upload(stream);
    for (int n = 0; n < sweeps; ++n) {
      steps.poison(stream);
      steps.enqueue(stream);
      steps.download(stream);
    }
    return {steps.end(), steps.checks(), with_traceback ? steps.trace_back(stream) : Alignment{}};
  }
  void expect_end_of_reference(const Residues& query, const Residues& subject, const Scoring& scoring,
                               const GpuPairTuning& tuning, int sweeps = 1) {
    const reference::Best best = reference::best(query, subject, scoring);
    const EndPoint got = on_all(query, subject, scoring, tuning, false, sweeps).end;
    EXPECT_EQ(got.score, best.score) << query.size() << " x " << subject.size() << " strips " << tuning.strip_rows;
    EXPECT_EQ(got.query_end, static_cast<std::int64_t>(best.query_end));
    EXPECT_EQ(got.subject_end, static_cast<std::int64_t>(best.subject_end));
  }

  int device_ = 0;
  test::Random random_{20261126};
  std::optional<RanksTeam> team_;
};

TEST_F(PairOnGpus, LengthsAroundBandsAndChunks) {
  for (const std::size_t m : {0, 1, 127, 128, 129, 1025, 2500})
    for (const std::size_t n : {0, 1, 65, 126, 128, 129, 1000})
      expect_end_of_reference(random_residues(m), random_residues(n), dna(2, -3, 5, 2), {});
}

TEST_F(PairOnGpus, EveryKernelWithAndWithoutPruning) {
  const Residues query = random_residues(3000), subject = random_.relative(query);
  for (const bool pair_table : {true, false})
    for (GpuPairTuning tuning : test::tunings(pair_table))
      for (const bool prune : {true, false}) {
        tuning.prune = prune;
        if (pair_table)
          expect_end_of_reference(query, subject, dna(2, -3, 5, 2), tuning);
        else
          expect_end_of_reference(random_residues(2000, 20), random_residues(1500, 20), test::blosum62(), tuning);
      }
}

TEST_F(PairOnGpus, OneWarpOnEachMultiprocessorAndManySweeps) {
  const Residues query = random_residues(4000), subject = random_.relative(query);
  expect_end_of_reference(query, subject, dna(2, -3, 5, 2), {.strip_rows = 2, .block_warps = 1}, 20);
}

TEST_F(PairOnGpus, TiesGoToTheSmallestQueryEnd) {
  const Residues word = random_residues(60);
  Residues query, subject = random_residues(300);
  for (int n = 0; n < 40; ++n) {
    query.insert(query.end(), word.begin(), word.end());
    const Residues between = random_residues(90);
    query.insert(query.end(), between.begin(), between.end());
  }
  subject.insert(subject.end(), word.begin(), word.end());
  for (const bool prune : {true, false})
    expect_end_of_reference(query, subject, dna(2, -3, 5, 2), {.strip_rows = 2, .prune = prune});
}

TEST_F(PairOnGpus, ChecksAreThoseOfOneGpu) {
  const Residues query = random_residues(5000), subject = random_residues(4000);
  const Scoring scoring = dna(2, -3, 5, 2);
  const GpuPairTuning tuning{.strip_rows = 2, .prune = false, .checks = true};
  const Found got = on_all(query, subject, scoring, tuning, false, 2);
  GpuPair alone(device_);
  const core::Stream stream;
  GpuPairSteps steps(alone, query, subject, scoring, tuning);
  steps.upload(stream);
  steps.enqueue(stream);
  steps.download(stream);
  EXPECT_TRUE(got.end == steps.end());
  EXPECT_EQ(got.checks.sums, steps.checks().sums);
  EXPECT_EQ(got.checks.maximum, steps.checks().maximum);
  EXPECT_EQ(got.checks.first_pruned, steps.checks().first_pruned);
}

TEST_F(PairOnGpus, AlignmentsAreThoseOfTheProcessor) {
  for (const auto& [strip_rows, kept_bands] : {std::pair{0, 0}, {2, 1}, {2, 3}, {8, 2}}) {
    const Residues query = random_residues(6000), subject = random_.relative(query);
    const Scoring scoring = dna(2, -3, 5, 2);
    const Found got = on_all(query, subject, scoring, {.strip_rows = strip_rows, .kept_bands = kept_bands}, true);
    if (is_root()) test::expect_same(got.alignment, align(query, subject, scoring), query, subject, scoring);
  }
}

TEST_F(PairOnGpus, LongPairsAgreeWithOneGpuLarge) {
  const std::size_t length = test::given_length() / 4;
  const Residues query = random_residues(length);
  for (const Residues& subject : {random_residues(length), random_.relative(query)}) {
    const Scoring scoring = dna(2, -3, 5, 2);
    const EndPoint got = on_all(query, subject, scoring, {}, false, 2).end;
    if (is_root()) {
      EXPECT_TRUE(got == GpuPair(device_).find_end(query, subject, scoring));
    }
  }
}

TEST_F(PairOnGpus, RowsOfTheApplicationPass) {
  harness::Application app = application();
  harness::bind_variants(app, multi_runs());
  const std::string dna_alphabet = "dna";
  for (const std::string row : {"multi-pair", "multi-pair-path"})
    for (const double related : {0.0, 1.0}) {
      const harness::Problem problem = harness::problem_with(app, {{"alphabet", dna_alphabet},
                                                                   {"queries", 1},
                                                                   {"subjects", 1},
                                                                   {"mean_length", 20000.0},
                                                                   {"related", related}});
      const auto run = harness::completed_run_on_ranks(app, harness::row(app, row), problem);
      if (!is_root()) continue;
      const core::Verdict verdict = run->verify();
      EXPECT_TRUE(verdict.passed) << row << ": " << verdict.error << " " << verdict.oracle;
    }
}

// In one process, which needs two GPUs.
TEST(PairOnDevices, IsThatOfOneDevice) {
  if (!set_device_of_rank()) GTEST_SKIP() << "no GPU";
  if (ranks().size() > 1) GTEST_SKIP() << "one process";
  std::vector<int> devices;
  for (int device = 0; device < core::device_count(); ++device) devices.push_back(device);
  EXPECT_FALSE(can_share_pairs({0}));
  EXPECT_FALSE(can_share_pairs({0, 0})) << "kernels that wait for each other need a device each";
  if (!can_share_pairs(devices)) GTEST_SKIP() << "no GPUs that reach each other's memory";
  test::Random random{5};
  Residues query(30000);
  for (auto& code : query) code = static_cast<std::uint8_t>(random.below(4));
  const Residues subject = random.relative(query);
  const Scoring scoring = dna(2, -3, 5, 2);
  const Alignment expected = align(query, subject, scoring);
  EXPECT_EQ(find_end_on_devices(devices, query, subject, scoring).score, expected.score);
  test::expect_same(align_on_devices(devices, query, subject, scoring), expected, query, subject, scoring);
  EXPECT_THROW(find_end_on_devices(devices, query, subject, dna(127, -1, 11, 1)), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::alignment
