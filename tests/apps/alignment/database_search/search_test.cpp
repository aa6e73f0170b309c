// Hits of a search against all pairs aligned one by one, and which options are refused. The command line's tests hold
// the same search against lines of BLAST.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "speedwell/apps/alignment/database_search/database_search.hpp"
#include "speedwell/apps/alignment/database_search/sequences.hpp"
#include "speedwell/core/error.hpp"
#include "tests/apps/alignment/database_search/search_support.hpp"

namespace speedwell::database_search {
namespace {

using alignment::Alphabet;
using alignment::SequenceSet;

// The definition of a hit, pair by pair.
std::vector<Hit> expected_hits(const SequenceSet& queries, const SequenceSet& minus, const SequenceSet& database,
                               std::size_t query, const SearchOptions& options) {
  std::vector<Hit> hits;
  for (std::size_t s = 0; s < database.size(); ++s) {
    Hit hit{.subject = s, .alignment = alignment::align(queries.codes(query), database.codes(s), options.scoring)};
    if (minus.size() > 0) {
      const auto other = alignment::align(minus.codes(query), database.codes(s), options.scoring);
      if (other.score > hit.alignment.score) hit = {.subject = s, .minus = true, .alignment = other};
    }
    hit.score = hit.alignment.score;
    if (hit.score >= options.min_score) hits.push_back(hit);
  }
  std::stable_sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) { return a.score > b.score; });
  if (hits.size() > options.max_hits) hits.resize(options.max_hits);
  return hits;
}

TEST(DatabaseSearch, FindsWhatAllPairsSay) {
  const SequenceSet queries = random_set(Alphabet::dna, "ACGT", 30, 1),
                    database = random_set(Alphabet::dna, "ACGT", 40, 2);
  const SequenceSet minus = reverse_complement(queries);
  const SearchOptions options{.scoring = dna_scoring(), .max_hits = 7, .min_score = 12, .threads = 2};
  Hits expected;
  std::size_t on_minus = 0;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    expected[q] = expected_hits(queries, minus, database, q, options);
    for (const Hit& hit : expected[q]) on_minus += hit.minus;
  }
  EXPECT_GT(on_minus, 10u) << "both strands have hits";
  expect_same(hits_of(queries, database, options), expected);
}

TEST(DatabaseSearch, DoesNotDependOnThreads) {
  const SequenceSet queries = random_set(Alphabet::protein, "ARNDCQEGHILKMFPSTWYV", 40, 3);
  const SequenceSet database = random_set(Alphabet::protein, "ARNDCQEGHILKMFPSTWYV", 50, 4);
  SearchOptions options{.statistics = alignment::published_statistics("BLOSUM62", 11, 1), .max_hits = 5, .threads = 1};
  const Hits one = hits_of(queries, database, options);
  for (const int threads : {0, 3}) {
    options.threads = threads;
    expect_same(hits_of(queries, database, options), one);
  }
}

TEST(DatabaseSearch, LimitsEvaluesOfTheMethodThatIsAskedFor) {
  const SequenceSet queries = random_set(Alphabet::protein, "ARNDCQEGHILKMFPSTWYV", 5, 5);
  const SequenceSet database = random_set(Alphabet::protein, "ARNDCQEGHILKMFPSTWYV", 30, 6);
  const auto statistics = alignment::published_statistics("BLOSUM62", 11, 1);
  for (const bool corrected : {true, false}) {
    SearchOptions options{.statistics = statistics, .finite_size_correction = corrected, .threads = 2};
    const Hits all = hits_of(queries, database, options);
    options.max_evalue = 3;
    const Hits some = hits_of(queries, database, options);
    std::size_t dropped = 0;
    for (const auto& [query, hits] : all) {
      std::size_t below = 0;
      for (const Hit& hit : hits) {
        const alignment::SearchSpace space{static_cast<std::int64_t>(queries.length(query)),
                                           static_cast<std::int64_t>(database.residues()), 30};
        const auto subject = static_cast<std::int64_t>(database.length(hit.subject));
        EXPECT_EQ(hit.evalue, corrected ? alignment::evalue_fsc(*statistics, hit.score, space, subject)
                                        : alignment::evalue_ka(*statistics, hit.score, space));
        EXPECT_EQ(hit.bits, alignment::bit_score(*statistics, hit.score));
        below += *hit.evalue <= 3;
      }
      EXPECT_EQ(some.at(query).size(), below);
      dropped += hits.size() - below;
    }
    EXPECT_GT(dropped, 0u);
  }
}

TEST(DatabaseSearch, LeavesAlignmentsOutUnlessTheyAreAskedForOrACoverageIs) {
  const SequenceSet queries = random_set(Alphabet::dna, "ACGT", 3, 7),
                    database = random_set(Alphabet::dna, "ACGT", 9, 8);
  SearchOptions options{.scoring = dna_scoring(), .alignments = false, .threads = 1};
  int aligned = 0;
  options.aligner = [&](alignment::Codes a, alignment::Codes b, const alignment::Scoring& scoring,
                        const alignment::AlignOptions& o) {
    ++aligned;
    return alignment::align(a, b, scoring, o);
  };
  const Hits scores = hits_of(queries, database, options);
  EXPECT_EQ(aligned, 0);
  EXPECT_EQ(scores.at(0)[0].alignment.columns, 0);
  options.min_query_coverage = 30;
  const Hits covering = hits_of(queries, database, options);
  EXPECT_GT(aligned, 0);
  std::size_t kept = 0;
  for (const auto& [query, hits] : covering)
    for (const Hit& hit : hits) {
      EXPECT_GE(query_coverage(hit, queries.length(query)), 30);
      ++kept;
    }
  EXPECT_GT(kept, 0u);
  EXPECT_LT(kept, 27u);
}

TEST(DatabaseSearch, CountsThePredictedCellsAndStops) {
  const SequenceSet queries = random_set(Alphabet::dna, "ACGT", 3, 9),
                    database = random_set(Alphabet::dna, "ACGT", 4, 10);
  std::atomic<std::int64_t> cells{0};
  std::atomic<bool> stop{false};
  SearchOptions options{.scoring = dna_scoring(), .threads = 1, .stop = &stop, .cells = &cells};
  const DatabaseSearch search(queries, database, options);
  EXPECT_TRUE(search.run([](std::size_t, std::span<const Hit>) {}));
  EXPECT_EQ(static_cast<double>(cells.load()), search.cells());
  EXPECT_EQ(search.cells(), 2.0 * static_cast<double>(queries.residues()) * static_cast<double>(database.residues()));
  stop = true;
  std::size_t calls = 0;
  EXPECT_FALSE(search.run([&](std::size_t, std::span<const Hit>) { ++calls; }));
  EXPECT_EQ(calls, 0u);
}

TEST(DatabaseSearch, SearchesSetsWithoutSequencesOrResidues) {
  SequenceSet none(Alphabet::dna), empty(Alphabet::dna), some(Alphabet::dna);
  empty.add("e", "", "");
  some.add("s", "", "ACGT");
  const SearchOptions options{.scoring = dna_scoring(), .threads = 1};
  EXPECT_TRUE(hits_of(some, none, options).at(0).empty());
  EXPECT_TRUE(hits_of(some, empty, options).at(0).empty());
  EXPECT_TRUE(hits_of(empty, some, options).at(0).empty());
  EXPECT_TRUE(hits_of(none, some, options).empty());
}

TEST(DatabaseSearch, RefusesOptionsThatDoNotFit) {
  const SequenceSet dna = random_set(Alphabet::dna, "ACGT", 1, 1),
                    protein = random_set(Alphabet::protein, "ARND", 1, 1);
  const auto refused = [](const SequenceSet& queries, const SequenceSet& database, const SearchOptions& options) {
    try {
      DatabaseSearch(queries, database, options);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  EXPECT_EQ(refused(protein, protein, {}), "taken");
  EXPECT_EQ(refused(dna, dna, {}), "queries, database and matrix are of different alphabets");
  EXPECT_EQ(refused(dna, protein, {}), "queries, database and matrix are of different alphabets");
  EXPECT_EQ(refused(protein, protein, {.strands = Strands::minus}), "proteins have no minus strand");
  EXPECT_EQ(refused(protein, protein, {.masking = Masking::dust}), "SEG masks proteins, DUST masks DNA");
  EXPECT_EQ(refused(protein, protein, {.max_hits = 0}), "max_hits: 0 is not at least 1");
  EXPECT_EQ(refused(protein, protein, {.max_evalue = -1}), "max_evalue: -1 is not an E-value");
  EXPECT_EQ(refused(protein, protein, {.min_query_coverage = 101}), "min_query_coverage: 101 is not between 0 and 100");
  EXPECT_EQ(refused(protein, protein, {.threads = -1}), "a negative number of threads");
}

TEST(DatabaseSearch, SaysWhereABuildHasNoCuda) {
  const SequenceSet protein = random_set(Alphabet::protein, "ARND", 1, 1);
  bool refused = false;
  try {
    DatabaseSearch(protein, protein, {.devices = {0}});
  } catch (const core::Unavailable& error) {
    EXPECT_STREQ(error.what(), "GPUs are asked for, and this build has no CUDA");
    refused = true;
  }
  EXPECT_EQ(refused, !gpu_scores({0}));
}

}  // namespace
}  // namespace speedwell::database_search
