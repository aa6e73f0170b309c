// Kernel 1: every method to compute the table, on several numbers of threads and instruction sets, against the
// reference.
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <tuple>

#include "speedwell/apps/ssca1/cpu/kernel1_candidates.hpp"
#include "speedwell/apps/ssca1/cpu/kernel1_overlap.hpp"
#include "speedwell/apps/ssca1/cpu/kernel1_row_scan.hpp"
#include "speedwell/apps/ssca1/cpu/kernel1_sections.hpp"
#include "tests/apps/ssca1/golden.hpp"
#include "tests/apps/ssca1/implementations.hpp"
#include "tests/apps/ssca1/random_data.hpp"

namespace speedwell::ssca1 {
namespace {

using namespace test;

/// Sections of at most 64 columns, so that short sequences have several.
SectionOptions short_sections(core::Isa isa, int threads, SectionCounts* counts = nullptr) {
  SectionOptions options;
  options.threads = threads;
  options.isa = isa;
  options.longest = 64;
  options.counts = counts;
  return options;
}

void expect_same(const Endpoints& got, const Endpoints& expected, const std::string& what) {
  EXPECT_EQ(got.candidates, expected.candidates) << what;
  ASSERT_EQ(got.accepted.size(), expected.accepted.size()) << what;
  for (std::size_t k = 0; k < got.accepted.size(); ++k)
    ASSERT_EQ(got.accepted[k], expected.accepted[k])
        << what << ", endpoint " << k << ": " << got.accepted[k].score << " at " << got.accepted[k].main << ", "
        << got.accepted[k].match << " and not " << expected.accepted[k].score << " at " << expected.accepted[k].main
        << ", " << expected.accepted[k].match;
}

class Ssca1Table : public ::testing::TestWithParam<Implementation> {
 protected:
  void expect_reference(const Sequence& main, const Sequence& match, const Scoring& scoring,
                        const EndpointRules& rules) {
    Endpoints expected = reference::pairwise_align(main, match, scoring, rules);
    if (!rules.count_candidates) expected.candidates = -1;
    expect_same(GetParam().pairwise_align(main, match, scoring, rules), expected,
                std::to_string(main.size()) + " x " + std::to_string(match.size()) + ", " +
                    std::to_string(scoring.symbols()) + " symbols, gaps " + std::to_string(scoring.gap_open()) + "+" +
                    std::to_string(scoring.gap_extend()));
  }
};

// Codons, from one cell to more than a tile.
TEST_P(Ssca1Table, AgreesWithTheReferenceOnCodons) {
  Random random(1);
  for (const Preset preset : {Preset::dissertation, Preset::ssca1, Preset::ornl})
    for (const auto& [n, m] : {std::pair<std::size_t, std::size_t>{1, 1}, {40, 300}, {700, 130}, {5003, 300}}) {
      const Sequence match = random_sequence(random, m, 64);
      expect_reference(with_relatives(random, match, n, 64), match, scoring(preset, Alphabet::codons), {});
    }
}

TEST_P(Ssca1Table, EmptySequencesHaveNoEndpoints) {
  const Scoring flat = flat_scoring(4, 5, -3, 8, 1);
  for (const auto& [main, match] : {std::pair<Sequence, Sequence>{{}, {}}, {{1, 2, 3}, {}}, {{}, {1, 2, 3}}}) {
    const Endpoints found = GetParam().pairwise_align(main, match, flat, {});
    EXPECT_TRUE(found.accepted.empty());
    EXPECT_EQ(found.candidates, 0);
  }
}

TEST_P(Ssca1Table, AlphabetsOfOneTo256SymbolsAndGapsOfEveryKind) {
  Random random(2);
  for (const int symbols : {1, 2, 4, 20, 64, 65, 255, 256})
    for (int round = 0; round < 4; ++round) {
      const int open = round == 0 ? 0 : random.between(0, 12);
      // The overlap variant refuses longer gaps for nothing unless it has one section, which it then has.
      const int extend = round == 1 ? 0 : random.between(0, 3);
      const Scoring s = random_scoring(random, symbols, -8, 9, open, extend);
      const Sequence match = random_sequence(random, 10 + random.below(150), symbols);
      const Sequence main = with_relatives(random, match, 10 + random.below(900), symbols);
      expect_reference(main, match, s, {.minimum_score = random.between(1, 30), .separation = random.between(0, 9)});
      expect_reference(main, match, s,
                       {.mode = EndpointRules::Mode::plain, .minimum_score = random.between(1, 30), .count = 50});
    }
}

// Scores past 8 bits, past 16 bits, and costs that no narrow lane holds.
TEST_P(Ssca1Table, ScoresOfEveryWidth) {
  Random random(3);
  const Sequence match = random_sequence(random, 300, 20);
  Sequence main = with_relatives(random, match, 900, 20);
  main.insert(main.end(), match.begin(), match.end());
  main.resize(1500, 3);
  for (const auto& [exact, dissimilar, open, extend] :
       {std::tuple{1, -1, 2, 1}, {5, -3, 8, 1}, {127, -128, 50, 20}, {1000, -900, 400, 7}, {5, -4, 1000000, 1000000}})
    expect_reference(main, match, flat_scoring(20, exact, dissimilar, open, extend),
                     {.minimum_score = 20 * exact, .separation = 3});
}

// Four symbols and scores that grow with length: one alignment runs through all of main, nearly every cell has a
// score, and candidates are dropped all the time. Few are wanted, so that dropping one too many would be seen.
TEST_P(Ssca1Table, DenseCandidatesAreDroppedExactly) {
  Random random(4);
  const Scoring flat = scoring(Preset::ssca1, Alphabet::nucleotides);
  const Sequence match = random_sequence(random, 200, 4), main = with_relatives(random, match, 2000, 4);
  for (const auto& [count, counted] : {std::pair<std::size_t, bool>{0, true}, {3, true}, {3, false}, {60, false}}) {
    expect_reference(main, match, flat, {.count = count, .count_candidates = counted});
    expect_reference(main, match, flat,
                     {.mode = EndpointRules::Mode::plain, .count = count, .count_candidates = counted});
  }
  // All scores equal: only positions decide, and there are more ties than are kept at a time.
  const Sequence ones(4000, 1), one(3, 1);
  expect_reference(ones, one, flat_scoring(4, 5, -3, 8, 1), {.minimum_score = 5, .separation = 2, .count = 10});
  expect_reference(ones, one, flat_scoring(4, 5, -3, 8, 1),
                   {.mode = EndpointRules::Mode::plain, .minimum_score = 5, .count = 10, .count_candidates = false});
}

TEST_P(Ssca1Table, RefusesWhatItCannotDo) {
  const Scoring flat = flat_scoring(4, 5, -3, 8, 1);
  const Sequence main = {0, 1, 2, 4}, good = {0, 1};
  EXPECT_THROW(GetParam().pairwise_align(main, good, flat, {}), std::invalid_argument);
  EXPECT_THROW(GetParam().pairwise_align(good, main, flat, {}), std::invalid_argument);
  EXPECT_THROW(GetParam().pairwise_align(good, good, flat, {.minimum_score = 0}), std::invalid_argument);
  EXPECT_THROW(GetParam().pairwise_align(good, good, flat, {.separation = -1}), std::invalid_argument);
  const Sequence many(65, 0);
  EXPECT_THROW(GetParam().pairwise_align(many, many, flat_scoring(4, 1 << 24, -3, 8, 1), {}), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(, Ssca1Table, ::testing::ValuesIn(tables({1, 3, 5})), name_of_case);

TEST(Ssca1Sections, EveryKindOfRound) {
  Random random(5);
  const Scoring codons = scoring(Preset::ssca1, Alphabet::codons);
  const Sequence match = random_sequence(random, 200, 64);
  // Relatives here and there: where they are everywhere, lanes are given up at once.
  Sequence main;
  while (main.size() < 30000) {
    const Sequence other = random_sequence(random, 1000 + random.below(500), 64),
                   piece = with_relatives(random, match, 20, 64);
    main.insert(main.end(), other.begin(), other.end());
    main.insert(main.end(), piece.begin(), piece.end());
  }
  const Endpoints expected = reference::pairwise_align(main, match, codons, {});
  for (const core::Isa isa : isas())
    for (const int threads : {1, 3}) {
      SectionCounts counts;
      SectionOptions options = short_sections(isa, threads, &counts);
      expect_same(sectioned_table(main, match, codons, {}, options), expected, "many rounds");
      EXPECT_GT(counts.rounds, 1);
      EXPECT_EQ(counts.tiled_columns, 0);
      counts = {};
      options.lead = 0;  // every beginning is wrong that can be
      expect_same(sectioned_table(main, match, codons, {}, options), expected, "no lead");
      EXPECT_GT(counts.repeated, 0);
      options.max_rows = 10;
      counts = {};
      expect_same(sectioned_table(main, match, codons, {}, options), expected, "too many rows");
      EXPECT_EQ(counts.tiled_columns, static_cast<std::int64_t>(main.size()));
    }
}

// One alignment through all sections: each turn mends one more, and the rest is given up to tiles.
TEST(Ssca1Sections, AnAlignmentThroughAllSections) {
  Random random(6);
  const Scoring s = flat_scoring(64, 1, -1, 3, 1);
  const Sequence match = random_sequence(random, 1500, 64);
  Sequence main = random_sequence(random, 9000, 64);
  const Sequence copy = random.relative(match);
  main.insert(main.end(), copy.begin(), copy.end());
  const Sequence tail = random_sequence(random, 3000, 64);
  main.insert(main.end(), tail.begin(), tail.end());
  const EndpointRules rules{.minimum_score = 500};
  const Endpoints expected = reference::pairwise_align(main, match, s, rules);
  ASSERT_FALSE(expected.accepted.empty());
  EXPECT_GT(expected.accepted.front().score, 1000);
  for (const core::Isa isa : isas()) {
    SectionCounts counts;
    const SectionOptions options = short_sections(isa, 2, &counts);
    expect_same(sectioned_table(main, match, s, rules, options), expected, std::string(core::to_string(isa)));
    EXPECT_GT(counts.tiled_columns, 0);
    EXPECT_LT(counts.tiled_columns, static_cast<std::int64_t>(main.size()));
  }
}

// Scores that do not fit bytes in one region of main: before it, and after it, they do.
TEST(Ssca1Sections, GoBackToNarrowLanes) {
  Random random(11);
  const Scoring codons = scoring(Preset::ssca1, Alphabet::codons);
  const Sequence match = random_sequence(random, 80, 64);
  Sequence main = random_sequence(random, 9000, 64);
  main.insert(main.end(), match.begin(), match.end());  // 400
  const Sequence tail = random_sequence(random, 40000, 64);
  main.insert(main.end(), tail.begin(), tail.end());
  const Endpoints expected = reference::pairwise_align(main, match, codons, {});
  EXPECT_EQ(expected.accepted.front().score, 400);
  for (const core::Isa isa : isas()) {
    SectionCounts counts;
    const SectionOptions options = short_sections(isa, 1, &counts);
    expect_same(sectioned_table(main, match, codons, {}, options), expected, std::string(core::to_string(isa)));
    EXPECT_GT(counts.wide_columns + counts.tiled_columns, 0);
    EXPECT_LT(counts.wide_columns + counts.tiled_columns, 20000);
  }
}

// An alignment that grows so slowly that what the turns see of it fits bytes, while its end, found by tiles, does not:
// the next round must not begin in bytes. Wherever a round ends, one of the beginnings puts its end in that alignment.
TEST(Ssca1Sections, LanesAfterTilesBeginWithStatesThatFit) {
  Random random(12);
  // Gaps so dear that next to a score beyond bytes stands none just below it, which would be seen as an overflow.
  const Scoring s = flat_scoring(64, 1, -1, 20, 20);
  const Sequence match = random_sequence(random, 900, 64), tail = random_sequence(random, 1500, 64);
  Sequence relative = match;
  for (std::uint8_t& code : relative)
    if (random.below(100) < 33) code = static_cast<std::uint8_t>((code + 1) % 64);
  const EndpointRules rules{.minimum_score = 250};
  for (std::size_t before = 0; before < 4096; before += 128) {
    Sequence main = random_sequence(random, before, 64);
    main.insert(main.end(), relative.begin(), relative.end());
    main.insert(main.end(), tail.begin(), tail.end());
    const Endpoints expected = reference::pairwise_align(main, match, s, rules);
    EXPECT_FALSE(expected.accepted.empty());
    for (const core::Isa isa : isas()) {
      SectionOptions options = short_sections(isa, 1);
      options.lead = 0;
      expect_same(sectioned_table(main, match, s, rules, options), expected, std::to_string(before) + " before");
    }
  }
}

// Two endpoints that a better one found later is in conflict with: the separation of the two does not prove that the
// third best may be dropped.
TEST(Ssca1Candidates, ABetterOneFoundLaterMayReplaceTwo) {
  const EndpointRules rules{.minimum_score = 1, .separation = 5, .count = 2};
  std::vector<Endpoint> all = {{30, 100, 100}, {30, 106, 106}};
  for (std::int64_t k = 0; k < 10000; ++k) all.push_back({10, 1000 + 7 * k, 50});
  all.push_back({31, 103, 103});
  Candidates candidates(rules);
  for (const Endpoint& e : all) candidates.add(e);
  EXPECT_EQ(candidates.finish().accepted, (std::vector<Endpoint>{{31, 103, 103}, {10, 1000, 50}}));
}

TEST(Ssca1Candidates, KnowWhenTheyAreEnough) {
  Candidates candidates({.separation = 5, .count = 2});
  candidates.add({30, 100, 100});
  candidates.add({28, 108, 100});  // accepted, but a better one between the two could be in conflict with both
  EXPECT_FALSE(candidates.has_enough_from(20));
  candidates.add({25, 109, 100});
  EXPECT_TRUE(candidates.has_enough_from(25));
  EXPECT_FALSE(candidates.has_enough_from(26));
  candidates.add({27, 500, 100});
  EXPECT_TRUE(candidates.has_enough_from(27));
  EXPECT_FALSE(candidates.has_enough_from(28));
  EXPECT_TRUE(Candidates({.count = 0}).has_enough_from(1000));
}

TEST(Ssca1Candidates, AreTheSameInAnyOrderAndInParts) {
  Random random(7);
  for (int round = 0; round < 20; ++round) {
    const EndpointRules rules{.minimum_score = 1,
                              .separation = random.between(0, 8),
                              .count = 1 + random.below(30),
                              .count_candidates = round % 2 == 0};
    std::vector<Endpoint> all;
    std::set<std::pair<std::int64_t, std::int64_t>> cells;
    while (all.size() < 20000) {
      const Endpoint e{random.between(1, 60), random.between(1, 300), random.between(1, 300)};
      if (cells.insert({e.main, e.match}).second) all.push_back(e);
    }
    std::vector<Candidates> parts(3, Candidates(rules));
    for (const Endpoint& e : all) parts[random.below(3)].add(e);
    parts[0].add(parts[1]);
    parts[0].add(parts[2]);
    std::sort(all.begin(), all.end(), comes_before);
    EXPECT_EQ(parts[0].finish().accepted, reference::separate(all, rules));
  }
}

TEST(Ssca1RowScan, TheWorkedExampleMatrixByMatrix) {
  const auto main = base_codes(example_main), match = base_codes(example_match);
  const RowScanTables t = row_scan_tables(main, match, scoring(Preset::dissertation, Alphabet::nucleotides));
  ASSERT_EQ(t.h.size(), 14u * 13u);
  for (std::size_t i = 0; i < 14; ++i)
    for (std::size_t j = 0; j < 13; ++j) {
      EXPECT_EQ(t.h[i * 13 + j], example_h[i + 1][j + 1]) << i << "," << j;
      EXPECT_EQ(t.h_row[i * 13 + j], example_h_row[i][j]) << i << "," << j;
      EXPECT_EQ(t.e_row[i * 13 + j], example_e_row[i][j]) << i << "," << j;
      EXPECT_EQ(t.f[i * 13 + j], example_f[i][j]) << i << "," << j;
    }
}

// Wide enough for several threads to share a row.
TEST(Ssca1RowScan, AllMatricesAreTheSameOnAnyNumberOfThreads) {
  Random random(8);
  const Sequence match = random_sequence(random, 40, 4), main = with_relatives(random, match, 4001, 4);
  const Scoring s = scoring(Preset::ornl, Alphabet::nucleotides);
  const RowScanTables one = row_scan_tables(main, match, s, {.threads = 1});
  const reference::Table t = reference::table(main, match, s);
  for (std::int64_t i = 1; i < t.rows; ++i)
    for (std::int64_t j = 1; j < t.columns; ++j)
      ASSERT_EQ(one.h[static_cast<std::size_t>((i - 1) * (t.columns - 1) + j - 1)], t.at(t.h, i, j));
  for (const int threads : {2, 3, 7}) {
    const RowScanTables many = row_scan_tables(main, match, s, {.threads = threads});
    EXPECT_EQ(many.h, one.h);
    EXPECT_EQ(many.h_row, one.h_row);
    EXPECT_EQ(many.e_row, one.e_row);
    EXPECT_EQ(many.f, one.f);
  }
}

TEST(Ssca1RowScan, TheTreeOfAppendixB) {
  std::vector<std::int32_t> row6 = {0, 5, 2, 0, 5, 15, 2, 5, 2, 5, 7, 0, 0, 0, 0, 0};
  exclusive_decaying_maximum(row6, 1);
  EXPECT_EQ(row6, (std::vector<std::int32_t>{0, -1, 4, 3, 2, 4, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5}));
  std::vector<std::int32_t> three(3);
  EXPECT_THROW(exclusive_decaying_maximum(three, 1), std::invalid_argument);
  Random random(9);
  for (const std::size_t n : {1, 2, 8, 64}) {
    std::vector<std::int32_t> values(n);
    for (auto& v : values) v = random.between(0, 40);
    values[0] = 0;
    std::vector<std::int32_t> expected(n, 0);
    for (std::size_t p = 1; p < n; ++p) {
      expected[p] = INT32_MIN;
      for (std::size_t k = 1; k <= p; ++k)
        expected[p] = std::max(expected[p], values[p - k] - 3 * static_cast<std::int32_t>(k));
    }
    exclusive_decaying_maximum(values, 3);
    EXPECT_EQ(values, expected);
  }
}

TEST(Ssca1Overlap, TheBoundOfTheSpecification) {
  const Scoring s = scoring(Preset::ssca1, Alphabet::codons);
  EXPECT_EQ(required_overlap(s, 128, 1), 758);
  EXPECT_EQ(required_overlap(s, 128, 20), 739);
  EXPECT_EQ(required_overlap(s, 1024, 1), 6134);
  EXPECT_EQ(required_overlap(s, 3, 20), 2);
  EXPECT_EQ(required_overlap(flat_scoring(4, 5, -3, 8, 0), 10, 20), std::nullopt);
}

TEST(Ssca1Overlap, IsExactAtTheBoundAndRefusedBelow) {
  Random random(10);
  const Scoring s = scoring(Preset::ssca1, Alphabet::codons);
  const Sequence match = random_sequence(random, 30, 64);
  Sequence main = with_relatives(random, match, 4000, 64);
  // The longest alignment with a score of 20 that there can be: all of match, and one gap of 150 - 8 - 20 symbols. It
  // ends one column behind the border between the two sections, and its first half two columns before the overlap's
  // end: one column less would lose it.
  const std::size_t gap = 122, border = 2000;
  Sequence longest(match.begin(), match.begin() + 15);
  const std::uint8_t other = match[15] == 7 ? 8 : 7;
  longest.insert(longest.end(), gap, other);
  longest.insert(longest.end(), match.begin() + 15, match.end());
  std::copy(longest.begin(), longest.end(), main.begin() + static_cast<std::ptrdiff_t>(border + 1 - longest.size()));
  const Endpoints expected = reference::pairwise_align(main, match, s, {});
  ASSERT_EQ(required_overlap(s, 30, 20), static_cast<std::int64_t>(longest.size()) - 1);
  for (const std::int64_t sections : {1, 2, 7, 100, 5000})
    for (const int threads : {1, 3}) {
      OverlapOptions options;
      options.threads = threads;
      options.sections = sections;
      expect_same(overlapped_table(main, match, s, {}, options), expected, std::to_string(sections) + " sections");
      options.overlap = 150;
      if (sections > 1) {
        EXPECT_THROW(overlapped_table(main, match, s, {}, options), std::invalid_argument);
      }
      options.overlap = 151;
      expect_same(overlapped_table(main, match, s, {}, options), expected, std::to_string(sections) + " sections");
    }
  OverlapOptions free_gaps;
  free_gaps.sections = 2;
  EXPECT_THROW(overlapped_table(main, match, flat_scoring(64, 5, -3, 8, 0), {}, free_gaps), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::ssca1
