#include "speedwell/apps/alignment/scoring/scoring.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "speedwell/apps/alignment/problem.hpp"
#include "speedwell/apps/alignment/sequences/sequence_set.hpp"

namespace speedwell::alignment {
namespace {

int code(char symbol) { return encode(Alphabet::protein, symbol); }

TEST(Alphabets, AreCodedInTheirOrderInEitherCase) {
  for (const Alphabet alphabet : {Alphabet::protein, Alphabet::dna}) {
    const std::string_view all = symbols(alphabet);
    for (std::size_t k = 0; k < all.size(); ++k) {
      EXPECT_EQ(encode(alphabet, all[k]), static_cast<int>(k));
      EXPECT_EQ(encode(alphabet, static_cast<char>(std::tolower(all[k]))), static_cast<int>(k));
      EXPECT_EQ(decode(alphabet, static_cast<int>(k)), all[k]);
    }
  }
  EXPECT_EQ(code('U'), code('C'));
  EXPECT_EQ(code('o'), code('X'));
  EXPECT_EQ(encode(Alphabet::dna, 'u'), encode(Alphabet::dna, 'T'));
  int known = 0;
  for (int byte = 0; byte < 256; ++byte) known += encode(Alphabet::protein, static_cast<char>(byte)) >= 0;
  EXPECT_EQ(known, 2 * 26 + 1);  // every symbol, and the stop
  EXPECT_EQ(encode(Alphabet::dna, 'E'), -1);
  EXPECT_EQ(encode(Alphabet::dna, '*'), -1);
}

// Sums over all rows and columns of NCBI's files; of the classic tables with J scored as X.
TEST(Matrices, HaveTheSumsOfThePublishedTables) {
  const std::pair<const char*, int> sums[] = {{"BLOSUM45", -743},  {"BLOSUM50", -877},  {"BLOSUM62", -789},
                                              {"BLOSUM80", -1149}, {"BLOSUM90", -1290}, {"PAM30", -3734},
                                              {"PAM70", -2201},    {"PAM250", -995},    {"NUC.4.4", -395}};
  for (const auto& [name, expected] : sums) {
    const SubstitutionMatrix& matrix = named_matrix(name);
    const int count = static_cast<int>(symbols(matrix.alphabet()).size());
    int sum = 0;
    for (int a = 0; a < count; ++a)
      for (int b = 0; b < count; ++b) sum += matrix.score(a, b);
    EXPECT_EQ(sum, expected) << name;
  }
}

TEST(Matrices, TheClassicTablesDifferWhereTheyShould) {
  const SubstitutionMatrix &ncbi = named_matrix("BLOSUM62"), &classic = named_matrix("BLOSUM62-classic");
  EXPECT_EQ(ncbi.score(code('N'), code('B')), 4);
  EXPECT_EQ(classic.score(code('N'), code('B')), 3);
  EXPECT_EQ(ncbi.score(code('Q'), code('Z')), 4);
  EXPECT_EQ(classic.score(code('Q'), code('Z')), 3);
  EXPECT_EQ(ncbi.score(code('L'), code('J')), 3);
  int different = 0;
  for (int a = 0; a < 25; ++a)
    for (int b = 0; b < 25; ++b)
      if (a != code('J') && b != code('J')) different += ncbi.score(a, b) != classic.score(a, b);
  EXPECT_EQ(different, 20);
  EXPECT_EQ(classic.score(code('J'), code('W')), classic.score(code('X'), code('W')));
  EXPECT_EQ(named_matrix("BLOSUM80").score(0, 0), 5);
  EXPECT_EQ(named_matrix("BLOSUM80-3").score(0, 0), 7);
}

TEST(Matrices, AreFoundInEitherCaseAndTheNearestIsNamed) {
  EXPECT_EQ(&named_matrix("blosum62"), &named_matrix("BLOSUM62"));
  for (const std::string& name : matrix_names()) EXPECT_EQ(named_matrix(name).name(), name);
  try {
    named_matrix("BLOSUM26");
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "unknown substitution matrix 'BLOSUM26'; the nearest is 'BLOSUM62'");
  }
}

TEST(Matrices, CodesPastTheAlphabetScoreTheLowest) {
  const SubstitutionMatrix& matrix = named_matrix("BLOSUM62");
  EXPECT_EQ(matrix.lowest(), -4);
  EXPECT_EQ(matrix.highest(), 11);
  EXPECT_EQ(matrix.score(25, 0), -4);
  EXPECT_EQ(matrix.score(31, 31), -4);
}

TEST(Matrices, MatchAndMismatchScoreAmbiguityAsMismatch) {
  const SubstitutionMatrix matrix = match_mismatch(2, -3);
  for (int a = 0; a < 15; ++a)
    for (int b = 0; b < 15; ++b) EXPECT_EQ(matrix.score(a, b), a == b && a < 4 ? 2 : -3);
  for (const auto& [match, mismatch] : {std::pair{0, -1}, std::pair{128, -1}, std::pair{1, -129}, std::pair{2, 2}})
    EXPECT_THROW(match_mismatch(match, mismatch), std::invalid_argument);
  EXPECT_EQ(matrix_of("2/-3").score(0, 0), 2);
  EXPECT_EQ(matrix_of("2/-3").score(0, 1), -3);
  for (const char* text : {"2/", "/-3", "2/-3/1", "2.5/-3", "a/b", ""})
    EXPECT_THROW(matrix_of(text), std::invalid_argument) << text;
}

TEST(Matrices, MustBeSymmetric) {
  std::array<std::int8_t, code_limit * code_limit> scores{};
  scores[1] = 3;
  EXPECT_THROW(SubstitutionMatrix("bent", Alphabet::dna, scores), std::invalid_argument);
}

TEST(SequenceSets, PackSequencesOneAfterAnother) {
  SequenceSet set(Alphabet::protein);
  set.add("one", "first", "ARNd");
  set.add("none", "", "");
  set.add("two", "second", "*");
  EXPECT_EQ(set.size(), 3u);
  EXPECT_EQ(set.residues(), 5u);
  EXPECT_EQ(set.longest(), 4u);
  EXPECT_EQ(set.length(1), 0u);
  EXPECT_EQ(set.codes(2)[0], 24);
  EXPECT_EQ(set.name(2), "two");
  EXPECT_EQ(set.description(0), "first");
  EXPECT_EQ(set.offsets().size(), 4u);
}

TEST(SequenceSets, ASymbolOutsideTheAlphabetIsNamedAndNothingIsKept) {
  SequenceSet set(Alphabet::dna);
  set.add("fine", "", "ACGTN");
  try {
    set.add("odd", "", "ACE");
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "sequence odd, residue 3: 'E' is not a nucleotide symbol");
  }
  EXPECT_THROW(set.add("control", "", std::string_view("A\x01", 2)), std::invalid_argument);
  EXPECT_EQ(set.size(), 1u);
  EXPECT_EQ(set.residues(), 5u);
}

TEST(Populations, AreTheSameForAnyNumberOfSequencesAndHaveTheRightMean) {
  Population population{.count = 2000, .mean_length = 100, .seed = 3};
  const SequenceSet many = make_sequences(population);
  EXPECT_NEAR(static_cast<double>(many.residues()) / 2000, 100, 6);  // the mean's standard deviation is 73 / sqrt(2000)
  population.count = 10;
  const SequenceSet few = make_sequences(population);
  for (std::size_t i = 0; i < few.size(); ++i)
    EXPECT_TRUE(std::equal(few.codes(i).begin(), few.codes(i).end(), many.codes(i).begin(), many.codes(i).end()));
  std::size_t leucine = 0;
  for (const std::uint8_t c : many.packed()) leucine += c == 10;
  EXPECT_NEAR(static_cast<double>(leucine) / static_cast<double>(many.residues()), 0.0966, 0.004);
}

TEST(Populations, RelativesKeepTheirLengthsAndScoreHigh) {
  const SequenceSet queries = make_sequences({.count = 5, .mean_length = 300, .spread = 0, .seed = 1});
  const Population population{.count = 100, .mean_length = 300, .spread = 0, .seed = 2};
  const SequenceSet relatives = make_relatives(population, queries, 1);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(relatives.length(i), 300u);
  std::size_t equal = 0;
  for (std::size_t i = 0; i < 100; ++i) {
    std::size_t maximum = 0;
    for (std::size_t q = 0; q < 5; ++q) {
      std::size_t same = 0;
      for (std::size_t k = 0; k < 20; ++k) same += relatives.codes(i)[k] == queries.codes(q)[k];
      maximum = std::max(maximum, same);
    }
    equal += maximum;
  }
  EXPECT_GT(equal, 700u);  // of 2000; unrelated sequences agree in about 1 of 16 residues
}

}  // namespace
}  // namespace speedwell::alignment
