// Kernels 2 to 5 of the library against the reference on random data, on several numbers of threads and instruction
// sets, and properties that the definitions promise.
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/apps/ssca1/implementations.hpp"
#include "tests/apps/ssca1/random_data.hpp"

namespace speedwell::ssca1 {
namespace {

using namespace test;

class Ssca1Random : public ::testing::TestWithParam<Implementation> {
 protected:
  const Implementation& use = GetParam();
};

Scoring any_scoring(Random& random, int round, int symbols) {
  if (round % 3 == 0 && symbols == 64) return scoring(random.below(2) ? Preset::ssca1 : Preset::ornl, Alphabet::codons);
  return random_scoring(random, symbols, -8, 6, random.between(0, 9), random.between(0, 3));
}

TEST_P(Ssca1Random, AlignmentsAgreeAndRescore) {
  Random random(1);
  for (int round = 0; round < 24; ++round) {
    const int symbols = round % 2 ? 64 : 4;
    const Scoring s = any_scoring(random, round, symbols);
    const Sequence match = random_sequence(random, 30 + random.below(200), symbols);
    const Sequence main = with_relatives(random, match, 50 + random.below(300), symbols);
    const auto ends =
        reference::pairwise_align(main, match, s, {.minimum_score = 8, .separation = 3, .count = 40}).accepted;
    const TraceRules rules{.separation = random.between(0, 6), .count = 1 + random.below(30)};
    const Traced expected = reference::scan_backward(main, match, s, ends, rules);
    const Traced got = use.trace(main, match, s, ends, rules);
    EXPECT_EQ(got, expected) << "round " << round;
    for (const LocalAlignment& a : got.alignments) {
      EXPECT_EQ(rescore(main, match, s, a), a.score);
      EXPECT_TRUE(a.cigar.front().operation == '=' || a.cigar.front().operation == 'X');
    }
  }
}

// Boxes far larger than a block of kept diagonals.
TEST_P(Ssca1Random, AnAlignmentOfThousandsOfSymbols) {
  Random random(2);
  const Scoring s = flat_scoring(20, 5, -3, 8, 1);
  const Sequence match = random_sequence(random, 1500, 20), main = random.relative(match);
  const auto ends = use.pairwise_align(main, match, s, {.count = 1}).accepted;
  const Traced got = use.trace(main, match, s, ends, {});
  EXPECT_EQ(got, reference::scan_backward(main, match, s, ends, {}));
  ASSERT_EQ(got.alignments.size(), 1u);
  EXPECT_GT(got.alignments[0].main_end - got.alignments[0].main_begin, 1400);
  EXPECT_EQ(rescore(main, match, s, got.alignments[0]), ends[0].score);
}

TEST_P(Ssca1Random, SimilarRegionsAgree) {
  Random random(3);
  for (int round = 0; round < 40; ++round) {
    const int symbols = round % 2 ? 64 : 4;
    const Scoring s = any_scoring(random, round, symbols);
    // Short queries are looked for in bytes, long ones are not; a low least score makes the bytes too few.
    const Sequence query = random_sequence(random, 1 + random.below(round % 4 == 0 ? 90 : 25), symbols);
    const Sequence main = with_relatives(random, query, 1 + random.below(4000), symbols);
    const SimilarRules rules{.minimum_score = round % 5 == 0 ? random.between(-300, 0) : random.between(1, 30),
                             .separation = random.between(0, 7),
                             .count = random.below(30),
                             .span_factor = random.below(2) ? 2.0 : 1.1};
    EXPECT_EQ(use.locate_similar(main, query, s, rules), reference::locate_similar(main, query, s, rules))
        << "round " << round << ", query " << query.size() << ", main " << main.size();
  }
}

// More chunks of main than one, with regions at their borders, and more of them than are kept at a time.
TEST_P(Ssca1Random, SimilarRegionsAcrossChunks) {
  Random random(4);
  const Scoring s = scoring(Preset::ssca1, Alphabet::codons);
  const Sequence query = random_sequence(random, 9, 64);
  const Sequence main = with_relatives(random, query, 120000, 64);
  for (const std::size_t count : {5, 100, 2000}) {
    const SimilarRules rules{.minimum_score = 5, .count = count};
    EXPECT_EQ(use.locate_similar(main, query, s, rules), reference::locate_similar(main, query, s, rules));
  }
}

TEST_P(Ssca1Random, DifferencesAndStarsAgree) {
  Random random(5);
  for (int round = 0; round < 12; ++round) {
    const int symbols = round % 3 == 0 ? 2 : 4;
    Members set = {random_sequence(random, 1 + random.below(60), symbols)};
    const std::size_t size = round < 4 ? static_cast<std::size_t>(round) + 1 : 2 + random.below(40);
    while (set.size() < size)
      set.push_back(random.below(5) ? random.relative(set[random.below(set.size())])
                                    : random_sequence(random, random.below(70), symbols));
    const DifferenceCosts costs =
        round % 2 ? DifferenceCosts{} : DifferenceCosts{random.between(0, 9), random.between(0, 9)};
    const Differences expected = reference_implementation().differences(set, costs);
    EXPECT_EQ(use.differences(set, costs), expected) << "round " << round;
    const StarAlignment star = use.star(set, costs);
    EXPECT_EQ(star, reference::align_star(set, costs)) << "round " << round;
    if (set.size() < 2) continue;
    std::int64_t sum = 0;
    for (const std::int32_t d : expected.upper) sum += d;
    EXPECT_GE(star.sum_of_pairs, sum);
    for (std::size_t r = 0; r < set.size(); ++r) {
      Sequence without_spaces;
      for (const std::int16_t symbol : star.rows[r])
        if (symbol != space_symbol) without_spaces.push_back(static_cast<std::uint8_t>(symbol));
      EXPECT_EQ(without_spaces, set[star.order[r]]);
      const std::vector<std::int16_t> pair[] = {star.rows[0], star.rows[r]};
      EXPECT_EQ(sum_of_pairs(pair, costs), expected(star.order[0], star.order[r]));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, Ssca1Random, ::testing::ValuesIn(libraries()), name_of_case);

TEST(Ssca1Kernels, ManyQueriesAtOnceAreAsOneByOne) {
  Random random(6);
  const Scoring s = scoring(Preset::ssca1, Alphabet::codons);
  std::vector<Sequence> made;
  for (int q = 0; q < 150; ++q) made.push_back(random_sequence(random, random.below(q % 10 == 0 ? 100 : 20), 64));
  Sequence main = random_sequence(random, 500, 64);
  for (const Sequence& query : made) {
    const Sequence copy = random.relative(query);
    main.insert(main.end(), copy.begin(), copy.end());
  }
  const std::vector<Codes> queries(made.begin(), made.end());
  for (const core::Isa isa : isas()) {
    const auto got = locate_similar(main, queries, s, {}, {.threads = 2, .isa = isa});
    ASSERT_EQ(got.size(), queries.size());
    for (std::size_t q = 0; q < queries.size(); ++q)
      EXPECT_EQ(got[q], reference::locate_similar(main, queries[q], s, {})) << "query " << q;
  }
}

TEST(Ssca1Kernels, ManySetsAtOnceAreAsOneByOne) {
  Random random(7);
  std::vector<Members> sets(9);
  for (Members& set : sets)
    for (std::size_t k = random.below(40); k > 0; --k) set.push_back(random_sequence(random, random.below(30), 4));
  const auto differences = global_align(sets, {}, {.threads = 3});
  const auto stars = multiple_align(sets, differences, {}, {.threads = 3});
  for (std::size_t s = 0; s < sets.size(); ++s) {
    EXPECT_EQ(differences[s], reference_implementation().differences(sets[s], {}));
    EXPECT_EQ(stars[s], reference::align_star(sets[s], {}));
  }
}

TEST(Ssca1Kernels, RefuseWhatTheyCannotDo) {
  const Scoring flat = flat_scoring(4, 5, -3, 8, 1);
  const Sequence main = {0, 1, 2, 3, 0}, match = {0, 1, 2}, wrong = {9};
  const std::vector<Endpoint> outside = {{5, 6, 1}}, below = {{5, 1, 0}};
  EXPECT_THROW(scan_backward(main, match, flat, outside), std::invalid_argument);
  EXPECT_THROW(scan_backward(main, match, flat, below), std::invalid_argument);
  for (const Sequence& codes : {Sequence{0, 9, 2}, Sequence{9, 1, 2}, Sequence{0, 1, 9}})  // the path has three pairs
    for (const bool in_main : {false, true})
      EXPECT_THROW(
          scan_backward(in_main ? codes : match, in_main ? match : codes, flat, std::vector<Endpoint>{{15, 3, 3}}),
          std::invalid_argument);
  EXPECT_EQ(scan_backward(Sequence{9, 3, 0, 1, 2}, match, flat, std::vector<Endpoint>{{15, 5, 3}}).alignments.size(),
            1U)
      << "a wrong code that no alignment reaches is not read";
  const std::vector<Codes> queries = {wrong};
  EXPECT_THROW(locate_similar(main, queries, flat), std::invalid_argument);
  const std::vector<Members> sets = {{match, main}};
  EXPECT_THROW(global_align(sets, {-1, 2}), std::invalid_argument);
  EXPECT_THROW(global_align(sets, {1, 1 << 28}), std::invalid_argument);
  EXPECT_THROW(align_star(sets[0], Differences{}), std::invalid_argument);
  const std::vector<SimilarRegion> regions = {{1, 4, 9}};
  EXPECT_THROW(members(main, regions, Alphabet::nucleotides), std::invalid_argument);

  const LocalAlignment good{15, 1, 3, 1, 3, {{'=', 3}}};
  EXPECT_EQ(rescore(main, match, flat, good), 15);
  for (const LocalAlignment& bad : {LocalAlignment{15, 1, 3, 1, 3, {{'X', 3}}},
                                    {15, 1, 3, 1, 3, {{'=', 2}}},
                                    {15, 1, 3, 1, 3, {{'=', 4}}},
                                    {15, 1, 3, 1, 3, {{'=', 3}, {'D', 0}}},
                                    {15, 1, 3, 1, 3, {{'M', 3}}},
                                    {15, 0, 2, 1, 3, {{'=', 3}}}})
    EXPECT_THROW(rescore(main, match, flat, bad), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::ssca1
