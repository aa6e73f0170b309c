// The work that the application counts, what it refuses, and its verdict on samples and on whole searches.
#include "speedwell/apps/alignment/adapter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "speedwell/apps/alignment/adapter_workload.hpp"
#include "speedwell/apps/alignment/alignment.hpp"
#include "speedwell/apps/alignment/problem.hpp"
#include "speedwell/io/error.hpp"
#include "tests/apps/lifecycle.hpp"
#include "tests/support/folder_fixture.hpp"

namespace speedwell::alignment {
namespace {

using harness::problem_with;
using harness::row;
using harness::Setting;

std::vector<Setting> little(std::int64_t queries = 5, std::int64_t subjects = 90) {
  return {{"queries", queries}, {"subjects", subjects}, {"mean_length", 60.0}, {"related", 0.1}};
}

TEST(AlignmentWork, CountsWhatTheLanesOfEachVariantLeave) {
  const harness::Application app = application();
  const harness::Problem many = problem_with(app, little());
  const auto of_cell = [&](const char* name) {
    const harness::Work work = row(app, name).work(many);
    EXPECT_TRUE(work.no_limit.empty() || std::string(name).starts_with("cuda-pair"));
    return work.operations / work.updates;
  };
  EXPECT_EQ(app.work(many).operations / app.work(many).updates, 1.75);
  EXPECT_EQ(of_cell("serial"), 10);
  EXPECT_EQ(of_cell("openmp"), 2.5);
  EXPECT_EQ(of_cell("cuda-16-bit"), 2.5);
  EXPECT_EQ(of_cell("cuda-11-bit"), 1.75);
  EXPECT_EQ(of_cell("cuda"), 1.75);
  EXPECT_EQ(of_cell("cuda-pair"), 2.5);
  const auto pair = [&](double related) {
    std::vector<Setting> settings = little(1, 1);
    settings.back() = {"related", related};
    return row(app, "cuda-pair").work(problem_with(app, settings));
  };
  EXPECT_TRUE(pair(0).no_limit.empty());
  EXPECT_FALSE(pair(1).no_limit.empty()) << "parts that do not matter are passed over";
}

// The same, where the reference sees only a sample of the pairs.
class SampledOracle : public testing::Test {
 protected:
  SequenceSet queries = make_sequences({.count = 20, .mean_length = 60, .seed = 1});
  SequenceSet subjects = make_relatives({.count = 500, .mean_length = 60, .seed = 2}, queries, 0.02);
  Scoring scoring{named_matrix("BLOSUM62"), 11, 1};
  Expected expected = expect(queries, subjects, scoring, {.all_cells = 0, .sample_cells = 1e6});
  std::vector<std::int32_t> right = search_scores(queries, subjects, scoring);

  bool passes(const std::vector<std::int32_t>& scores) const { return verify(expected, scores).passed; }
};

TEST_F(SampledOracle, AcceptsTheRightScoresAndSaysWhatItLookedAt) {
  EXPECT_TRUE(passes(right));
  EXPECT_LT(expected.pairs.size(), 2000u);
  EXPECT_GT(expected.pairs.size(), 200u);
  const std::string oracle = verify(expected, right).oracle;
  EXPECT_NE(oracle.find(std::to_string(expected.pairs.size()) + " of 10000 pairs"), std::string::npos) << oracle;
}

TEST_F(SampledOracle, EveryQueryAndTheLastPairsAreInTheSample) {
  std::vector<bool> seen(queries.size());
  for (const std::size_t p : expected.pairs) seen[p / subjects.size()] = true;
  EXPECT_EQ(seen, std::vector<bool>(queries.size(), true));
  for (std::size_t p = right.size() - 16; p < right.size(); ++p)
    EXPECT_TRUE(std::binary_search(expected.pairs.begin(), expected.pairs.end(), p));
}

TEST_F(SampledOracle, RejectsAWrongEnd) {
  for (const std::size_t from_end : {1u, 2u, 16u}) {
    auto scores = right;
    ++scores[scores.size() - from_end];
    EXPECT_FALSE(passes(scores));
  }
  auto scores = right;
  --scores[0];
  EXPECT_FALSE(passes(scores));
}

TEST_F(SampledOracle, RejectsPoisonAnywhere) {
  for (const std::int32_t poison : {-1, 0x7f7f7f7f, 0x7fffffff, -2147483647 - 1})
    for (std::size_t p = 0; p < right.size(); p += 97) {
      auto scores = right;
      scores[p] = poison;
      EXPECT_FALSE(passes(scores)) << p;
    }
}

TEST_F(SampledOracle, RejectsZerosWhereResiduesAgree) {
  for (std::size_t p = 0; p < right.size(); p += 101) {
    auto scores = right;
    scores[p] = 0;
    EXPECT_FALSE(passes(scores)) << p;
  }
}

TEST_F(SampledOracle, RejectsShiftsSwapsAndOtherData) {
  auto shifted = right;
  std::rotate(shifted.begin(), shifted.begin() + 1, shifted.end());
  EXPECT_FALSE(passes(shifted));
  shifted = right;
  std::rotate(shifted.begin(), shifted.end() - 1, shifted.end());
  EXPECT_FALSE(passes(shifted));

  std::vector<std::int32_t> transposed(right.size());
  for (std::size_t q = 0; q < queries.size(); ++q)
    for (std::size_t s = 0; s < subjects.size(); ++s)
      transposed[s * queries.size() + q] = right[q * subjects.size() + s];
  EXPECT_FALSE(passes(transposed));

  // One query's row missed: that of the query before in its place.
  for (std::size_t q = 1; q < queries.size(); ++q) {
    auto scores = right;
    std::copy_n(right.begin() + static_cast<std::ptrdiff_t>((q - 1) * subjects.size()), subjects.size(),
                scores.begin() + static_cast<std::ptrdiff_t>(q * subjects.size()));
    EXPECT_FALSE(passes(scores)) << q;
  }
  EXPECT_FALSE(passes(search_scores(make_sequences({.count = 20, .mean_length = 60, .seed = 3}), subjects, scoring)));
  EXPECT_FALSE(passes(search_scores(queries, subjects, {scoring.matrix, 10, 1})));
  EXPECT_FALSE(passes({}));
  auto longer = right;
  longer.push_back(0);
  EXPECT_FALSE(passes(longer));
}

// Where the reference sees a sample, another implementation sees every pair.
class WholeSearch : public testing::Test {
 protected:
  WholeSearch() {
    const SequenceSet ancestors = make_sequences({.count = 20, .mean_length = 60, .seed = 1});
    prepared = std::make_shared<AlignmentWorkload>(
        ancestors, make_relatives({.count = 500, .mean_length = 60, .seed = 2}, ancestors, 0.02),
        Scoring{named_matrix("BLOSUM62"), 11, 1});
    prepared->effort = {.all_cells = 0, .sample_cells = 1e6};
    sample = expect(prepared->queries, prepared->subjects, prepared->scoring, prepared->effort);
    right = search_scores(prepared->queries, prepared->subjects, prepared->scoring);
  }
  bool sampled(std::size_t p) const { return std::binary_search(sample.pairs.begin(), sample.pairs.end(), p); }

  std::shared_ptr<AlignmentWorkload> prepared;
  Expected sample;
  std::vector<std::int32_t> right;
};

TEST_F(WholeSearch, RejectsOneWrongScoreInAnyPairThatTheSampleDoesNotHold) {
  std::size_t tried = 0;
  for (const auto other : {AlignmentWorkload::Other::openmp, AlignmentWorkload::Other::cross_check}) {
    EXPECT_TRUE(prepared->verify(right, other).passed);
    for (std::size_t p = 0; p < right.size(); ++p) {
      if (sampled(p) || p % 7 != 0) continue;
      auto scores = right;
      ++scores[p];
      ASSERT_TRUE(verify(sample, scores).passed) << "the sample or the bounds alone see it: " << p;
      ASSERT_EQ(prepared->verify(scores, other).error, 1) << p;
      ++tried;
    }
  }
  EXPECT_GT(tried, 1000u);
}

TEST_F(WholeSearch, HoldsTheOtherImplementationAgainstTheReference) {
  Expected expected = sample;
  expected.others = right;
  expected.other = "openmp";
  EXPECT_TRUE(verify(expected, right).passed);
  ++expected.others[expected.pairs[expected.pairs.size() / 2]];
  EXPECT_FALSE(verify(expected, right).passed) << "the run is right, what it is compared with is not";
  EXPECT_FALSE(verify(expected, expected.others).passed) << "both are wrong in the same pair";
  expected.others.pop_back();
  EXPECT_THROW(verify(expected, right), std::invalid_argument);
}

TEST_F(WholeSearch, OpenmpIsComparedWithCodeThatItDoesNotShare) {
  const harness::Application app = application();
  for (const std::string name : {"serial", "openmp"}) {
    const auto run = row(app, name).make(prepared, {.threads = 2});
    run->allocate();
    run->execute();
    const core::Verdict verdict = run->verify();
    EXPECT_TRUE(verdict.passed) << name;
    const std::string other = name == "openmp" ? "a second implementation" : "openmp";
    EXPECT_NE(verdict.oracle.find(other + " on all 10000,"), std::string::npos) << verdict.oracle;
  }
}

TEST(AlignmentApplication, WorkCountsEveryCell) {
  const harness::Application app = application();
  const harness::Problem problem = problem_with(app, little());
  const auto prepared = std::static_pointer_cast<const AlignmentWorkload>(app.prepare(problem));
  const harness::Work work = app.work(problem);
  EXPECT_EQ(work.updates, static_cast<double>(prepared->queries.residues() * prepared->subjects.residues()));
  EXPECT_EQ(work.bytes_read, static_cast<double>(prepared->queries.residues() + prepared->subjects.residues()));
  EXPECT_EQ(work.bytes_written, 4.0 * 5 * 90);
}

TEST(AlignmentApplication, RefusesProblemsBeforeAnythingIsAllocated) {
  const harness::Application app = application();
  const auto with = [&](Setting setting) {
    auto settings = little();
    settings.push_back(std::move(setting));
    return problem_with(app, settings);
  };
  EXPECT_THROW(app.footprint(with({"matrix", std::string("BLOSUM63")})), std::invalid_argument);
  EXPECT_THROW(app.footprint(with({"matrix", std::string("2/-3")})), std::invalid_argument);  // of the other alphabet
  EXPECT_THROW(app.footprint(with({"query_file", std::string("/nonexistent.fa")})), io::InputError);
  EXPECT_TRUE(
      row(app, "serial")
          .unsupported_reason(problem_with(app, {{"queries", std::int64_t{100}}, {"subjects", std::int64_t{20000}}})));
  EXPECT_FALSE(row(app, "serial").unsupported_reason(problem_with(app, little())));
}

TEST(AlignmentApplication, GpuVariantsSayWhichProblemsTheyAreFor) {
  const harness::Application app = application();
  const auto one_pair = [&](double length) {
    return problem_with(app, {{"alphabet", std::string("dna")},
                              {"queries", std::int64_t{1}},
                              {"subjects", std::int64_t{1}},
                              {"mean_length", length},
                              {"spread", 0.0},
                              {"related", 0.0}});
  };
  const harness::Problem search = problem_with(app, {}), pair = one_pair(3000), huge = one_pair(4e6);
  EXPECT_TRUE(row(app, "cuda-pair").unsupported_reason(search));
  EXPECT_FALSE(row(app, "cuda-pair").unsupported_reason(pair));
  EXPECT_FALSE(row(app, "cuda").unsupported_reason(pair));
  EXPECT_TRUE(row(app, "cuda").unsupported_reason(huge));
  EXPECT_TRUE(row(app, "openmp").unsupported_reason(huge));
}

TEST(AlignmentApplication, ParasailRefusesWhatItGetsWrong) {
  const harness::Application app = application();
  for (const auto& [open, extend] : {std::pair<std::int64_t, std::int64_t>{0, 3}, {100, 1}}) {
    std::vector<Setting> settings = little();
    settings.push_back({"gap_open", open});
    settings.push_back({"gap_extend", extend});
    EXPECT_TRUE(row(app, "parasail").unsupported_reason(problem_with(app, settings))) << open << " " << extend;
  }
}

using AlignmentApplicationFiles = test::FolderFixture;

TEST_F(AlignmentApplicationFiles, HaveTheSequences) {
  const std::string path = write("queries.fa", ">a first\nARNDCQEGH\n>b\nilkmfpstwyv\n");
  const harness::Application app = application();
  auto settings = little();
  settings.push_back({"query_file", path});
  const harness::Problem problem = problem_with(app, settings);
  const auto prepared = std::static_pointer_cast<const AlignmentWorkload>(app.prepare(problem));
  EXPECT_EQ(prepared->queries.size(), 2u);
  EXPECT_EQ(prepared->queries.name(0), "a");
  EXPECT_EQ(app.work(problem).updates, 20.0 * static_cast<double>(prepared->subjects.residues()));
  EXPECT_TRUE(completed_run(app, row(app, "openmp"), problem)->verify().passed);
}

}  // namespace
}  // namespace speedwell::alignment
