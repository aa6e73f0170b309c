// `speedwell align` in the words of BLAST and others: options, columns and comment lines.
#include <gtest/gtest.h>

#include "speedwell/cli/errors.hpp"
#include "tests/cli/align_fixture.hpp"

namespace speedwell::cli {
namespace {

const std::string q = ">q some query\nMKVLAWGGRRT\n", d = ">d a\tsubject\nAMKVLAWRRT\n";
const std::vector<std::string> cheap_gaps = {"--gap-open", "2", "--gap-extend", "1"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_F(Align, KnowsTheColumnsOfBlast) {
  const auto row = [&](const std::string& columns) { return align(q, d, with(cheap_gaps, {"--columns", columns})); };
  // MKVLAWGGRRT
  // MKVLAW--RRT, which begins at the subject's second residue.
  EXPECT_EQ(row("qseq,sseq"), "MKVLAWGGRRT\tMKVLAW--RRT\n");
  EXPECT_EQ(row("length,nident,positive,ppos,gaps,gapopen"), "11\t9\t9\t81.82\t2\t1\n");
  EXPECT_EQ(row("qlen,slen,qstart,qend,sstart,send"), "11\t10\t1\t11\t2\t10\n");
  EXPECT_EQ(row("qcovs,qcovhsp,sstrand"), "100\t100\tN/A\n");
  EXPECT_EQ(row("qtitle,stitle"), "q some query\td a subject\n") << "a tab in a title would be another column";
  EXPECT_EQ(row("qseqid sseqid  score"), "q\td\t44\n");
  EXPECT_EQ(row("qseqid, sseqid ,score"), "q\td\t44\n");
  for (const char* list : {"qseqid,,sseqid", ",qseqid", "qseqid, ", " "})
    EXPECT_NE(usage_error(q, d, {"--columns", list}).find("the name of a column is missing"), std::string::npos)
        << list;
  for (const auto& [column, why] : {std::pair{"staxids", "needs a taxonomy"},
                                    {"qframe", "nothing is translated"},
                                    {"saccver", "qseqid and sseqid"},
                                    {"btop", "cigar says"},
                                    {"sscinames", "taxonomy"}})
    EXPECT_NE(usage_error(q, d, {"--columns", column}).find(why), std::string::npos) << column;
}

TEST_F(Align, CountsPositivesAndMismatchesOfAProtein) {
  // I with V scores 3, K with R 2, D with W -4: 2 of the 3 mismatches are positive. L, A, W, C, G and H are equal.
  EXPECT_EQ(align(">q\nWWCILAKGGHDCWW\n", ">d\nWWCVLARGGHWCWW\n",
                  {"--columns", "length,nident,mismatch,positive,ppos,pident,cigar"}),
            "14\t11\t3\t13\t92.86\t78.571\t3=1X2=1X3=1X3=\n");
}

TEST_F(Align, RoundsCoverageAsBlastDoes) {
  // All residues of the subject, and some of the query beside them.
  const auto coverage = [&](const std::string& name, std::size_t more) {
    return align(">q\n" + proteins_[name] + std::string(more, 'W') + "\n", fasta({name}),
                 {"--columns", "qcovs qcovhsp"});
  };
  EXPECT_EQ(coverage("HBB_HUMAN", 0), "100\t100\n");
  EXPECT_EQ(coverage("HBB_HUMAN", 1), "99\t99\n") << "147 of 148: 99.32 %";
  EXPECT_EQ(coverage("HBB_HUMAN", 2), "99\t99\n") << "98.66 %";
  EXPECT_EQ(coverage("HBB_HUMAN", 3), "98\t98\n") << "98.00 %";
  EXPECT_EQ(coverage("HBB_HUMAN", 4), "97\t97\n") << "97.35 %";
  EXPECT_EQ(coverage("OPSD_HUMAN", 1), "99\t99\n") << "348 of 349: 99.71 %, and not 100";
}

TEST_F(Align, ShowsRowsAndStrandOfDna) {
  // GGCCATTTT of the subject is the query's reverse complement, which has another residue within.
  const std::string subject = ">s\nTTTTACGTACGTGGCCATTTTGGGTAC\n";
  EXPECT_EQ(
      align(">q\nGTACCCAAAATCGCC\n", subject, {"--columns", "qstart,qend,sstart,send,sstrand,qseq,sseq,qcovs,cigar"}),
      "1\t15\t27\t13\tminus\tGTACCCAAAATCGCC\tGTACCCAAAATGGCC\t100\t3=1X11=\n");
  EXPECT_EQ(align(">q\nTACGTACGTGG\n", subject, {"--columns", "sstrand", "--strand", "plus"}), "plus\n");
}

TEST_F(Align, WritesLinesOfCommentLikeBlast) {
  const std::string queries = ">q some query\nMKVLAWGGRRT\n>none\nCCCCCC\n";
  const std::string file = (folder_ / "database.fa").string();
  EXPECT_EQ(align(queries, d, with(cheap_gaps, {"--outfmt", "7 qseqid sseqid score", "--min-score", "40"})),
            "# speedwell align 1.2.3\n# Query: q some query\n# Database: " + file +
                "\n# Fields: query id, subject id, score\n# 1 hits found\nq\td\t44\n"
                "# speedwell align 1.2.3\n# Query: none\n# Database: " +
                file + "\n# 0 hits found\n# speedwell align processed 2 queries\n");
  const std::vector<std::string> both = {"--out-format", "tab-comments", "--min-score", "40"};
  const std::string usual = align(queries, d, with(cheap_gaps, both));
  EXPECT_NE(usual.find("# Fields: query id, subject id, % identity, alignment length, mismatches, gap opens, q. start, "
                       "q. end, s. start, s. end, evalue, bit score\n"),
            std::string::npos)
      << usual;
}

TEST_F(Align, TakesTheOptionsOfBlast) {
  const std::string two = ">a\nMKVLAWRRT\n>b\nMKVLAWRRT\n", one = ">q\nMKVLAWRRT\n";
  const auto lines = [&](const std::vector<std::string>& words) {
    const std::string text = align(one, two, words);
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_EQ(lines({"--max-target-seqs", "1"}), 1);
  EXPECT_EQ(lines({"--max-target-seqs", "500"}), 2) << "a smaller database is no mistake";
  EXPECT_EQ(align(one, two, {"--outfmt", "6"}), align(one, two, {}));
  EXPECT_EQ(align(one, two, {"--outfmt", "6 std score"}), align(one, two, {"--columns", "std,score"}));
  EXPECT_EQ(align(one, two, {"--outfmt", "0"}), align(one, two, {"--out-format", "pairwise"}));
  EXPECT_EQ(align(one, two, {"--outfmt", "17"}), align(one, two, {"--out-format", "sam"}));
  EXPECT_EQ(align(one, two, {"--comp-based-stats", "0"}), align(one, two, {}));
  for (const auto& [words, message] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--max-target-seqs", "0"}, "not at least 1"},
           {{"--max-target-seqs", "1", "--top", "1"}, "--top and --max-target-seqs both"},
           {{"--outfmt", "5"}, "'5' is not written here"},
           {{"--outfmt", ""}, "'' is not written here"},
           {{"--outfmt", "0 qseqid"}, "0 has no columns"},
           {{"--outfmt", "6 delim=, qseqid"}, "a tab is between columns"},
           {{"--outfmt", "6 qseqids"}, "--outfmt: unknown column 'qseqids'; the nearest is 'qseqid'"},
           {{"--outfmt", "6", "--out-format", "tab"}, "both name the format"},
           {{"--outfmt", "6 std", "--columns", "std"}, "both name the columns"},
           {{"--comp-based-stats", "2"}, "not adjusted to the composition"},
           {{"--query-cover", "101"}, "not between 0 and 100"},
           {{"--query-cover", "nan"}, "--query-cover"}})
    EXPECT_NE(usage_error(one, two, words).find(message), std::string::npos) << words[0] << " " << words[1];
}

TEST_F(Align, TakesFilesAsOperandsOrOptions) {
  const std::string query = file("q.fa", ">q\nMKVLAWRRT\n"), database = file("d.fa", ">d\nMKVLAWRRT\n");
  const auto files = [&](std::vector<std::string> words) {
    AlignOptions options;
    CLI::App app;
    add_align_options(app, options);
    std::reverse(words.begin(), words.end());
    try {
      app.parse(words);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return options.request.queries + " " + options.request.database;
  };
  EXPECT_EQ(files({"q", "d"}), "q d");
  EXPECT_EQ(files({"--query", "q", "--db", "d"}), "q d");
  EXPECT_EQ(files({"--subject", "d", "--query", "q"}), "q d");
  EXPECT_EQ(files({"d", "--query", "q"}), "q d");
  EXPECT_EQ(files({"--db", "d", "q"}), "q d");
  EXPECT_EQ(files({}), "QUERY is required");
  EXPECT_EQ(files({"q"}), "DATABASE is required");
  EXPECT_EQ(files({"--db", "d"}), "QUERY is required");
  EXPECT_EQ(files({"--db", "d", "q", "x"}), "'x' is one word too many for align");
}

}  // namespace
}  // namespace speedwell::cli
