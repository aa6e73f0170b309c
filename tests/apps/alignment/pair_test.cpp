// Alignments of pairs: end, path, and that the memory given does not show.
#include <gtest/gtest.h>

#include <stdexcept>

#include "speedwell/apps/alignment/alignment.hpp"
#include "speedwell/apps/alignment/verify/reference.hpp"
#include "tests/apps/alignment/golden.hpp"
#include "tests/apps/alignment/random_sequences.hpp"

namespace speedwell::alignment {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// The rule for the path, cell by cell on the whole table of the reference.
std::string cigar_by_the_rule(const Bytes& query, const Bytes& subject, const Scoring& scoring) {
  const reference::Table t = reference::table(query, subject, scoring);
  const reference::Best best = reference::best(query, subject, scoring);
  std::size_t i = best.query_end, j = best.subject_end;
  const auto at = [&](const std::vector<std::int64_t>& field, std::size_t r, std::size_t c) {
    return field[r * t.columns + c];
  };
  std::string reversed;
  char state = 'H';
  while (state != 'H' || t.H(i, j) > 0) {
    if (state == 'H') {
      if (t.H(i, j) == t.H(i - 1, j - 1) + scoring.matrix.score(query[i - 1], subject[j - 1])) {
        reversed += query[i - 1] == subject[j - 1] ? '=' : 'X';
        --i;
        --j;
      } else {
        state = t.H(i, j) == at(t.e, i, j) ? 'E' : 'F';
      }
    } else if (state == 'E') {
      reversed += 'D';
      if (at(t.e, i, j) > at(t.e, i, j - 1) - scoring.gap_extend) state = 'H';  // it cannot continue
      --j;
    } else {
      reversed += 'I';
      if (at(t.f, i, j) > at(t.f, i - 1, j) - scoring.gap_extend) state = 'H';
      --i;
    }
  }
  return {reversed.rbegin(), reversed.rend()};
}

std::string spelled(const std::vector<CigarRun>& cigar) {
  std::string text;
  for (const auto& [operation, count] : cigar) text.append(static_cast<std::size_t>(count), operation);
  return text;
}

TEST(Alignments, FollowTheRuleWhateverTheMemory) {
  for (int round = 0; round < 400; ++round) {
    test::Random random(static_cast<std::uint64_t>(round + 1));
    const Alphabet alphabet = random.below(2) ? Alphabet::protein : Alphabet::dna;
    const SubstitutionMatrix matrix = alphabet == Alphabet::dna
                                          ? match_mismatch(random.between(1, 5), -random.between(1, 4))
                                          : named_matrix("BLOSUM62");
    Scoring scoring{matrix, random.between(0, 12), random.between(0, 4)};
    if (scoring.gap_open + scoring.gap_extend == 0) scoring.gap_open = 1;
    const Bytes query = random.codes(alphabet, random.below(90));
    const Bytes subject = random.below(2) ? random.codes(alphabet, random.below(90)) : random.relative(query);
    SCOPED_TRACE(round);
    const Alignment alignment = align(query, subject, scoring);
    const reference::Best best = reference::best(query, subject, scoring);
    EXPECT_EQ(alignment.score, best.score);
    EXPECT_EQ(static_cast<std::size_t>(alignment.query_end), best.query_end);
    EXPECT_EQ(static_cast<std::size_t>(alignment.subject_end), best.subject_end);
    EXPECT_EQ(spelled(alignment.cigar), cigar_by_the_rule(query, subject, scoring));
    EXPECT_EQ(rescore(query, subject, scoring, alignment.query_begin, alignment.subject_begin, alignment.cigar),
              alignment.score);
    for (const std::size_t bytes : {0, 1, 50, 300, 1000, 4000}) {
      const Alignment again = align(query, subject, scoring, {.table_bytes = bytes});
      EXPECT_EQ(again.cigar, alignment.cigar) << bytes;
      EXPECT_EQ(again.query_begin, alignment.query_begin) << bytes;
      EXPECT_EQ(again.subject_begin, alignment.subject_begin) << bytes;
    }
  }
}

TEST(Alignments, FollowTheRuleThroughSeveralGrids) {
  for (int round = 0; round < 24; ++round) {
    test::Random random(static_cast<std::uint64_t>(round + 5000));
    const Scoring scoring = round % 2 ? Scoring{match_mismatch(5, -3), random.between(0, 8), 1}
                                      : Scoring{named_matrix("BLOSUM62"), random.between(0, 11), random.between(1, 2)};
    const Alphabet alphabet = scoring.matrix.alphabet();
    const Bytes query = random.codes(alphabet, 400 + random.below(500));
    const Bytes subject =
        round % 3 == 0 ? random.codes(alphabet, 400 + random.below(500)) : random.relative(random.relative(query));
    SCOPED_TRACE(round);
    const std::string expected = cigar_by_the_rule(query, subject, scoring);
    for (const std::size_t bytes :
         {std::size_t{0}, std::size_t{3000}, std::size_t{20000}, std::size_t{200000}, std::size_t{256} << 20})
      EXPECT_EQ(spelled(align(query, subject, scoring, {.table_bytes = bytes, .threads = 1 + round % 3}).cigar),
                expected)
          << bytes;
    EXPECT_EQ(spelled(align(query, subject, scoring, {.isa = core::Isa::baseline}).cigar), expected);
  }
}

TEST(Alignments, CountsAddUp) {
  test::Random random(7);
  const Bytes query = random.codes(Alphabet::protein, 300), subject = random.relative(query);
  const Alignment a = align(query, subject, {named_matrix("BLOSUM62"), 11, 1});
  std::int64_t in_query = 0, in_subject = 0, columns = 0, runs = 0;
  for (const auto& [operation, count] : a.cigar) {
    columns += count;
    in_query += operation == 'D' ? 0 : count;
    in_subject += operation == 'I' ? 0 : count;
    runs += operation == 'D' || operation == 'I';
  }
  EXPECT_EQ(a.columns, columns);
  EXPECT_EQ(a.gap_opens, runs);
  EXPECT_EQ(a.query_end - a.query_begin + 1, in_query);
  EXPECT_EQ(a.subject_end - a.subject_begin + 1, in_subject);
  EXPECT_GT(a.gap_opens, 0);
}

TEST(Alignments, ByHand) {
  // ACGT is in the subject but for one inserted T: 4 matches of 5, a gap of 1 for 8 + 1.
  const auto query = golden::dna_codes("GGACGTCC"), subject = golden::dna_codes("TTGGACTGTCCTT");
  const Alignment a = align(query, subject, {match_mismatch(5, -3), 8, 1});
  EXPECT_EQ(a.score, 8 * 5 - 9);
  EXPECT_EQ(cigar_string(a.cigar), "4=1D4=");
  EXPECT_EQ(a.query_begin, 1);
  EXPECT_EQ(a.query_end, 8);
  EXPECT_EQ(a.subject_begin, 3);
  EXPECT_EQ(a.subject_end, 11);
}

TEST(Alignments, ContinueAGapAsLongAsThatIsAsGood) {
  // Either of GTCCAT's two Cs can be paired: three matches of 4, a gap of 2 for 3 and one of 1 for 2. Back from the T,
  // the gap that ends in A continues over the second C; leaving it where that is as good would give 1=2D1=1D1=.
  const auto query = golden::dna_codes("GCT"), subject = golden::dna_codes("GTCCATT");
  const Scoring scoring{match_mismatch(4, -1), 1, 1};
  const Alignment in_query = align(query, subject, scoring), in_subject = align(subject, query, scoring);
  EXPECT_EQ(in_query.score, 3 * 4 - 3 - 2);
  EXPECT_EQ(cigar_string(in_query.cigar), "1=1D1=2D1=");
  EXPECT_EQ(in_subject.score, in_query.score);
  EXPECT_EQ(cigar_string(in_subject.cigar), "1=1I1=2I1=");
}

TEST(Alignments, NothingInCommonIsAnEmptyAlignment) {
  const auto a = golden::dna_codes("AAAA"), c = golden::dna_codes("CCCC");
  for (const auto& [query, subject] :
       {std::pair{a, c}, std::pair{a, Bytes{}}, std::pair{Bytes{}, a}, std::pair{Bytes{}, Bytes{}}}) {
    const Alignment alignment = align(query, subject, {match_mismatch(1, -1), 1, 1});
    EXPECT_EQ(alignment.score, 0);
    EXPECT_EQ(alignment.query_end, 0);
    EXPECT_TRUE(alignment.cigar.empty());
    EXPECT_EQ(cigar_string(alignment.cigar), "");
  }
}

TEST(Alignments, LongPairsInLittleMemory) {
  const auto query = golden::dna_codes(golden::dna(golden::seed_a, 4000));
  const auto subject = golden::dna_codes(golden::mutated(golden::dna(golden::seed_a, 4000), golden::seed_c));
  const Scoring scoring{match_mismatch(5, -3), 8, 1};
  const Alignment whole = align(query, subject, scoring);
  const Alignment little = align(query, subject, scoring, {.table_bytes = 200000});  // 16 MB of directions
  EXPECT_EQ(little.cigar, whole.cigar);
  EXPECT_EQ(rescore(query, subject, scoring, whole.query_begin, whole.subject_begin, whole.cigar), whole.score);
}

TEST(Alignments, GapCostsBeyondEveryScore) {
  const auto query = golden::dna_codes("GGACGTCC"), subject = golden::dna_codes("TTGGACTGTCCTT");
  const Alignment a = align(query, subject, {match_mismatch(5, -3), 2147483647, 2147483647});
  EXPECT_EQ(a.score, 20);
  EXPECT_EQ(cigar_string(a.cigar), "4=");
}

TEST(Rescoring, SeesEveryMistakeInAPath) {
  const auto query = golden::dna_codes("ACGT"), subject = golden::dna_codes("ACTT");
  const Scoring scoring{match_mismatch(5, -3), 8, 1};
  EXPECT_EQ(rescore(query, subject, scoring, 1, 1, std::vector<CigarRun>{{'=', 2}, {'X', 1}, {'=', 1}}), 12);
  EXPECT_EQ(rescore(query, subject, scoring, 1, 1, std::vector<CigarRun>{{'=', 2}, {'I', 2}, {'D', 2}}), -10);
  const std::vector<std::vector<CigarRun>> wrong = {{{'=', 3}}, {{'X', 1}}, {{'=', 0}}, {{'=', -1}},
                                                    {{'M', 2}}, {{'D', 5}}, {{'I', 5}}, {{'=', std::int64_t{1} << 62}}};
  for (const auto& cigar : wrong) EXPECT_THROW(rescore(query, subject, scoring, 1, 1, cigar), std::invalid_argument);
  EXPECT_THROW(rescore(query, subject, scoring, 0, 1, std::vector<CigarRun>{{'=', 1}}), std::invalid_argument);
  EXPECT_THROW(rescore(query, subject, scoring, 6, 1, std::vector<CigarRun>{{'=', 1}}), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::alignment
