// The search on every instruction set of this machine against the reference.
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "speedwell/apps/alignment/alignment.hpp"
#include "speedwell/apps/alignment/problem.hpp"
#include "speedwell/apps/alignment/verify/reference.hpp"
#include "tests/apps/alignment/random_sequences.hpp"

namespace speedwell::alignment {
namespace {

std::vector<core::Isa> isas() {
  std::vector<core::Isa> all;
  for (const core::Isa isa : {core::Isa::baseline, core::Isa::sse41, core::Isa::avx2, core::Isa::avx512})
    if (core::is_supported(isa)) all.push_back(isa);
  return all;
}

/// Holds all pairs, on every instruction set and in every kind of vectors, against the reference; returns the counts of
/// the last one with a subject in each lane.
SearchCounts expect_reference(const SequenceSet& queries, const SequenceSet& subjects, const Scoring& scoring) {
  std::vector<std::int32_t> expected;
  for (std::size_t q = 0; q < queries.size(); ++q)
    for (std::size_t s = 0; s < subjects.size(); ++s)
      expected.push_back(
          static_cast<std::int32_t>(reference::best(queries.codes(q), subjects.codes(s), scoring).score));
  SearchCounts counts;
  for (const core::Isa isa : isas())
    for (const Vectors vectors : {Vectors::fastest, Vectors::stripes, Vectors::lanes}) {
      std::vector<std::int32_t> scores(expected.size(), 0x7fffffff);
      counts = search_scores(queries, subjects, scoring, scores, {.threads = 1, .isa = isa, .vectors = vectors});
      EXPECT_EQ(scores, expected) << core::to_string(isa) << " " << static_cast<int>(vectors) << " "
                                  << scoring.matrix.name() << " " << scoring.gap_open << "," << scoring.gap_extend;
      EXPECT_EQ(counts.pairs, expected.size());
      if (vectors == Vectors::stripes) {
        EXPECT_EQ(counts.alone, expected.size());
      }
    }
  return counts;
}

SequenceSet set_of(Alphabet alphabet, const std::vector<std::vector<std::uint8_t>>& sequences) {
  SequenceSet set(alphabet);
  for (const auto& sequence : sequences) set.add_codes("", sequence);
  return set;
}

TEST(Search, EveryMatrixAndGapCostsFromNothingToTwenty) {
  for (const std::string& name : matrix_names())
    for (int round = 0; round < 7; ++round) {
      test::Random random(static_cast<std::uint64_t>(round + 1));
      const SubstitutionMatrix& matrix = named_matrix(name);
      Scoring scoring{matrix, random.between(0, 20), random.between(0, 20)};
      if (round == 0) scoring.gap_open = 0;    // linear costs
      if (round == 1) scoring.gap_extend = 0;  // any gap costs the same
      if (scoring.gap_open + scoring.gap_extend == 0) scoring.gap_extend = 1;
      std::vector<std::vector<std::uint8_t>> made;
      for (int i = 0; i < 80; ++i)
        made.push_back(i > 4 && random.below(3) == 0 ? random.relative(made[random.below(made.size())])
                                                     : random.codes(matrix.alphabet(), random.below(70)));
      const SequenceSet subjects = set_of(matrix.alphabet(), made);
      made.resize(3);
      expect_reference(set_of(matrix.alphabet(), made), subjects, scoring);
    }
}

TEST(Search, LengthsAroundTheLanesAndTheBlocksOfColumns) {
  test::Random random(1);
  std::vector<std::vector<std::uint8_t>> made;
  for (const std::size_t length : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129})
    made.push_back(random.codes(Alphabet::protein, length));
  const SequenceSet all = set_of(Alphabet::protein, made);
  expect_reference(all, all, {named_matrix("BLOSUM62"), 11, 1});
  expect_reference(all, all, {named_matrix("PAM30"), 0, 1});
}

TEST(Search, NumbersOfSubjectsAroundTheLanes) {
  test::Random random(2);
  std::vector<std::vector<std::uint8_t>> made;
  for (int i = 0; i < 130; ++i) made.push_back(random.codes(Alphabet::dna, 20 + random.below(20)));
  const SequenceSet query = set_of(Alphabet::dna, {made[0]});
  for (const std::size_t count : {1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129}) {
    const SequenceSet subjects =
        set_of(Alphabet::dna, {made.begin(), made.begin() + static_cast<std::ptrdiff_t>(count)});
    expect_reference(query, subjects, {named_matrix("NUC.4.4"), 12, 4});
    expect_reference(subjects, query, {named_matrix("NUC.4.4"), 12, 4});  // the larger set goes to the lanes
  }
}

// A sequence with itself scores its length times the match: every score around the limits of 8 and of 16 bits.
TEST(Search, ScoresAroundTheLimitsOfEightBits) {
  const Scoring scoring{match_mismatch(1, -1), 3, 1};
  std::vector<std::vector<std::uint8_t>> made;
  for (std::size_t length = 240; length <= 262; ++length) made.emplace_back(length, std::uint8_t{1});
  const SequenceSet subjects = set_of(Alphabet::dna, made);
  const SequenceSet query = set_of(Alphabet::dna, {std::vector<std::uint8_t>(300, 1)});
  const SearchCounts counts = expect_reference(query, subjects, scoring);
  // A lane's zero is 5 = first + next, its limit 254: scores up to 249 fit.
  EXPECT_EQ(counts.in_16_bits, 13u);
  EXPECT_EQ(counts.in_32_bits, 0u);
}

TEST(Search, ScoresAroundTheLimitsOfSixteenBits) {
  const Scoring scoring{match_mismatch(127, -128), 127, 1};
  std::vector<std::vector<std::uint8_t>> made;
  for (std::size_t length = 505; length <= 520; ++length) made.emplace_back(length, std::uint8_t{2});
  const SequenceSet subjects = set_of(Alphabet::dna, made);
  const SequenceSet query = set_of(Alphabet::dna, {std::vector<std::uint8_t>(530, 2)});
  const SearchCounts counts = expect_reference(query, subjects, scoring);
  // A lane's zero is 129 above -32768, its limit 127 below 32767: scores up to 65279 fit, which is 514 residues.
  EXPECT_EQ(counts.in_32_bits, 6u);
}

TEST(Search, AWrappedLaneIsNotMistakenForASmallScore) {
  // 3000 matches of 11 wrap a lane of 8 bits more than a hundred times.
  const std::vector<std::uint8_t> tryptophan(3000, 17);
  const SequenceSet set = set_of(Alphabet::protein, {tryptophan});
  const SearchCounts counts = expect_reference(set, set, {named_matrix("BLOSUM62"), 11, 1});
  EXPECT_EQ(counts.in_16_bits, 1u);
}

TEST(Search, NeighboursOfAnOverflowingLaneStayExact) {
  test::Random random(3);
  std::vector<std::vector<std::uint8_t>> made;
  for (int i = 0; i < 64; ++i) made.push_back(random.codes(Alphabet::protein, 200));
  const SequenceSet query = set_of(Alphabet::protein, {made[40]});
  const SearchCounts counts =
      expect_reference(query, set_of(Alphabet::protein, made), {named_matrix("BLOSUM62"), 11, 1});
  EXPECT_GE(counts.in_16_bits, 1u);
  EXPECT_LT(counts.in_16_bits, 64u);
}

TEST(Search, CostsThatFillALaneGoToAWiderOne) {
  test::Random random(4);
  std::vector<std::vector<std::uint8_t>> made;
  for (int i = 0; i < 20; ++i) made.push_back(random.codes(Alphabet::protein, 150));
  for (int i = 0; i < 20; ++i) made.push_back(random.relative(made[static_cast<std::size_t>(i)]));
  const SequenceSet all = set_of(Alphabet::protein, made);
  const SequenceSet query = set_of(Alphabet::protein, {made[0], made[1]});
  for (const int open :
       {100, 200, 240, 243, 244, 245, 250, 1000, 32000, 65000, 66000, 1000000, std::numeric_limits<int>::max()})
    for (const int extend : {0, 1, open}) expect_reference(query, all, {named_matrix("BLOSUM62"), open, extend});
}

TEST(Search, WithoutAPositiveScoreEverythingIsZero) {
  std::array<std::int8_t, code_limit * code_limit> scores;
  scores.fill(-3);
  const SubstitutionMatrix matrix("negative", Alphabet::dna, scores);
  const SequenceSet set = set_of(Alphabet::dna, {{0, 1, 2, 3}, {0, 1, 2}, {}});
  expect_reference(set, set, {matrix, 1, 1});
  EXPECT_EQ(search_scores(set, set, {matrix, 1, 1}), std::vector<std::int32_t>(9, 0));
}

TEST(Search, AMatrixOfPositiveScoresOnly) {
  std::array<std::int8_t, code_limit * code_limit> scores;
  scores.fill(2);
  const SubstitutionMatrix matrix("positive", Alphabet::dna, scores);
  test::Random random(5);
  std::vector<std::vector<std::uint8_t>> made;
  for (int i = 0; i < 70; ++i) made.push_back(random.codes(Alphabet::dna, random.below(200)));
  const SequenceSet set = set_of(Alphabet::dna, made);
  expect_reference(set_of(Alphabet::dna, {made[0], made[1]}), set, {matrix, 0, 1});
}

TEST(Search, EmptySetsHaveNoScores) {
  const SequenceSet none(Alphabet::protein), one = set_of(Alphabet::protein, {{1, 2, 3}});
  const Scoring scoring{named_matrix("BLOSUM62"), 11, 1};
  EXPECT_TRUE(search_scores(none, one, scoring).empty());
  EXPECT_TRUE(search_scores(one, none, scoring).empty());
  EXPECT_TRUE(search_scores(none, none, scoring).empty());
}

TEST(Search, SubjectsOfVeryDifferentLengths) {
  test::Random random(8);
  std::vector<std::vector<std::uint8_t>> made;
  for (const std::size_t length : {9000, 5000, 4990, 700, 1, 0})
    made.push_back(random.codes(Alphabet::protein, length));
  for (int i = 0; i < 200; ++i) made.push_back(random.codes(Alphabet::protein, 40 + random.below(20)));
  made.push_back(random.relative(made[1]));
  const SequenceSet subjects = set_of(Alphabet::protein, made);
  const SequenceSet queries = set_of(Alphabet::protein, {made[10], {made[1].begin(), made[1].begin() + 300}});
  const Scoring scoring{named_matrix("BLOSUM62"), 11, 1};
  expect_reference(queries, subjects, scoring);
  // The long ones go alone, the short ones into lanes.
  std::vector<std::int32_t> scores(2 * made.size());
  const SearchCounts counts = search_scores(queries, subjects, scoring, scores);
  EXPECT_GE(counts.alone, 8u);
  EXPECT_LT(counts.alone, 200u);
}

TEST(Search, LargePairsOnAllThreads) {
  test::Random random(9);  // 10^8 cells and more
  const auto query = random.codes(Alphabet::dna, 10100), relative = random.relative(query);
  const auto other = random.codes(Alphabet::dna, 10050), small = random.codes(Alphabet::dna, 500);
  const Scoring scoring{match_mismatch(2, -3), 5, 2};
  std::vector<std::int32_t> one(3), three(3);
  const SequenceSet queries = set_of(Alphabet::dna, {query}),
                    subjects = set_of(Alphabet::dna, {small, relative, other});
  search_scores(queries, subjects, scoring, one, {.threads = 1, .vectors = Vectors::lanes});
  search_scores(queries, subjects, scoring, three, {.threads = 3});
  EXPECT_EQ(three, one);
  EXPECT_EQ(one[0], reference::best(query, small, scoring).score);
}

TEST(Search, CountsEachCellOnceAndStops) {
  test::Random random(10);
  std::vector<std::vector<std::uint8_t>> made;
  for (int i = 0; i < 150; ++i) made.push_back(random.codes(Alphabet::protein, random.below(300)));
  const SequenceSet subjects = set_of(Alphabet::protein, made);
  made.resize(3);  // with themselves they need 16 bits
  const SequenceSet queries = set_of(Alphabet::protein, made);
  const Scoring scoring{named_matrix("BLOSUM62"), 11, 1};
  std::vector<std::int32_t> scores(queries.size() * subjects.size());
  for (const Vectors vectors : {Vectors::fastest, Vectors::stripes, Vectors::lanes}) {
    std::atomic<std::int64_t> cells{0};
    std::atomic<bool> stop{false};
    search_scores(queries, subjects, scoring, scores, {.vectors = vectors, .control = {&stop, &cells}});
    EXPECT_EQ(cells, static_cast<std::int64_t>(queries.residues() * subjects.residues()));
    stop = true;
    EXPECT_THROW(search_scores(queries, subjects, scoring, scores, {.vectors = vectors, .control = {&stop, &cells}}),
                 Stopped);
    EXPECT_THROW(find_end(made[0], made[1], scoring, {.control = {&stop, nullptr}}), Stopped);
    EXPECT_THROW(align(made[0], made[1], scoring, {.stop = &stop}), Stopped);
  }
}

TEST(Search, TheNumberOfThreadsDoesNotShow) {
  const Population population{.count = 100, .mean_length = 60, .seed = 5};
  const SequenceSet all = make_sequences(population);
  const Scoring scoring{named_matrix("BLOSUM62"), 11, 1};
  const auto one = search_scores(all, all, scoring, 1);
  EXPECT_EQ(search_scores(all, all, scoring, 3), one);
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) EXPECT_EQ(one[a * 100 + b], one[b * 100 + a]);
}

TEST(Search, RefusesWhatItCannotDoExactly) {
  const SequenceSet protein = set_of(Alphabet::protein, {{1}}), dna = set_of(Alphabet::dna, {{1}});
  const SubstitutionMatrix& matrix = named_matrix("BLOSUM62");
  EXPECT_THROW(search_scores(protein, dna, {matrix, 11, 1}), std::invalid_argument);
  EXPECT_THROW(search_scores(dna, dna, {matrix, 11, 1}), std::invalid_argument);
  EXPECT_THROW(search_scores(protein, protein, {matrix, -1, 1}), std::invalid_argument);
  EXPECT_THROW(search_scores(protein, protein, {matrix, 1, -1}), std::invalid_argument);
  EXPECT_THROW(search_scores(protein, protein, {matrix, 0, 0}), std::invalid_argument);
  EXPECT_THROW(search_scores(protein, protein, {matrix, 11, 1}, -1), std::invalid_argument);
  std::vector<std::int32_t> two(2);
  EXPECT_THROW(search_scores(protein, protein, {matrix, 11, 1}, two), std::invalid_argument);
  // 11 per residue: 195,225,787 residues could score 2^31.
  EXPECT_NO_THROW(require_exact({matrix, 11, 1}, Alphabet::protein, Alphabet::protein, 195225786, 2147483647));
  EXPECT_THROW(require_exact({matrix, 11, 1}, Alphabet::protein, Alphabet::protein, 195225787, 2147483647),
               std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::alignment
