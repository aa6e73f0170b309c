// Held against what blastp and blastn 2.12 print (-comp_based_stats 0 -seg no; E-values "ka" with OLD_FSC=1).
#include "speedwell/apps/alignment/scoring/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "speedwell/io/blast_tabular.hpp"

namespace speedwell::alignment {
namespace {

struct PairOfGlobins {
  const char* matrix;
  int gap_open, gap_extend, score;
  double bits;
  const char* evalue;
};

// HBA_HUMAN (142 residues) against HBB_HUMAN (147) alone.
constexpr PairOfGlobins globins[] = {
    {"BLOSUM62", 11, 1, 285, 114.390, "2.54e-38"}, {"BLOSUM45", 14, 2, 353, 104.274, "4.19e-35"},
    {"BLOSUM50", 13, 2, 372, 108.416, "1.80e-36"}, {"BLOSUM80", 10, 1, 283, 125.893, "1.55e-39"},
    {"BLOSUM90", 10, 1, 305, 131.343, "7.80e-42"}, {"PAM30", 9, 1, 236, 103.284, "1.63e-28"},
    {"PAM70", 10, 1, 311, 134.023, "2.80e-40"},    {"PAM250", 14, 2, 323, 90.191, "3.81e-31"},
};

TEST(Statistics, GiveBlastpsBitsAndEValuesForEveryMatrix) {
  for (const PairOfGlobins& golden : globins) {
    const auto statistics = published_statistics(golden.matrix, golden.gap_open, golden.gap_extend);
    ASSERT_TRUE(statistics) << golden.matrix;
    EXPECT_NEAR(bit_score(*statistics, golden.score), golden.bits, 5e-4) << golden.matrix;
    const double evalue =
        evalue_fsc(*statistics, golden.score, {.query_length = 142, .database_residues = 147}, /*subject_length=*/147);
    EXPECT_EQ(io::format_evalue(evalue), golden.evalue) << golden.matrix;
  }
}

struct Single {
  int query_length, subject_length, score;
  double bits;
  const char *finite_size, *karlin_altschul;
  int adjustment;
};

// One subject, BLOSUM62 11, 1.
constexpr Single singles[] = {
    {142, 147, 285, 114.390, "2.54e-38", "6.06e-31", 16},
    {176, 148, 169, 69.707, "1.72e-20", "2.16e-17", 17},
    {422, 479, 651, 255.373, "1.14e-84", "2.31e-72", 33},
    {147, 147, 780, 305.064, "1.44e-113", "2.52e-88", 16},
    {348, 354, 1618, 627.861, "0.0", "0.0", 29},
    {360, 281, 36, 18.475, "0.21", "0.23", 27},
    {188, 181, 22, 13.083, "3.3", "3.2", 19},
};

TEST(Statistics, GiveBothEValuesOfSinglePairs) {
  const ScoreStatistics statistics = published_statistics("BLOSUM62", 11, 1).value();
  for (const Single& s : singles) {
    const SearchSpace space{.query_length = s.query_length, .database_residues = s.subject_length};
    EXPECT_NEAR(bit_score(statistics, s.score), s.bits, 5e-4);
    EXPECT_EQ(length_adjustment(statistics, space), s.adjustment) << s.score;
    EXPECT_EQ(io::format_evalue(evalue_fsc(statistics, s.score, space, s.subject_length)), s.finite_size);
    EXPECT_EQ(io::format_evalue(evalue_ka(statistics, s.score, space)), s.karlin_altschul);
  }
  // The rhodopsins, past what BLAST prints.
  const SearchSpace space{.query_length = 348, .database_residues = 354};
  EXPECT_NEAR(evalue_fsc(statistics, 1618, space, 354) / 3.84e-234, 1, 2e-3);
  EXPECT_NEAR(evalue_ka(statistics, 1618, space) / 1.02e-184, 1, 5e-3);
}

TEST(Statistics, GiveBothEValuesOfADatabase) {
  const ScoreStatistics statistics = published_statistics("BLOSUM62", 11, 1).value();
  const SearchSpace space{.query_length = 142, .database_residues = 37225, .database_sequences = 100};
  EXPECT_EQ(length_adjustment(statistics, space), 53);
  struct Hit {
    int score, subject_length;
    const char *finite_size, *karlin_altschul;
  };
  for (const Hit& hit : {Hit{733, 142, "3.69e-104", "1.18e-80"}, Hit{285, 147, "6.44e-36", "1.04e-28"},
                         Hit{53, 1217, "0.071", "0.083"}, Hit{44, 181, "0.77", "0.92"}}) {
    EXPECT_EQ(io::format_evalue(evalue_fsc(statistics, hit.score, space, hit.subject_length)), hit.finite_size);
    EXPECT_EQ(io::format_evalue(evalue_ka(statistics, hit.score, space)), hit.karlin_altschul);
  }
}

// Short sequences are where the bound of the adjustment decides: these are self-alignments of pieces of HBA_HUMAN.
TEST(Statistics, AdjustLittleBetweenShortSequences) {
  const ScoreStatistics statistics = published_statistics("BLOSUM62", 11, 1).value();
  const auto evalue = [&](int query, int subject, int score) {
    return io::format_evalue(evalue_ka(statistics, score, {.query_length = query, .database_residues = subject}));
  };
  EXPECT_EQ(evalue(20, 20, 105), "1.09e-11");
  EXPECT_EQ(evalue(25, 100, 135), "2.27e-14");
  EXPECT_EQ(evalue(24, 142, 128), "2.01e-13");
  EXPECT_EQ(evalue(26, 142, 143), "3.79e-15");
  EXPECT_EQ(evalue(50, 60, 266), "1.57e-29");
}

// blastn 2.12 (-task blastn -dust no -strand plus), the two best scores of A1000 against C1000 (golden.hpp) under every
// system that it knows parameters for.
TEST(Statistics, GiveBlastnsEValuesForEverySystem) {
  struct Row {
    int match, mismatch, gap_open, gap_extend, score;
    double evalue;
  };
  const Row rows[] = {
      {1, -3, 2, 2, 9, 3.03052},   {1, -3, 2, 2, 8, 11.9262},   {1, -3, 1, 2, 9, 3.31721},   {1, -3, 1, 2, 8, 12.7959},
      {1, -3, 0, 2, 9, 5.32195},   {1, -3, 0, 2, 8, 18.5754},   {1, -3, 2, 1, 9, 3.40275},   {1, -3, 2, 1, 8, 12.9953},
      {1, -3, 1, 1, 10, 1.83395},  {1, -3, 1, 1, 9, 6.15013},   {1, -4, 1, 2, 9, 3.17381},   {1, -4, 1, 2, 8, 12.3658},
      {1, -4, 0, 2, 9, 4.9797},    {1, -4, 0, 2, 8, 17.5555},   {1, -4, 2, 1, 9, 3.16171},   {1, -4, 2, 1, 8, 12.1961},
      {1, -4, 1, 1, 10, 1.71171},  {1, -4, 1, 1, 9, 5.79787},   {1, -2, 2, 2, 9, 3.83178},   {1, -2, 2, 2, 8, 14.4881},
      {1, -2, 1, 2, 9, 4.2099},    {1, -2, 1, 2, 8, 15.4474},   {1, -2, 0, 2, 10, 2.23545},  {1, -2, 0, 2, 9, 7.3481},
      {1, -2, 3, 1, 9, 3.85452},   {1, -2, 3, 1, 8, 14.4291},   {1, -2, 2, 1, 9, 4.33183},   {1, -2, 2, 1, 8, 15.7366},
      {1, -2, 1, 1, 10, 2.80698},  {1, -2, 1, 1, 9, 8.77677},   {1, -1, 3, 2, 10, 5.48425},  {1, -1, 3, 2, 9, 16.3117},
      {1, -1, 2, 2, 10, 5.82225},  {1, -1, 2, 2, 9, 16.9741},   {1, -1, 1, 2, 11, 2.66478},  {1, -1, 1, 2, 10, 7.38995},
      {1, -1, 0, 2, 14, 0.791485}, {1, -1, 0, 2, 13, 1.76148},  {1, -1, 4, 1, 10, 5.47448},  {1, -1, 4, 1, 9, 16.1206},
      {1, -1, 3, 1, 10, 5.95794},  {1, -1, 3, 1, 9, 17.1968},   {1, -1, 2, 1, 11, 2.98827},  {1, -1, 2, 1, 10, 8.04215},
      {2, -3, 4, 4, 18, 4.86389},  {2, -3, 4, 4, 17, 17.1473},  {2, -3, 2, 4, 19, 5.60165},  {2, -3, 2, 4, 18, 5.60165},
      {2, -3, 0, 4, 21, 3.36159},  {2, -3, 0, 4, 20, 3.36159},  {2, -3, 3, 3, 19, 5.59029},  {2, -3, 3, 3, 18, 5.59029},
      {2, -3, 6, 2, 18, 4.86389},  {2, -3, 6, 2, 17, 17.1473},  {2, -3, 5, 2, 18, 5.18471},  {2, -3, 5, 2, 17, 18.0964},
      {2, -3, 4, 2, 19, 5.78612},  {2, -3, 4, 2, 18, 5.78612},  {2, -3, 2, 2, 22, 1.59474},  {2, -3, 2, 2, 21, 4.46697},
      {1, -5, 3, 3, 9, 2.70672},   {1, -5, 3, 3, 8, 10.8671},   {2, -7, 2, 4, 18, 3.17381},  {2, -7, 2, 4, 16, 12.3658},
      {2, -7, 0, 4, 18, 4.9797},   {2, -7, 0, 4, 17, 17.5555},  {2, -7, 4, 2, 18, 3.21354},  {2, -7, 4, 2, 16, 12.396},
      {2, -7, 2, 2, 20, 1.64978},  {2, -7, 2, 2, 18, 5.58812},  {2, -5, 2, 4, 18, 3.34604},  {2, -5, 2, 4, 17, 12.7787},
      {2, -5, 0, 4, 19, 5.39625},  {2, -5, 0, 4, 18, 5.39625},  {2, -5, 4, 2, 18, 3.45946},  {2, -5, 4, 2, 17, 13.2118},
      {2, -5, 2, 2, 20, 4.22823},  {2, -5, 2, 2, 19, 12.9589},  {3, -4, 6, 3, 29, 4.49481},  {3, -4, 6, 3, 27, 9.78572},
      {3, -4, 5, 3, 30, 2.62336},  {3, -4, 5, 3, 28, 5.55366},  {3, -4, 4, 3, 31, 3.56375},  {3, -4, 4, 3, 30, 3.56375},
      {3, -4, 6, 2, 30, 2.94008},  {3, -4, 6, 2, 28, 6.06441},  {3, -4, 5, 2, 32, 2.25409},  {3, -4, 5, 2, 31, 4.36119},
      {3, -4, 4, 2, 37, 1.69606},  {3, -4, 4, 2, 36, 1.69606},  {3, -2, 5, 5, 46, 1.72586},  {3, -2, 5, 5, 45, 2.1249},
      {5, -4, 10, 6, 65, 1.54324}, {5, -4, 10, 6, 62, 2.51653}, {5, -4, 8, 6, 67, 1.93319},  {5, -4, 8, 6, 63, 3.4666},
      {4, -5, 6, 5, 40, 2.7635},   {4, -5, 6, 5, 39, 3.65647},  {4, -5, 5, 5, 41, 2.53213},  {4, -5, 5, 5, 39, 4.34516},
      {4, -5, 4, 5, 43, 2.03447},  {4, -5, 4, 5, 42, 2.61232},  {4, -5, 3, 5, 48, 0.977356}, {4, -5, 3, 5, 46, 1.5482}};
  for (const Row& row : rows) {
    const auto statistics = published_statistics(row.match, row.mismatch, row.gap_open, row.gap_extend);
    ASSERT_TRUE(statistics) << row.match << " " << row.mismatch << " " << row.gap_open << "," << row.gap_extend;
    // Six digits are printed.
    EXPECT_NEAR(evalue_ka(*statistics, row.score, {.query_length = 1000, .database_residues = 1000}), row.evalue,
                6e-6 * row.evalue)
        << row.match << " " << row.mismatch << " " << row.gap_open << "," << row.gap_extend << " " << row.score;
  }
}

TEST(Statistics, GiveBlastnsEValuesForDna) {
  const ScoreStatistics even = published_statistics(2, -3, 5, 2).value();
  const SearchSpace a_and_b{.query_length = 1000, .database_residues = 995};
  EXPECT_EQ(length_adjustment(even, a_and_b), 14);
  EXPECT_NEAR(evalue_ka(even, 20, a_and_b), 1.478, 5e-4);
  EXPECT_EQ(evalue_ka(even, 21, a_and_b), evalue_ka(even, 20, a_and_b)) << "an odd score counts as the even one below";
  EXPECT_EQ(io::format_bit_score(bit_score(even, 21)), "20.2") << "but not in bits";
  EXPECT_EQ(io::format_bit_score(bit_score(even, 1336)), "1205");
  EXPECT_NEAR(evalue_ka(even, 18, {.query_length = 1000, .database_residues = 1000}), 5.185, 5e-4);
  EXPECT_FALSE(even.finite_size());
  EXPECT_THROW(evalue_fsc(even, 20, a_and_b, 995), std::invalid_argument);

  const ScoreStatistics any = published_statistics(1, -3, 2, 2).value();
  const SearchSpace longer{.query_length = 10000, .database_residues = 10006};
  EXPECT_EQ(length_adjustment(any, longer), 14);
  EXPECT_NEAR(evalue_ka(any, 12, longer), 5.062, 5e-4);
  EXPECT_EQ(io::format_bit_score(bit_score(any, 12)), "24.2");
  EXPECT_NE(evalue_ka(any, 13, longer), evalue_ka(any, 12, longer));
}

TEST(Statistics, AreNotGuessedWhereNothingIsPublished) {
  EXPECT_FALSE(published_statistics("BLOSUM62", 12, 3));
  EXPECT_FALSE(published_statistics("BLOSUM62", 0, 0)) << "the row without gaps is no gap cost";
  EXPECT_FALSE(published_statistics("BLOSUM80-3", 10, 1)) << "the parameters belong to the half-bit table";
  EXPECT_FALSE(published_statistics("MY-MATRIX", 11, 1));
  EXPECT_FALSE(published_statistics(5, -3, 8, 1));
  EXPECT_TRUE(published_gap_costs("MY-MATRIX").empty());
  EXPECT_TRUE(published_gap_costs(7, -7).empty());
  EXPECT_TRUE(published_statistics("BLOSUM62-classic", 11, 1)) << "it differs for B, Z and X only";
  EXPECT_TRUE(published_statistics("NUC.4.4", 10, 6));
  EXPECT_EQ(published_gap_costs("NUC.4.4").size(), 2u);
}

TEST(Statistics, EveryPublishedCostIsFoundAndSensible) {
  std::size_t rows = 0;
  const auto check = [&](const std::optional<ScoreStatistics>& found) {
    ASSERT_TRUE(found);
    ++rows;
    EXPECT_GT(found->gapped.lambda, 0);
    EXPECT_GT(found->gapped.k, 0);
    EXPECT_LT(found->gapped.k, 1);
    if (!found->finite_size()) return;
    EXPECT_LE(found->gapped.lambda, found->ungapped.lambda) << "gaps make high scores likelier";
    EXPECT_GT(found->gapped.sigma, 0);
  };
  for (const char* matrix :
       {"BLOSUM45", "BLOSUM50", "BLOSUM62", "BLOSUM80", "BLOSUM90", "PAM30", "PAM70", "PAM250", "NUC.4.4"})
    for (const auto& [open, extend] : published_gap_costs(matrix)) check(published_statistics(matrix, open, extend));
  for (const auto& [match, mismatch] : {std::pair{1, -3}, {1, -4}, {1, -2}, {1, -1}, {2, -3}, {4, -5}})
    for (const auto& [open, extend] : published_gap_costs(match, mismatch))
      check(published_statistics(match, mismatch, open, extend));
  EXPECT_EQ(rows, 82u + 2 + 5 + 4 + 6 + 7 + 8 + 4);  // protein, NUC.4.4, then the DNA sets in that order
}

TEST(Statistics, HoldForEmptyAndTinySequences) {
  const ScoreStatistics statistics = published_statistics("BLOSUM62", 11, 1).value();
  EXPECT_EQ(length_adjustment(statistics, {.query_length = 0, .database_residues = 0, .database_sequences = 0}), 0);
  EXPECT_EQ(length_adjustment(statistics, {.query_length = 1, .database_residues = 1}), 0);
  EXPECT_EQ(evalue_ka(statistics, 10, {.query_length = 0, .database_residues = 100}), 0);
  EXPECT_EQ(evalue_fsc(statistics, 10, {.query_length = 10, .database_residues = 100}, 0), 0);
  EXPECT_GE(evalue_fsc(statistics, 40000, {.query_length = 3, .database_residues = 3}, 3), 0);
}

}  // namespace
}  // namespace speedwell::alignment
