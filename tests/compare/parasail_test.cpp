// 10,000 pairs of real sequences under each scoring system: the same scores as parasail, and alignments that score
// them.
#include "tests/compare/parasail.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "speedwell/apps/alignment/alignment.hpp"
#include "tests/compare/sequences.hpp"

namespace speedwell {
namespace {

using alignment::Alphabet;

struct System {
  const char* name;
  Alphabet alphabet;
  const char* matrix;        // ours; null for match and mismatch
  const char* other_matrix;  // parasail's name of the same table
  int match, mismatch, gap_open, gap_extend;
};

// The proteins hold the 20 amino acids only, for which NCBI's tables and parasail's classic ones agree.
constexpr System systems[] = {
    {"Blosum62Open11Extend1", Alphabet::protein, "BLOSUM62", "blosum62", 0, 0, 11, 1},
    {"Blosum62ClassicOpen6Extend2", Alphabet::protein, "BLOSUM62-classic", "blosum62", 0, 0, 6, 2},
    {"Blosum50Open10Extend2", Alphabet::protein, "BLOSUM50", "blosum50", 0, 0, 10, 2},
    {"Blosum45Open14Extend2", Alphabet::protein, "BLOSUM45", "blosum45", 0, 0, 14, 2},
    {"Blosum80ThirdBitsOpen10Extend1", Alphabet::protein, "BLOSUM80-3", "blosum80", 0, 0, 10, 1},
    {"Pam250LinearGaps", Alphabet::protein, "PAM250", "pam250", 0, 0, 0, 5},
    {"Match2Mismatch3Open5Extend2", Alphabet::dna, nullptr, nullptr, 2, -3, 5, 2},
    {"Match1Mismatch2Open0Extend2", Alphabet::dna, nullptr, nullptr, 1, -2, 0, 2},
    {"Match5Mismatch3Open8Extend1", Alphabet::dna, nullptr, nullptr, 5, -3, 8, 1},
};

void PrintTo(const System& system, std::ostream* out) { *out << system.name; }

class Parasail : public testing::TestWithParam<System> {
 protected:
  void SetUp() override {
    if (!parasail::available()) GTEST_SKIP() << "libparasail was not found when this was configured";
  }
};

alignment::Scoring ours(const System& s) {
  return {s.matrix ? alignment::named_matrix(s.matrix) : alignment::match_mismatch(s.match, s.mismatch), s.gap_open,
          s.gap_extend};
}

parasail::System theirs(const System& s) {
  return {s.other_matrix, s.match, s.mismatch, s.gap_open + s.gap_extend, s.gap_extend};
}

TEST_P(Parasail, GivesTheSameScoresOnTenThousandPairs) {
  const System& system = GetParam();
  const bool dna = system.alphabet == Alphabet::dna;
  const auto a = dna ? pieces_of("mitochondrion-human.fa", 100) : sequences_of("proteins-100.fa");
  const auto b = dna ? pieces_of("mitochondrion-orangutan.fa", 100) : a;
  ASSERT_EQ(a.size() * b.size(), 10000u);
  const auto queries = set_of(system.alphabet, a), subjects = set_of(system.alphabet, b);
  const alignment::Scoring scoring = ours(system);
  const auto expected = parasail::scores(a, b, theirs(system));
  const auto got = alignment::search_scores(queries, subjects, scoring, /*threads=*/2);
  ASSERT_EQ(got.size(), expected.size());
  std::size_t different = 0;
  for (std::size_t pair = 0; pair < got.size(); ++pair) {
    if (got[pair] == expected[pair]) continue;
    if (++different <= 5)
      ADD_FAILURE() << "pair " << pair / b.size() << ", " << pair % b.size() << ": " << got[pair] << ", parasail "
                    << expected[pair];
  }
  EXPECT_EQ(different, 0u) << "of " << got.size();

  // Every 13th pair is aligned, and its path scored from the definition.
  for (std::size_t pair = 0; pair < got.size(); pair += 13) {
    const auto query = queries.codes(pair / b.size()), subject = subjects.codes(pair % b.size());
    const alignment::Alignment found = alignment::align(query, subject, scoring);
    EXPECT_EQ(found.score, expected[pair]);
    if (found.score == 0) continue;
    EXPECT_EQ(alignment::rescore(query, subject, scoring, found.query_begin, found.subject_begin, found.cigar),
              expected[pair]);
  }
}

TEST(ParasailGenomes, GiveTheSameScore) {
  if (!parasail::available()) GTEST_SKIP() << "libparasail was not found when this was configured";
  const auto human = sequences_of("mitochondrion-human.fa"), orangutan = sequences_of("mitochondrion-orangutan.fa");
  const auto queries = set_of(Alphabet::dna, human), subjects = set_of(Alphabet::dna, orangutan);
  const System system{"", Alphabet::dna, nullptr, nullptr, 2, -3, 5, 2};
  const auto expected = parasail::scores(human, orangutan, theirs(system));
  EXPECT_EQ(alignment::search_scores(queries, subjects, ours(system), 2), expected);
  const auto found = alignment::align(queries.codes(0), subjects.codes(0), ours(system));
  EXPECT_EQ(found.score, expected[0]);
  EXPECT_EQ(alignment::rescore(queries.codes(0), subjects.codes(0), ours(system), found.query_begin,
                               found.subject_begin, found.cigar),
            expected[0]);
}

INSTANTIATE_TEST_SUITE_P(Systems, Parasail, testing::ValuesIn(systems),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace speedwell
