// BLAST's tabular lines, written by hand from the manual's columns; the first is one of blastp 2.12.
#include "speedwell/io/blast_tabular.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace speedwell::io {
namespace {

BlastHit haemoglobins() {
  return {.query_id = "HBA_HUMAN",
          .subject_id = "HBB_HUMAN",
          .query_title = "HBA_HUMAN alpha\tchain",
          .subject_title = "HBB_HUMAN",
          .query_length = 142,
          .subject_length = 147,
          .score = 285,
          .evalue = "2.54e-38",
          .bit_score = "114",
          .length = 145,
          .identities = 61,
          .mismatches = 76,
          .positives = 86,
          .gap_opens = 2,
          .query_begin = 3,
          .query_end = 141,
          .subject_begin = 4,
          .subject_end = 146,
          .query_row = "AC-GT",
          .subject_row = "ACCG-",
          .cigar = "2=1D1=1I"};
}

std::string line(const BlastHit& hit, std::string_view columns) { return blast_line(hit, blast_columns(columns)); }

TEST(BlastTabular, WritesTheLineOfBlastp) {
  EXPECT_EQ(line(haemoglobins(), "std"), "HBA_HUMAN\tHBB_HUMAN\t42.069\t145\t76\t2\t3\t141\t4\t146\t2.54e-38\t114\n");
}

TEST(BlastTabular, WritesEveryOtherColumn) {
  EXPECT_EQ(line(haemoglobins(), "score,qlen,slen,nident,positive,ppos,gaps"), "285\t142\t147\t61\t86\t59.31\t8\n");
  EXPECT_EQ(line(haemoglobins(), "qcovs qcovhsp sstrand"), "98\t98\tN/A\n") << "139 of 142 residues: 97.89 %";
  EXPECT_EQ(line(haemoglobins(), "qseq sseq cigar, qtitle ,stitle"),
            "AC-GT\tACCG-\t2=1D1=1I\tHBA_HUMAN alpha chain\tHBB_HUMAN\n");
  BlastHit empty;
  EXPECT_EQ(line(empty, "pident,ppos,qcovs,evalue,bitscore"), "0.000\t0.00\t0\t*\t*\n");
}

TEST(BlastTabular, ShowsTheMinusStrandAsADescendingSubject) {
  BlastHit hit = haemoglobins();
  hit.strand = BlastStrand::minus;
  EXPECT_EQ(line(hit, "qstart,qend,sstart,send,sstrand"), "3\t141\t146\t4\tminus\n");
  hit.strand = BlastStrand::plus;
  EXPECT_EQ(line(hit, "sstart,send,sstrand"), "4\t146\tplus\n");
}

TEST(BlastTabular, RoundsCoverageButNotUpToAHundred) {
  const auto coverage = [](std::int64_t covered, std::int64_t whole) {
    return line({.query_length = whole, .length = covered, .query_begin = 1, .query_end = covered}, "qcovs");
  };
  EXPECT_EQ(coverage(147, 147), "100\n");
  EXPECT_EQ(coverage(348, 349), "99\n") << "99.71 %";
  EXPECT_EQ(coverage(147, 149), "99\n") << "98.66 %";
  EXPECT_EQ(coverage(984, 1000), "98\n");
}

TEST(BlastTabular, ReadsListsOfColumns) {
  EXPECT_EQ(blast_columns("qseqid, sseqid score").size(), 3u);
  EXPECT_EQ(blast_columns("std,score").size(), 13u);
  EXPECT_EQ(blast_columns("stitle").front(), BlastColumn::stitle);
  for (const std::string& name : blast_column_names())
    EXPECT_EQ(blast_columns(name).size(), name == "std" ? 12u : 1u) << name;
  const auto refused = [](std::string_view list) {
    try {
      blast_columns(list);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("read");
  };
  for (const char* list : {"", " ", "score,", ",score", "qseqid,,sseqid"})
    EXPECT_EQ(refused(list), "the name of a column is missing") << list;
  EXPECT_EQ(refused("scor"), "unknown column 'scor'; the nearest is 'score'");
  EXPECT_EQ(refused("staxids"), "the column 'staxids' needs a taxonomy, which files of sequences do not have");
}

TEST(BlastTabular, KnowsWhichColumnsNeedAnAlignment) {
  EXPECT_FALSE(needs_alignment(blast_columns("qseqid sseqid score evalue bitscore qlen slen sstrand qtitle stitle")));
  EXPECT_TRUE(needs_alignment(blast_columns("score cigar")));
  EXPECT_TRUE(needs_alignment(BlastColumn::qcovs));
}

TEST(BlastTabular, WritesLinesOfComment) {
  const BlastComment comment{"aligner 1.2", "q some\tquery", "database\x1b.fa"};
  EXPECT_EQ(blast_comment_lines(comment, blast_columns("qseqid,pident"), 2),
            "# aligner 1.2\n# Query: q some query\n# Database: database\\x1b.fa\n# Fields: query id, % identity\n"
            "# 2 hits found\n");
  EXPECT_EQ(blast_comment_lines(comment, blast_columns("std"), 0),
            "# aligner 1.2\n# Query: q some query\n# Database: database\\x1b.fa\n# 0 hits found\n");
  EXPECT_EQ(blast_last_comment_line("aligner", 2), "# aligner processed 2 queries\n");
}

TEST(BlastTabular, PrintsEValuesAndBitScoresAsBlastpDoes) {
  for (const auto& [value, text] : {std::pair{9.9e-181, "0.0"},
                                    {1.01e-180, "1.01e-180"},
                                    {2.54e-38, "2.54e-38"},
                                    {8.95e-4, "8.95e-04"},
                                    {9.01e-4, "0.001"},
                                    {0.0994, "0.099"},
                                    {0.0998, "0.100"},
                                    {0.1002, "0.10"},
                                    {0.998, "1.00"},
                                    {1.002, "1.0"},
                                    {9.98, "10.0"},
                                    {10.04, "10"},
                                    {99.8, "100"},
                                    {123572.0, "123572"},
                                    {0.0, "0.0"}})
    EXPECT_EQ(format_evalue(value), text);
  for (const auto& [value, text] : {std::pair{69.707, "69.7"},
                                    {13.083, "13.1"},
                                    {99.625, "99.6"},
                                    {99.906, "99"},
                                    {125.893, "125"},
                                    {140.97, "140"},
                                    {14203.4, "14203"},
                                    {106494.0, "1.065e+05"}})
    EXPECT_EQ(format_bit_score(value), text);
  EXPECT_EQ(format_evalue(std::nullopt), "*");
  EXPECT_EQ(format_bit_score(std::nullopt), "*");
}

}  // namespace
}  // namespace speedwell::io
