// `speedwell align`: which hits there are (masking, coverage, alphabets), what is computed for them, and messages.
#include <gtest/gtest.h>

#include "speedwell/cli/errors.hpp"
#include "tests/cli/align_fixture.hpp"

namespace speedwell::cli {
namespace {

TEST_F(Align, ComputesAlignmentsOnlyWhereTheyAreAskedFor) {
  std::atomic<int> aligned{0};
  aligner_ = [&](alignment::Codes a, alignment::Codes b, const alignment::Scoring& scoring,
                 const alignment::AlignOptions& options) {
    ++aligned;
    return alignment::align(a, b, scoring, options);
  };
  const std::string query = fasta({"HBA_HUMAN"}), database = fasta({"HBB_HUMAN", "OPSD_HUMAN"});
  const std::vector<std::string> scores = {"--columns",
                                           "qseqid sseqid score evalue bitscore qlen slen sstrand qtitle stitle"};
  const std::string some = align(query, database, scores);
  EXPECT_TRUE(some.starts_with("HBA_HUMAN\tHBB_HUMAN\t285\t")) << some;
  EXPECT_NE(some.find("\t114\t142\t147\tN/A\tHBA_HUMAN\tHBB_HUMAN\n"), std::string::npos) << some;
  EXPECT_EQ(aligned, 0);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--columns", "score length"},
                                                {},
                                                {"--outfmt", "0"},
                                                {"--outfmt", "17"},
                                                {"--columns", "score", "--query-cover", "1"}}) {
    aligned = 0;
    align(query, database, words);
    EXPECT_GE(aligned, 1) << (words.empty() ? "" : words[0]);
  }
  // A coverage that every hit has costs alignments and changes nothing.
  std::vector<std::string> full = scores;
  full.insert(full.end(), {"--query-cover", "0.001"});
  EXPECT_EQ(align(query, database, full), some);
}

TEST_F(Align, FiltersByCoverageBeforeItCounts) {
  // The first 100 of 147 residues score more than all of the relative, and cover 68 %.
  const std::string database = ">part\n" + proteins_["HBB_HUMAN"].substr(0, 100) + "\n" + fasta({"HBA_HUMAN"});
  const auto names = [&](const std::vector<std::string>& words) {
    std::vector<std::string> all = {"--columns", "sseqid"};
    all.insert(all.end(), words.begin(), words.end());
    return align(fasta({"HBB_HUMAN"}), database, all);
  };
  EXPECT_EQ(names({}), "part\nHBA_HUMAN\n");
  EXPECT_EQ(names({"--max-target-seqs", "1"}), "part\n");
  EXPECT_EQ(names({"--query-cover", "90"}), "HBA_HUMAN\n");
  EXPECT_EQ(names({"--query-cover", "90", "--max-target-seqs", "1"}), "HBA_HUMAN\n");
  EXPECT_EQ(names({"--query-cover", "68", "--max-target-seqs", "1"}), "part\n") << "100 / 147 is 68.03 %";
  EXPECT_EQ(names({"--query-cover", "100"}), "");
  // 98.66 % is printed as 99 and is not 99.
  const std::string longer = ">q\n" + proteins_["HBB_HUMAN"] + "WW\n";
  EXPECT_EQ(align(longer, fasta({"HBB_HUMAN"}), {"--columns", "qcovs", "--query-cover", "99"}), "");
  EXPECT_EQ(align(longer, fasta({"HBB_HUMAN"}), {"--columns", "qcovs", "--query-cover", "98.6"}), "99\n");
}

TEST_F(Align, MaskedProteinMakesNoHitAloneAndCountsInOthers) {
  const std::string run(14, 'Q'), diverse = "ARNDCEGHILKMFPSTWYV", reversed(diverse.rbegin(), diverse.rend());
  const std::string query = ">q\n" + diverse + run + "\n";
  const std::vector<std::string> columns = {"--columns", "sseqid,score,cigar", "--evalue", "1e-3"};
  const auto hits = [&](const std::string& database, const std::string& mask) {
    std::vector<std::string> words = columns;
    words.insert(words.end(), {"--mask", mask});
    return align(query, database, words);
  };
  // Q with Q scores 5: a hit of 14 residues, all of them of low complexity.
  EXPECT_EQ(hits(">run\n" + reversed + run + "\n", "none"), "run\t70\t14=\n");
  EXPECT_EQ(hits(">run\n" + reversed + run + "\n", "seg"), "");
  EXPECT_NE(messages_.find("SEG masks 14 of 33 residues, in 1 of 1 query"), std::string::npos) << messages_;
  // The other residues make the hit, and then its alignment and score are the whole.
  const std::string relative = ">relative\n" + diverse + run + "\n";
  EXPECT_EQ(hits(relative, "seg"), hits(relative, "none"));
  EXPECT_NE(hits(relative, "seg").find("\t33=\n"), std::string::npos);
  // Nothing to mask: nothing changes.
  EXPECT_EQ(align(fasta({"HBB_HUMAN"}), fasta({"HBA_HUMAN"}), {"--mask", "seg"}),
            align(fasta({"HBB_HUMAN"}), fasta({"HBA_HUMAN"})));
}

TEST_F(Align, MaskedDnaMakesNoHitOnEitherStrand) {
  const std::string unique = "ACGTTGCAGGCTATCCGATG";
  const std::string query = ">q\n" + unique + std::string(30, 'A') + "\n";
  const std::string database =
      ">a\n" + std::string(40, 'A') + "\n>t\n" + std::string(40, 'T') + "\n>u\n" + unique + "\n";
  const auto hits = [&](const std::string& mask) {
    return align(query, database, {"--columns", "sseqid,score,sstrand", "--mask", mask, "--min-score", "30"});
  };
  EXPECT_EQ(hits("none"), "a\t60\tplus\nt\t60\tminus\nu\t40\tplus\n");
  EXPECT_EQ(hits("dust"), "u\t40\tplus\n");
}

TEST_F(Align, RefusesAMaskThatDoesNotFit) {
  const std::string protein = ">q\nMKVLAWRRT\n", dna = ">q\nACGTACGTTGCA\n";
  EXPECT_NE(usage_error(protein, protein, {"--mask", "dust"}).find("--mask dust is for DNA"), std::string::npos);
  EXPECT_NE(usage_error(dna, dna, {"--mask", "seg"}).find("--mask seg is for proteins"), std::string::npos);
  EXPECT_NE(usage_error(dna, dna, {"--mask", "sog"}).find("the nearest is 'seg'"), std::string::npos);
  const std::string matrix = file("matrix.txt", "   A R\nA 4 -1\nR -1 5\n");
  EXPECT_NE(usage_error(">q\nARA\n", ">d\nARA\n",
                        {"--matrix", matrix, "--gap-open", "5", "--gap-extend", "1", "--mask", "seg"})
                .find("masked residues score as X"),
            std::string::npos);
}

TEST_F(Align, RefusesProteinAgainstDnaAndDnaAgainstProtein) {
  const std::string protein = ">p\nMKVLAWRRTEDLLPSYHQIF\n", dna = ">d\nACGTACGTTGCAACGTGTCA\n";
  const auto refused = [&](const std::string& query, const std::string& database, std::vector<std::string> words = {}) {
    try {
      align(query, database, words);
    } catch (const io::InputError& error) {
      return error.id() + " " + fs::path(error.file()).filename().string() + ": " + error.message();
    }
    return std::string("no error");
  };
  const std::string like_dna =
      "input.sequence.alphabet database.fa: this looks like DNA (100 % of the residues at its "
      "beginning are A, C, G, T, U or N), and the search is one of proteins";
  EXPECT_EQ(refused(protein, dna), like_dna);
  EXPECT_EQ(refused(protein, ">d\nacgtnacgtacguacgtaca\n"), like_dna) << "lower case, U and N";
  EXPECT_EQ(refused(dna, protein).substr(0, 71),
            "input.sequence.alphabet database.fa: this looks like protein (10 % of t");
  EXPECT_TRUE(
      refused(dna, dna, {"--matrix", "BLOSUM62"}).starts_with("input.sequence.alphabet query.fa: this looks like D"));
  // A word decides; and fewer than 20 residues decide nothing.
  EXPECT_EQ(refused(protein, dna, {"--alphabet", "protein"}), "no error");
  EXPECT_EQ(refused(dna, dna, {"--alphabet", "protein", "--matrix", "BLOSUM62"}), "no error");
  EXPECT_EQ(refused(protein, ">d\nACGTACGTTGCAACGTGTC\n"), "no error");
  // 18 of 20 residues are enough, 17 are not.
  EXPECT_EQ(refused(protein, ">d\nACGTACGTTGCAACGTGTLK\n").substr(0, 23), "input.sequence.alphabet");
  EXPECT_EQ(refused(protein, ">d\nACGTACGTTGCAACGTGELK\n"), "no error");
  // DNA with many ambiguity codes is DNA.
  EXPECT_EQ(refused(dna, ">d\nACGTRYSWKMACGTRYACGT\n"), "no error");
}

TEST_F(Align, WarnsOfRecordsWithoutResidues) {
  align(">q\nMKVLAW\n>e\n>f\n\n", ">d\nMKVLAW\n>g\n");
  EXPECT_NE(messages_.find("query.fa:3: 'e' has no residues, and so no hits (and 1 more)"), std::string::npos)
      << messages_;
  EXPECT_NE(messages_.find("database.fa:3: 'g' has no residues, and so no hits\n"), std::string::npos) << messages_;
  try {
    align(">q\nMKVLAW\n>e\n", ">d\nMKVLAW\n", {"--strict"});
    ADD_FAILURE() << "not refused";
  } catch (const io::InputError& error) {
    EXPECT_EQ(error.id(), "input.sequence.empty");
    EXPECT_EQ(error.line(), 3u);
  }
}

TEST_F(Align, WritesTheMdTag) {
  const auto md = [&](const std::string& query, const std::string& subject) {
    const std::string sam = align(query, subject, {"--out-format", "sam", "--sam-md"});
    const auto at = sam.find("MD:Z:");
    return at == std::string::npos ? sam : sam.substr(at, sam.find_first_of("\t\n", at) - at);
  };
  const std::string subject = ">s\nGATTACAGATTACACCGGTTAACC\n";
  EXPECT_EQ(md(">q\nGATTACAGATTACACCGGTTAACC\n", subject), "MD:Z:24");
  EXPECT_EQ(md(">q\nGATTACACATTACAGGTTAACC\n", subject), "MD:Z:7G6^CC8") << "7=1X6=2D8=";
  EXPECT_EQ(md(">q\nGATTACAGATTTTACACCGGTTAACC\n", subject), "MD:Z:24") << "an insertion does not show";
  EXPECT_EQ(md(">q\nGGTTAACCTGTAATGTGTAATC\n", subject), "MD:Z:7G6^CC8") << "the reverse complement of the second";
  EXPECT_EQ(md(">q\nWWHCILAWW\n", ">s\nWWHCVKAWW\n"), "MD:Z:4V0K3");
  EXPECT_EQ(align(">q\nMKVLAW\n", ">d\nMKVLAW\n", {"--out-format", "sam", "--evalue", "1e9"}).find("MD:Z"),
            std::string::npos);
  EXPECT_NE(usage_error(">q\nMKV\n", ">d\nMKV\n", {"--sam-md"}).find("--sam-md is for --out-format sam"),
            std::string::npos);
}

}  // namespace
}  // namespace speedwell::cli
