// GpuPair against find_end() and the reference, and its speed. Tests whose name ends in Large take seconds, those in
// Long take minutes under racecheck: --gtest_filter=-*Large:*Long; SpeedLarge prints GCUPS of every way to divide a
// pair.
#include "speedwell/apps/alignment/gpu_pair.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "speedwell/apps/alignment/gpu_pair/band_kernel.hpp"
#include "speedwell/apps/alignment/gpu_steps.hpp"
#include "speedwell/apps/alignment/verify/pair_checks.hpp"
#include "speedwell/apps/alignment/verify/reference.hpp"
#include "speedwell/core/cuda.hpp"
#include "tests/apps/alignment/gpu_pair_fixture.hpp"

namespace speedwell::alignment {
namespace {

using test::blosum62;
using test::dna;
using test::given_length;
using test::GpuPairTest;
using test::Residues;
using test::tunings;

EndPoint reference_end(const Residues& query, const Residues& subject, const Scoring& scoring) {
  const reference::Best best = reference::best(query, subject, scoring);
  return {static_cast<std::int32_t>(best.score), static_cast<std::int32_t>(best.query_end),
          static_cast<std::int32_t>(best.subject_end)};
}

EndPoint run(GpuPair& pair, const Residues& query, const Residues& subject, const Scoring& scoring,
             const GpuPairTuning& tuning) {
  const core::Stream stream;
  GpuPairSteps steps(pair, query, subject, scoring, tuning);
  steps.upload(stream);
  steps.poison(stream);
  steps.enqueue(stream);
  steps.download(stream);
  return steps.end();
}

void expect_end(const EndPoint& got, const EndPoint& expected, const Residues& query, const Residues& subject,
                const Scoring& scoring, const GpuPairTuning& tuning) {
  EXPECT_TRUE(got == expected) << got.score << " at " << got.query_end << ", " << got.subject_end << ", not "
                               << expected.score << " at " << expected.query_end << ", " << expected.subject_end << ": "
                               << query.size() << " x " << subject.size() << ", " << scoring.matrix.name() << ", gaps "
                               << scoring.gap_open << "," << scoring.gap_extend << ", strips of " << tuning.strip_rows
                               << ", " << tuning.block_warps << " warps";
}

TEST_F(GpuPairTest, LengthsAroundStripsBandsAndChunks) {
  GpuPair pair;
  for (const std::size_t m : {0, 1, 2, 127, 128, 129, 1023, 1024, 1025, 2500})
    for (const std::size_t n : {0, 1, 2, 63, 64, 65, 66, 126, 127, 128, 129, 130, 1000}) {
      const Residues query = random_residues(m), subject = random_residues(n);
      const Scoring scoring = dna(2, -3, 5, 2);
      expect_end(pair.find_end(query, subject, scoring), reference_end(query, subject, scoring), query, subject,
                 scoring, {});
    }
}

/// Every kernel on a pair of related sequences, where candidate chunks are saved and tested later.
void expect_every_kernel(const Residues& query, const Residues& subject, const Scoring& scoring, bool pair_table) {
  GpuPair pair;
  const EndPoint expected = reference_end(query, subject, scoring);
  for (GpuPairTuning tuning : tunings(pair_table))
    for (const bool prune : {true, false}) {
      tuning.prune = prune;
      expect_end(run(pair, query, subject, scoring, tuning), expected, query, subject, scoring, tuning);
    }
}

TEST_F(GpuPairTest, EveryKernelShort) {
  const Residues query = random_residues(3300), protein = random_residues(1700, 25);
  Residues subject = random_residues(100);
  const Residues related = random_.relative({query.begin() + 1500, query.begin() + 2000});
  subject.insert(subject.end(), related.begin(), related.end());
  expect_every_kernel(query, subject, dna(2, -3, 5, 2), true);
  expect_every_kernel(protein, random_.relative({protein.begin() + 700, protein.begin() + 1100}), blosum62(), false);
}

TEST_F(GpuPairTest, EveryKernelLong) {
  const Residues query = random_residues(7000);
  Residues subject = random_residues(1500);
  const Residues related = random_.relative(query);
  subject.insert(subject.end(), related.begin(), related.end());
  for (const auto& scoring : {dna(2, -3, 5, 2), dna(5, -3, 8, 1), dna(1, -1, 0, 1), dna(1, -2, 1, 0)})
    expect_every_kernel(query, subject, scoring, true);
  const Residues a = random_residues(3000, 25);
  Residues b = random_residues(400, 25);
  const Residues relative = random_.relative(a);
  b.insert(b.end(), relative.begin(), relative.end());
  expect_every_kernel(a, b, blosum62(), false);
}

TEST_F(GpuPairTest, AmbiguousResidues) {
  GpuPair pair;
  for (const std::size_t symbol_count : {5, 6, 15}) {
    const Residues query = random_residues(2000, symbol_count);
    const Residues subject = random_.relative(query);
    for (const auto& scoring : {dna(2, -3, 5, 2), dna(2, 0, 5, 2), Scoring{named_matrix("NUC.4.4"), 10, 1}})
      expect_end(pair.find_end(query, subject, scoring), reference_end(query, subject, scoring), query, subject,
                 scoring, {});
  }
}

TEST_F(GpuPairTest, ScoresFarBeyond16BitsLong) {
  GpuPair pair;
  const Residues query = random_residues(20000);
  Residues subject = random_residues(3000);
  subject.insert(subject.end(), query.begin() + 1000, query.end());
  const Residues tail = random_residues(5000);
  subject.insert(subject.end(), tail.begin(), tail.end());
  for (const auto& scoring : {dna(5, -4, 10, 1), dna(20, -30, 25, 3)}) {
    const EndPoint expected = reference_end(query, subject, scoring);
    EXPECT_GT(expected.score, 90000);
    expect_end(pair.find_end(query, subject, scoring), expected, query, subject, scoring, {});
  }
}

TEST_F(GpuPairTest, OneResidueAndNoMatchAtAll) {
  GpuPair pair;
  const Residues a(5000, 0), b(7000, 0), other(7000, 1);
  for (const auto& scoring : {dna(2, -3, 5, 2), dna(1, -1, 1, 0)}) {
    expect_end(pair.find_end(a, b, scoring), {scoring.matrix.highest() * 5000, 5000, 5000}, a, b, scoring, {});
    expect_end(pair.find_end(a, other, scoring), {}, a, other, scoring, {});
  }
}

// The band that has the best cell is not the last to finish, and others have it too: each of 40 words meets each of 40,
// and what lies between two words costs more than a word is worth, as a gap or as mismatches.
TEST_F(GpuPairTest, TiesGoToTheSmallestQueryEndThenTheSmallestSubjectEndLong) {
  GpuPair pair;
  const Residues word = random_residues(200);
  for (int trial = 0; trial < 5; ++trial) {
    Residues query, subject;
    for (int i = 0; i < 40; ++i) {
      query.insert(query.end(), 100 + random_.below(600), 10);
      query.insert(query.end(), word.begin(), word.end());
      subject.insert(subject.end(), 100 + random_.below(300), 11);
      subject.insert(subject.end(), word.begin(), word.end());
    }
    const Scoring scoring = dna(1, -3, 50, 2);
    const EndPoint expected = reference_end(query, subject, scoring);
    EXPECT_EQ(expected.score, 200);
    for (int repeat = 0; repeat < 3; ++repeat)
      expect_end(pair.find_end(query, subject, scoring), expected, query, subject, scoring, {});
  }
}

TEST_F(GpuPairTest, PruningLeavesTheResultAloneLong) {
  GpuPair pair;
  const Residues query = random_residues(9000);
  const Residues related = random_.relative(query);
  Residues shifted = random_residues(5000);
  shifted.insert(shifted.end(), related.begin(), related.end());
  for (const auto& scoring : {dna(2, -3, 5, 2), dna(20, -30, 25, 3), dna(1, -1, 0, 1)})
    for (const Residues* subject : {&related, static_cast<const Residues*>(&shifted)}) {
      const EndPoint expected = reference_end(query, *subject, scoring);
      for (const bool prune : {false, true}) {
        const GpuPairTuning tuning{.prune = prune};
        expect_end(run(pair, query, *subject, scoring, tuning), expected, query, *subject, scoring, tuning);
      }
    }
}

TEST_F(GpuPairTest, RefusesWhatItCannotDo) {
  GpuPair pair;
  const Residues query = random_residues(100), subject = random_residues(100);
  EXPECT_THROW(pair.find_end(query, subject, dna(127, -1, 11, 1)), std::invalid_argument);
  EXPECT_THROW(pair.find_end(query, subject, dna(2, -3, 0, 0)), std::invalid_argument);
  EXPECT_THROW(GpuPair(-1), core::Unavailable);
  EXPECT_THROW(GpuPair(core::device_count()), core::Unavailable);
}

TEST_F(GpuPairTest, LongPairsAgreeWithTheProcessorLarge) {
  GpuPair pair;
  const Residues query = random_residues(70001);
  Residues subject = random_residues(9000);
  const Residues related = random_.relative(query);
  subject.insert(subject.end(), related.begin(), related.end());
  const Residues unrelated = random_residues(80000);
  for (const auto& scoring : {dna(2, -3, 5, 2), dna(5, -3, 8, 1)})
    for (const Residues* other : {static_cast<const Residues*>(&subject), &unrelated}) {
      const EndPoint expected = find_end(query, *other, scoring);
      expect_end(pair.find_end(query, *other, scoring), expected, query, *other, scoring, {});
    }
}

/// GCUPS of three runs, the best (of long pairs: of one); every run's result is the same.
double gcups(GpuPair& pair, const Residues& query, const Residues& subject, const Scoring& scoring,
             const GpuPairTuning& tuning, EndPoint& end) {
  const core::Stream stream;
  GpuPairSteps steps(pair, query, subject, scoring, tuning);
  steps.upload(stream);
  double minimum = 1e30;
  for (int repeat = 0; repeat < (query.size() > 2000000 ? 1 : 3); ++repeat) {
    core::Event begin, finish;
    steps.poison(stream);
    begin.record(stream);
    steps.enqueue(stream);
    finish.record(stream);
    steps.download(stream);
    minimum = std::min(minimum, finish.seconds_since(begin));
    EXPECT_TRUE(repeat == 0 || steps.end() == end) << "another result in another run";
    end = steps.end();
  }
  return static_cast<double>(query.size()) * static_cast<double>(subject.size()) / minimum * 1e-9;
}

/// The length of both sequences in tests of speed: SPEEDWELL_TEST_LENGTH, or 10^6.
TEST_F(GpuPairTest, SpeedLarge) {
  const std::size_t length = given_length();
  const Residues query = random_residues(length);
  Residues related = random_.relative(query);
  related.resize(length, 3);
  const Residues unrelated = random_residues(length), proteins = random_residues(length / 4, 20);
  GpuPair pair;
  const auto report = [&](const char* what, const Residues& a, const Residues& b, const Scoring& scoring,
                          bool pair_table) {
    EndPoint first;
    bool have_first = false;
    std::vector<GpuPairTuning> all{{.prune = true}, {.prune = false}};
    for (const BandVariant& variant : band_variants())
      if (variant.pair_table == pair_table && variant.strip_rows > 2)
        for (const int warps : {8, variant.max_warps})
          all.push_back({.strip_rows = variant.strip_rows, .block_warps = warps, .prune = false});
    for (const GpuPairTuning& tuning : all) {
      EndPoint end;
      double rate = 0;
      try {
        rate = gcups(pair, a, b, scoring, tuning, end);
      } catch (const std::invalid_argument&) {
        continue;  // not as many warps fit
      }
      std::printf("%-22s %zu x %zu, strips of %2d, %2d warps%s: %8.1f GCUPS, score %d at %d, %d\n", what, a.size(),
                  b.size(), pair.tuning().strip_rows, pair.tuning().block_warps,
                  tuning.strip_rows ? ""
                  : tuning.prune    ? " (chosen, pruned)"
                                    : " (chosen)",
                  rate, end.score, end.query_end, end.subject_end);
      std::fflush(stdout);
      EXPECT_TRUE(!have_first || end == first) << "another result with another tuning";
      first = end;
      have_first = true;
    }
  };
  report("unrelated 2/-3,5,2", query, unrelated, dna(2, -3, 5, 2), true);
  report("related 2/-3,5,2", query, related, dna(2, -3, 5, 2), true);
  report("related 5/-3,8,1", query, related, dna(5, -3, 8, 1), true);
  report("protein BLOSUM62", proteins, random_residues(length / 4, 20), blosum62(), false);

  const auto begin = std::chrono::steady_clock::now();
  const EndPoint end = pair.find_end(query, related, dna(2, -3, 5, 2));
  const auto middle = std::chrono::steady_clock::now();
  const Alignment alignment = pair.align(query, related, dna(2, -3, 5, 2));
  const auto finish = std::chrono::steady_clock::now();
  const auto seconds = [](auto time) { return std::chrono::duration<double>(time).count(); };
  std::printf("related 2/-3,5,2: score and end in %.3f s, alignment in %.3f s, copies and allocation included\n",
              seconds(middle - begin), seconds(finish - middle));
  EXPECT_EQ(alignment.score, end.score);
  EXPECT_EQ(alignment.query_end, end.query_end);
  EXPECT_EQ(alignment.subject_end, end.subject_end);
  EXPECT_EQ(rescore(query, related, dna(2, -3, 5, 2), alignment.query_begin, alignment.subject_begin, alignment.cigar),
            alignment.score);
}

// Every kernel leaves the checks that the processor's whole table has, with the path's rows kept and without.
TEST_F(GpuPairTest, ChecksOfEveryBandAreThoseOfTheProcessor) {
  for (const bool pair_table : {true, false})
    for (GpuPairTuning tuning : tunings(pair_table))
      for (const bool related : {false, true}) {
        const Residues query = random_residues(6000, pair_table ? 4 : 20);
        const Residues subject = related ? random_.relative(query) : random_residues(9000, pair_table ? 4 : 20);
        const Scoring scoring = pair_table ? dna(2, -3, 5, 2) : blosum62();
        for (const bool prune : {false, true}) {
          tuning.checks = true;
          tuning.prune = prune;
          GpuPair pair;
          GpuPairSteps steps(pair, query, subject, scoring, tuning, prune);
          const core::Stream stream;
          steps.upload(stream);
          steps.poison(stream);
          for (int time = 0; time < 2; ++time) steps.enqueue(stream);  // the second starts anew
          steps.download(stream);
          const PairChecks got = steps.checks();
          const ExpectedChecks expected = expected_checks(query, subject, scoring, got);
          std::size_t passed_over = 0;
          EXPECT_EQ(wrong_checks(expected, got, scoring, &passed_over), 0u) << tuning.strip_rows << " rows";
          EXPECT_EQ(steps.end(), expected.end);
          EXPECT_TRUE(prune || passed_over == 0);
        }
      }
}

}  // namespace
}  // namespace speedwell::alignment
