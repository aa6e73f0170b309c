// Published and independently computed scores, end points and paths. Protein pairs: parasail 2.6, ssearch36 36.3.8i and
// blastp 2.12 agree with them; DNA: parasail.
#include "tests/apps/alignment/golden.hpp"

#include <gtest/gtest.h>

#include "speedwell/apps/alignment/alignment.hpp"
#include "speedwell/apps/alignment/problem.hpp"
#include "speedwell/apps/alignment/verify/reference.hpp"

namespace speedwell::alignment {
namespace {

using namespace golden;

std::int32_t search_one(Alphabet alphabet, std::string_view query, std::string_view subject, const Scoring& scoring) {
  SequenceSet queries(alphabet), subjects(alphabet);
  queries.add("q", "", query);
  subjects.add("s", "", subject);
  return search_scores(queries, subjects, scoring)[0];
}

/// Score and end by the aligner, the reference and the search.
void expect_end(Alphabet alphabet, std::string_view query, std::string_view subject, const Scoring& scoring,
                const EndPoint& expected) {
  const auto q = codes(alphabet, query), s = codes(alphabet, subject);
  const EndPoint end = find_end(q, s, scoring);
  EXPECT_EQ(end.score, expected.score);
  EXPECT_EQ(end.query_end, expected.query_end);
  EXPECT_EQ(end.subject_end, expected.subject_end);
  const reference::Best best = reference::best(q, s, scoring);
  EXPECT_EQ(best.score, expected.score);
  EXPECT_EQ(best.query_end, static_cast<std::size_t>(expected.query_end));
  EXPECT_EQ(best.subject_end, static_cast<std::size_t>(expected.subject_end));
  EXPECT_EQ(search_one(alphabet, query, subject, scoring), expected.score);
}

TEST(GoldenScores, AGapOfLengthKCostsOpenPlusKExtend) {
  const std::string a = "MKWVTFISLLFLFSSAYSWWWHHHHCCCYYYRGVFRRDAHKSEVAHRFKDLGEENFKALV";
  const std::string b = "MKWVTFISLLFLFSSAYSWWWHHHHCCYYYRGVFRRDAHKSEVAHRFKDLGEENFKALV";
  const std::string c = "MKWVTFISLLFLFSSAYSWWWHHHHYYYRGVFRRDAHKSEVAHRFKDLGEENFKALV";
  const auto score = [&](const std::string& other, int open, int extend) {
    return search_one(Alphabet::protein, a, other, {named_matrix("BLOSUM62"), open, extend});
  };
  EXPECT_EQ(score(a, 11, 1), 354);
  EXPECT_EQ(score(b, 10, 1), 334);
  EXPECT_EQ(score(c, 10, 1), 314);
  EXPECT_EQ(score(b, 11, 1), 333);
  EXPECT_EQ(score(c, 11, 1), 313);
}

struct ProteinPair {
  const char* name;
  std::string_view query, subject;
  int score, query_end, subject_end, query_begin, subject_begin;
  int blosum50, pam250, blosum80_3, blosum45;
};
const ProteinPair protein_pairs[] = {
    {"HBA-HBB", HBA_HUMAN, HBB_HUMAN, 285, 141, 146, 3, 4, 381, 323, 468, 353},
    {"OPSD", OPSD_HUMAN, OPSD_XENLA, 1618, 348, 354, 1, 1, 2074, 1670, 2622, 1938},
    {"FLAV", FLAV_ECOLI, FLAV_DESVH, 169, 145, 143, 6, 6, 241, 177, 312, 207},
    {"PAX", PAX6_HUMAN, PAX3_HUMAN, 651, 406, 405, 8, 38, 908, 680, 1185, 814},
    {"LACI-GCN4", LACI_ECOLI, GCN4_YEAST, 36, 339, 85, 295, 39, 54, 43, 94, 45},
    {"IFNA2-ARF3", IFNA2_HUMAN, ARF3_HUMAN, 22, 147, 83, 143, 79, 33, 37, 55, 29},
    {"HBB-HBB", HBB_HUMAN, HBB_HUMAN, 780, 147, 147, 1, 1, 991, 731, 1258, 935},
};

TEST(GoldenScores, ProteinPairsWithBlosum62) {
  for (const ProteinPair& pair : protein_pairs)
    for (const char* matrix : {"BLOSUM62", "BLOSUM62-classic"}) {
      SCOPED_TRACE(std::string(pair.name) + " " + matrix);
      const Scoring scoring{named_matrix(matrix), 11, 1};
      expect_end(Alphabet::protein, pair.query, pair.subject, scoring, {pair.score, pair.query_end, pair.subject_end});
      const auto q = protein_codes(pair.query), s = protein_codes(pair.subject);
      const Alignment alignment = align(q, s, scoring);
      EXPECT_EQ(alignment.query_begin, pair.query_begin);
      EXPECT_EQ(alignment.subject_begin, pair.subject_begin);
      EXPECT_EQ(rescore(q, s, scoring, alignment.query_begin, alignment.subject_begin, alignment.cigar), pair.score);
    }
}

TEST(GoldenScores, ProteinPairsWithOtherMatrices) {
  for (const ProteinPair& pair : protein_pairs) {
    SCOPED_TRACE(pair.name);
    const auto score = [&](const char* matrix, int open, int extend) {
      return search_one(Alphabet::protein, pair.query, pair.subject, {named_matrix(matrix), open, extend});
    };
    EXPECT_EQ(score("BLOSUM50", 10, 2), pair.blosum50);
    EXPECT_EQ(score("PAM250", 14, 2), pair.pam250);
    EXPECT_EQ(score("BLOSUM80-3", 10, 1), pair.blosum80_3);
    EXPECT_EQ(score("BLOSUM45", 14, 2), pair.blosum45);
  }
}

TEST(GoldenScores, ProteinPairsWithTheCostsThatBlastUses) {
  struct Row {
    std::string_view query, subject;
    EndPoint ends[5];
  };
  const char* const matrices[] = {"BLOSUM50", "BLOSUM80", "BLOSUM90", "PAM30", "PAM70"};
  const Row rows[] = {
      {HBA_HUMAN, HBB_HUMAN, {{372, 141, 146}, {283, 141, 146}, {305, 141, 146}, {236, 141, 146}, {311, 141, 146}}},
      {FLAV_ECOLI, FLAV_DESVH, {{218, 145, 143}, {163, 117, 120}, {173, 117, 120}, {136, 120, 140}, {159, 117, 120}}},
      {OPSD_HUMAN,
       OPSD_XENLA,
       {{2068, 348, 354}, {1723, 348, 354}, {1871, 348, 354}, {2187, 348, 354}, {1985, 348, 354}}},
      {PAX6_HUMAN, PAX3_HUMAN, {{870, 406, 405}, {692, 375, 373}, {724, 401, 392}, {755, 268, 277}, {767, 401, 392}}},
  };
  for (const Row& row : rows)
    for (std::size_t m = 0; m < std::size(matrices); ++m) {
      SCOPED_TRACE(matrices[m]);
      expect_end(Alphabet::protein, row.query, row.subject, usual_scoring(named_matrix(matrices[m])), row.ends[m]);
    }
}

TEST(GoldenPaths, HaemoglobinByTheRule) {
  const auto q = protein_codes(HBA_HUMAN), s = protein_codes(HBB_HUMAN);
  const Alignment alignment = align(q, s, {named_matrix("BLOSUM62"), 11, 1});
  EXPECT_EQ(cigar_string(alignment.cigar),
            "1=1X1=2X1=2X1=1X1=1X4=2I3X1=1X1=1X3=1X1=5X1=1X1=3X1=2X1=6D1=3X1=3X2=1X5=2X1=5X2=1X1=8X2=1X2=2X2=1X3=1X2=1X"
            "2=3X1=3X2=1X1=3X4=1X1=1X1=3X1=2X1=1X1=3X1=2X2=");
  EXPECT_EQ(alignment.identities, 61);
  EXPECT_EQ(alignment.columns, 145);
  EXPECT_EQ(alignment.mismatches, 76);
  EXPECT_EQ(alignment.gap_opens, 2);
  EXPECT_EQ(alignment.positives, 86);  // water's similarity
}

TEST(GoldenPaths, CountsThatBlastReports) {
  struct Row {
    std::string_view query, subject;
    int columns, mismatches, gap_opens, identities;
  };
  const Row rows[] = {{OPSD_HUMAN, OPSD_XENLA, 354, 56, 2, 292},
                      {FLAV_ECOLI, FLAV_DESVH, 145, 79, 5, 54},
                      {PAX6_HUMAN, PAX3_HUMAN, 410, 191, 11, 166},  // ssearch36 and parasail too
                      {IFNA2_HUMAN, ARF3_HUMAN, 5, 1, 0, 4},
                      {HBB_HUMAN, HBB_HUMAN, 147, 0, 0, 147}};
  for (const Row& row : rows) {
    const Alignment a = align(protein_codes(row.query), protein_codes(row.subject), {named_matrix("BLOSUM62"), 11, 1});
    EXPECT_EQ(a.columns, row.columns);
    EXPECT_EQ(a.mismatches, row.mismatches);
    EXPECT_EQ(a.gap_opens, row.gap_opens);
    EXPECT_EQ(a.identities, row.identities);
  }
}

struct DnaRow {
  std::size_t length;
  char subject;  // B: A mutated; C: unrelated
  int match, mismatch, open, extend;
  EndPoint end;
};
const DnaRow dna_rows[] = {
    {1000, 'B', 5, -3, 8, 1, {3964, 1000, 995}},      {1000, 'B', 2, -3, 5, 2, {1336, 997, 991}},
    {1000, 'B', 1, -3, 5, 2, {447, 997, 991}},        {1000, 'C', 5, -3, 8, 1, {914, 993, 999}},
    {1000, 'C', 2, -3, 5, 2, {18, 110, 592}},         {1000, 'C', 1, -3, 5, 2, {9, 110, 592}},
    {10000, 'B', 5, -3, 8, 1, {39772, 10000, 10006}}, {10000, 'B', 2, -3, 5, 2, {13435, 10000, 10006}},
    {10000, 'B', 1, -3, 5, 2, {4541, 9982, 9988}},    {10000, 'B', 1, -3, 2, 2, {5141, 9982, 9988}},
    {10000, 'C', 5, -3, 8, 1, {9354, 9988, 10000}},   {10000, 'C', 2, -3, 5, 2, {28, 522, 5661}},
    {10000, 'C', 1, -3, 5, 2, {12, 1621, 5123}},
};

TEST(GoldenScores, RandomDnaOfAThousandResidues) {
  const std::string a = dna(seed_a, 1000), b = mutated(a, seed_c), c = dna(seed_c, 1000);
  EXPECT_EQ(a.substr(0, 30), "TTGTACTCGCTCATTTCACTACAAGACACC");
  EXPECT_EQ(b.substr(0, 30), "TTGTACTCGCTCATTCACTACAAGGACACC");
  EXPECT_EQ(c.substr(0, 30), "CTGGCGTGCCTCCGAGTACTTTGGAGCTGC");
  EXPECT_EQ(b.size(), 995u);
  for (const DnaRow& row : dna_rows)
    if (row.length == 1000)
      expect_end(Alphabet::dna, a, row.subject == 'B' ? b : c,
                 {match_mismatch(row.match, row.mismatch), row.open, row.extend}, row.end);
}

TEST(GoldenScores, RandomDnaOfTenThousandResidues) {
  const std::string a = dna(seed_a, 10000), b = mutated(a, seed_c), c = dna(seed_c, 10000);
  EXPECT_EQ(b.size(), 10006u);
  SequenceSet queries(Alphabet::dna), subjects(Alphabet::dna);
  queries.add("A", "", a);
  subjects.add("B", "", b);
  subjects.add("C", "", c);
  for (const DnaRow& row : dna_rows) {
    if (row.length != 10000) continue;
    const Scoring scoring{match_mismatch(row.match, row.mismatch), row.open, row.extend};
    EXPECT_EQ(find_end(queries.codes(0), subjects.codes(row.subject == 'B' ? 0 : 1), scoring), row.end);
  }
  EXPECT_EQ(search_scores(queries, subjects, {match_mismatch(5, -3), 8, 1}), (std::vector<std::int32_t>{39772, 9354}));
}

TEST(GoldenScores, RandomDnaOfAHundredThousandResidues) {
  const std::string a = dna(seed_a, 100000);
  const auto q = codes(Alphabet::dna, a), b = codes(Alphabet::dna, mutated(a, seed_c)),
             c = codes(Alphabet::dna, dna(seed_c, 100000));
  const Scoring scoring{match_mismatch(2, -3), 5, 2};
  EXPECT_EQ(find_end(q, c, scoring), (EndPoint{35, 55765, 3997}));
  const Alignment alignment = align(q, b, scoring);
  EXPECT_EQ(alignment.score, 134921);
  EXPECT_EQ(alignment.query_end, 99992);
  EXPECT_EQ(alignment.subject_end, 100038);
  EXPECT_EQ(rescore(q, b, scoring, alignment.query_begin, alignment.subject_begin, alignment.cigar), 134921);
}

TEST(GoldenScores, RandomProtein) {
  expect_end(Alphabet::protein, protein(seed_a, 1000), protein(seed_c, 1000), {named_matrix("BLOSUM62"), 11, 1},
             {51, 763, 261});
}

}  // namespace
}  // namespace speedwell::alignment
