// `speedwell align`, called as a function: its output against lines that blastp 2.12 printed, and its rules.
#include <gtest/gtest.h>

#include "tests/cli/align_fixture.hpp"

namespace speedwell::cli {
namespace {

const std::string acgt = ">s\nTTTTACGTACGTGGCCATTTT\n";

TEST_F(Align, WritesTheLinesOfBlastp) {
  struct Golden {
    const char *query, *subject, *columns;
  };
  for (const Golden& golden : {Golden{"HBA_HUMAN", "HBB_HUMAN", "42.069\t145\t76\t2\t3\t141\t4\t146\t2.54e-38\t114"},
                               {"OPSD_HUMAN", "OPSD_XENLA", "82.486\t354\t56\t2\t1\t348\t1\t354\t0.0\t627"},
                               {"FLAV_ECOLI", "FLAV_DESVH", "37.241\t145\t79\t5\t6\t145\t6\t143\t1.72e-20\t69.7"},
                               // 165 to 169 identities are co-optimal here.
                               {"PAX6_HUMAN", "PAX3_HUMAN", "40.488\t410\t191\t11\t8\t406\t38\t405\t1.14e-84\t255"},
                               {"IFNA2_HUMAN", "ARF3_HUMAN", "80.000\t5\t1\t0\t143\t147\t79\t83\t3.3\t13.1"},
                               {"HBB_HUMAN", "HBB_HUMAN", "100.000\t147\t0\t0\t1\t147\t1\t147\t1.44e-113\t305"}})
    EXPECT_EQ(align(fasta({golden.query}), fasta({golden.subject})),
              std::string(golden.query) + "\t" + golden.subject + "\t" + golden.columns + "\n");
  EXPECT_EQ(messages_, "speedwell: BLOSUM62, gaps of 1 and 2 residues cost 12 and 13 (11 + k * 1)\n");
}

TEST_F(Align, TakesOtherMatricesWithTheirGapCosts) {
  const auto fields = [&](const std::vector<std::string>& words) {
    const std::string line = align(fasta({"HBA_HUMAN"}), fasta({"HBB_HUMAN"}), words);
    return line.substr(line.rfind('\t', line.rfind('\t') - 1) + 1);
  };
  EXPECT_EQ(fields({"--matrix", "BLOSUM45"}), "4.19e-35\t104\n");
  EXPECT_EQ(fields({"--matrix", "PAM250"}), "3.81e-31\t90.2\n");
  EXPECT_EQ(fields({"--matrix", "blosum80"}), "1.55e-39\t125\n");
  EXPECT_EQ(fields({"--gap-open", "12", "--gap-convention", "first"}), "2.54e-38\t114\n");
  EXPECT_EQ(fields({"--gap-open", "10"}), "5.58e-36\t106\n");
  EXPECT_EQ(fields({"--gap-open", "11", "--gap-convention", "first"}), "5.58e-36\t106\n");
  EXPECT_EQ(fields({"--evalue-method", "ka"}), "6.06e-31\t114\n");
  EXPECT_EQ(fields({"--evalue-method", "none"}), "*\t*\n");
  EXPECT_EQ(fields({"--gap-open", "25"}), "*\t*\n");
  EXPECT_NE(messages_.find("no statistics are published for BLOSUM62 with gap costs 25 + k * 1"), std::string::npos);
}

TEST_F(Align, TakesAMatrixFileWhichHasNoStatistics) {
  const std::string matrix = file("mine.txt",
                                  "# four of the residues, and X for the rest\n  M  K  V  X\nM  9 -1 -1 -2\nK -1  7 -1 "
                                  "-2\nV -1 -1  6 -2\nX -2 -2 -2 -2\n");
  EXPECT_EQ(align(">q\nMKVW\n", ">d\nAMKVA\n", {"--matrix", matrix, "--gap-open", "4", "--gap-extend", "2"}),
            "q\td\t100.000\t3\t0\t0\t1\t3\t2\t4\t*\t*\n");
  EXPECT_NE(messages_.find("mine.txt, gaps of 1 and 2 residues cost 6 and 8 (4 + k * 2)"), std::string::npos)
      << messages_;
  EXPECT_NE(usage_error(">q\nMKVW\n", ">d\nAMKVA\n", {"--matrix", matrix}).find("no customary gap costs"),
            std::string::npos);
  // A file may bear a published name; it is still the user's.
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  fs::rename("mine.txt", "BLOSUM62.txt");
  EXPECT_EQ(align(">q\nMKVW\n", ">d\nAMKVA\n", {"--matrix", "BLOSUM62.txt", "--gap-open", "11", "--gap-extend", "1"}),
            "q\td\t100.000\t3\t0\t0\t1\t3\t2\t4\t*\t*\n");
  fs::current_path(before);
  const std::string broken = file("broken.txt", "   A  R\nA  1  2\nR  2  q\n");
  try {
    align(">q\nMKV\n", ">d\nMKV\n", {"--matrix", broken, "--gap-open", "4", "--gap-extend", "2"});
    FAIL();
  } catch (const io::InputError& error) {
    EXPECT_TRUE(error.id().starts_with("input.matrix.")) << error.id();
    EXPECT_EQ(error.line(), 3u);
  }
}

TEST_F(Align, WritesTheColumnsThatAreAskedFor) {
  const std::string q = ">q\nMKVLAWGGRRT\n", d = ">d\nAMKVLAWRRT\n";
  const auto row = [&](const std::string& columns) {
    return align(q, d, {"--columns", columns, "--gap-open", "2", "--gap-extend", "1", "--matrix", "BLOSUM62"});
  };
  EXPECT_EQ(row("score"), std::to_string(5 + 5 + 4 + 4 + 4 + 11 + 5 + 5 + 5 - 4) + "\n");
  EXPECT_EQ(row("qseqid,sseqid,score,qlen,slen,nident,positive,gaps,cigar"), "q\td\t44\t11\t10\t9\t9\t2\t6=2I3=\n");
  EXPECT_EQ(row("score,std"), "44\tq\td\t81.818\t11\t0\t1\t1\t11\t2\t10\t*\t*\n");
  EXPECT_EQ(row("std"), align(q, d, {"--gap-open", "2", "--gap-extend", "1"}));
  EXPECT_EQ(align(">q\nCAAAATGGCCC\n", acgt, {"--min-score", "10", "--columns", "qstart,qend,sstart,send,cigar"}),
            "2\t10\t21\t13\t9=\n");
  EXPECT_NE(usage_error(q, d, {"--columns", "std,scor"}).find("the nearest is 'score'"), std::string::npos);
  EXPECT_NE(usage_error(q, d, {"--columns", ""}).find("column"), std::string::npos);
  EXPECT_NE(usage_error(q, d, {"--columns", "std,"}).find("column"), std::string::npos);
  EXPECT_NE(usage_error(q, d, {"--columns", "std", "--out-format", "sam"}).find("is for --out-format tab"),
            std::string::npos);
}

TEST_F(Align, OrdersHitsByScoreThenByPlaceAndCutsTiesByPlace) {
  const std::string database = ">d0\nMKVL\n>d1\nMKVLAAG\n>d2\nMKVL\n>empty\n>d4\nMKVL\n>d5\nMKVLAAG\n";
  const auto names = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--evalue", "1e9"});
    std::istringstream lines(align(">q\nMKVLAAG\n", database, words));
    std::string text, line;
    while (std::getline(lines, line)) text += line.substr(2, line.find('\t', 2) - 2) + " ";
    return text;
  };
  EXPECT_EQ(names({}), "d1 d5 d0 d2 d4 ");
  EXPECT_EQ(names({"--top", "all"}), "d1 d5 d0 d2 d4 ");
  EXPECT_EQ(names({"--top", "4"}), "d1 d5 d0 d2 ");
  EXPECT_EQ(names({"--top", "1"}), "d1 ");
  EXPECT_EQ(names({"--top", "0"}), "");
  EXPECT_EQ(names({"--min-score", "20"}), "d1 d5 ");
  EXPECT_EQ(names({"--min-score", "1000"}), "");
}

TEST_F(Align, DoesNotDependOnTheNumberOfThreadsOrOnBatches) {
  std::string queries;
  for (int i = 0; i < 1100; ++i)  // three batches
    queries += ">q" + std::to_string(i) + "\n" +
               proteins_.at("HBA_HUMAN").substr(static_cast<std::size_t>(i % 100), 20) + "\n";
  const std::string once = align(queries, fasta({"HBA_HUMAN", "HBB_HUMAN"}));
  EXPECT_EQ(std::count(once.begin(), once.end(), '\n'), std::count(once.begin(), once.end(), 'q'));
  EXPECT_EQ(once.rfind("q1099\t") != std::string::npos, true);
  std::size_t last = 0;
  std::istringstream lines(once);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t number = std::stoul(line.substr(1));
    EXPECT_GE(number, last) << "queries come in the order of the file";
    last = number;
  }
}

TEST_F(Align, FiltersByEValue) {
  const std::string database = fasta({"HBB_HUMAN", "ARF3_HUMAN"});
  const auto hits = [&](const char* evalue) {
    const std::string text = align(fasta({"HBA_HUMAN"}), database, {"--evalue", evalue});
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_EQ(hits("1e3"), 2);
  EXPECT_EQ(hits("1e-3"), 1);
  EXPECT_EQ(hits("0"), 0);
}

TEST_F(Align, EmptySequencesHaveNoHits) {
  EXPECT_EQ(align(">q\n", ">d\nMKV\n"), "");
  EXPECT_EQ(align(">q\nMKV\n", ">d\n"), "");
  EXPECT_EQ(align(">q\n\n", ">d\n\n"), "");
  EXPECT_EQ(align(">q\n\n", ">d\nMKV\n", {"--out-format", "pairwise"}), "Query q (0 residues)\nNo hits.\n\n");
}

TEST_F(Align, ShowsTheMinusStrandAsBlastnDoes) {
  // GGCCATTTT is at 13 … 21 of the subject; the query is its reverse complement between two residues that do not match.
  const std::string line = align(">q\nCAAAATGGCCC\n", acgt, {"--min-score", "10", "--evalue", "1e6"});
  EXPECT_EQ(line, "q\ts\t100.000\t9\t0\t0\t2\t10\t21\t13\t7.68e-04\t17.5\n");
  EXPECT_EQ(align(">q\nCAAAATGGCCC\n", acgt, {"--strand", "minus", "--evalue", "1e6"}), line);
  EXPECT_EQ(align(">q\nCAAAATGGCCC\n", acgt, {"--strand", "plus", "--min-score", "11"}), "");
  EXPECT_EQ(align(">q\nACGTACGT\n", acgt, {"--evalue", "1e6"}).find("q\ts\t100.000\t8\t0\t0\t1\t8\t5\t12\t"), 0u)
      << "the plus strand is preferred";
}

TEST_F(Align, GuessesTheAlphabetAndObeysIt) {
  align(">q\nacgtacgtnnacgu\n", acgt);
  EXPECT_NE(messages_.find("match 2, mismatch -3, gaps of 1 and 2 residues cost 7 and 9 (5 + k * 2)"),
            std::string::npos);
  align(">q\nacgtacgtnnacgu\n", ">d\nMKV\n", {"--alphabet", "protein"});
  EXPECT_NE(messages_.find("BLOSUM62"), std::string::npos);
  EXPECT_NE(messages_.find("query.fa:2:14: selenocysteine (U) scores as C"), std::string::npos) << messages_;
  align(">q\nMKV\n", ">d\nACGT\n");
  EXPECT_NE(messages_.find("BLOSUM62"), std::string::npos) << "the queries decide";
  try {
    align(">q\nACGTACGT\n", ">d\nMKVE\n");
    FAIL();
  } catch (const io::InputError& error) {
    EXPECT_EQ(error.id(), "input.fasta.character");
    EXPECT_EQ(error.line(), 2u);
    EXPECT_EQ(error.column(), 4u);
    EXPECT_EQ(error.message(), "'E' is not a nucleotide symbol");
    EXPECT_NE(error.hint().find("--alphabet protein"), std::string::npos);
  }
  try {
    align(">q\nMKV!\n", ">d\nMKVE\n");
    FAIL();
  } catch (const io::InputError& error) {
    EXPECT_EQ(error.hint(), "") << "no alphabet has this residue";
  }
  // One long read: what is seen of it decides.
  const std::string read(100'000, 'A');
  align("@r\n" + read + "\n+\n" + read + "\n", ">d\nTTTT\n", {"--top", "0"});
  EXPECT_NE(messages_.find("match 2"), std::string::npos);
}

TEST_F(Align, WritesSam) {
  const std::string query =
      "@r1 x\nCAAAATGGCCC\n+\n!\"#$%&'()*+\n@none\nNNNN\n+\nIIII\n@r2\nGACGTACGTGGAA\n+\nIIIIIIIIIIIII\n";
  const std::string database = acgt + ">empty\n>copy\nACGTACGTGG\n";
  EXPECT_EQ(align(query, database, {"--out-format", "sam", "--min-score", "10", "--evalue-method", "none"}),
            "@HD\tVN:1.6\tSO:unknown\n@SQ\tSN:s\tLN:21\n@SQ\tSN:copy\tLN:10\n"
            "@PG\tID:speedwell\tPN:speedwell\tVN:1.2.3\tCL:speedwell align\\x09q d\n"
            "r1\t16\ts\t13\t255\t1S9=1S\t*\t0\t0\tGGGCCATTTTG\t+*)('&%$#\"!\tAS:i:18\tNM:i:0\n"
            "none\t4\t*\t0\t0\t*\t*\t0\t0\tNNNN\tIIII\n"
            "r2\t0\ts\t5\t255\t1S10=2S\t*\t0\t0\tGACGTACGTGGAA\tIIIIIIIIIIIII\tAS:i:20\tNM:i:0\n"
            "r2\t256\tcopy\t1\t255\t1S10=2S\t*\t0\t0\t*\t*\tAS:i:20\tNM:i:0\n");
  EXPECT_EQ(align(">q\n\n", ">d\nMKV*\n", {"--out-format", "sam"}).substr(46).find("LN:4"), std::string::npos);
  const std::string protein = align(">q\nMKVLAW*\n", ">d\nMKVLAW*\n", {"--out-format", "sam", "--evalue", "1e9"});
  EXPECT_NE(protein.find("\tMKVLAWX\t*\tAS:i:"), std::string::npos) << protein;
  EXPECT_NE(protein.find("\tZE:f:"), std::string::npos);
}

TEST_F(Align, WritesTextToRead) {
  const std::string text = align(">HBA_HUMAN alpha \xe2\x80\xae\n" + proteins_["HBA_HUMAN"] + "\n",
                                 fasta({"HBB_HUMAN"}), {"--out-format", "pairwise"});
  EXPECT_EQ(text,
            "Query HBA_HUMAN alpha \\xe2\\x80\\xae (142 residues)\n\n"
            "Subject HBB_HUMAN (147 residues)\nScore 285, 114 bits, E 2.54e-38\n"
            "Identical 61/145 (42.1 %), positive 86/145 (59.3 %), gaps 8/145 (5.5 %)\n\n"
            "query            3 LSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHF------DLSHGSAQV 56\n"
            "                   |:| :|: | | ||||  :  | | ||| |: : :| |: :|  |      |   |: :|\n"
            "subject          4 LTPEEKSAVTALWGKV--NVDEVGGEALGRLLVVYPWTQRFFESFGDLSTPDAVMGNPKV 61\n\n"
            "query           57 KGHGKKVADALTNAVAHVDDMPNALSALSDLHAHKLRVDPVNFKLLSHCLLVTLAAHLPA 116\n"
            "                   | |||||  | :: :||:|::    : ||:||  || ||| ||:|| : |:  || |   \n"
            "subject         62 KAHGKKVLGAFSDGLAHLDNLKGTFATLSELHCDKLHVDPENFRLLGNVLVCVLAHHFGK 121\n\n"
            "query          117 EFTPAVHASLDKFLASVSTVLTSKY 141\n"
            "                   |||| | |:  | :| |:  |  ||\n"
            "subject        122 EFTPPVQAAYQKVVAGVANALAHKY 146\n\n");
}

TEST_F(Align, TextShowsTheQuerysOwnStrand) {
  const std::string text = align(">q\nCAAAATGGCCC\n", acgt, {"--out-format", "pairwise", "--min-score", "10"});
  EXPECT_NE(text.find(", minus strand\n"), std::string::npos);
  EXPECT_NE(
      text.find("query            2 AAAATGGCC 10\n                   |||||||||\nsubject         21 AAAATGGCC 13\n"),
      std::string::npos)
      << text;
}

}  // namespace
}  // namespace speedwell::cli
