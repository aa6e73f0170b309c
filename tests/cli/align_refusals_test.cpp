// `speedwell align`, called as a function: what it refuses, warns of, shows as progress, and leaves when it is stopped.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/cli/align_fixture.hpp"

namespace speedwell::cli {
namespace {

TEST_F(Align, WarnsOnceAndRefusesWhenStrict) {
  const std::string aligned = ">q\nMK-VL-A\n";
  EXPECT_EQ(align(aligned, ">d\nMKVLA\n", {"--evalue", "1e9"}).substr(0, 15), "q\td\t100.000\t5\t0");
  EXPECT_NE(messages_.find("query.fa:2:3: gap characters ('-' or '.') are removed from sequences (and 1 more)"),
            std::string::npos);
  try {
    align(aligned, ">d\nMKVLA\n", {"--strict"});
    FAIL();
  } catch (const io::InputError& error) {
    EXPECT_EQ(error.id(), "input.fasta.gap");
  }
}

TEST_F(Align, RefusesNamesThatSamCannotHold) {
  const auto id = [&](const std::string& query, const std::string& database) {
    try {
      align(query, database, {"--out-format", "sam"});
      return std::string("no error");
    } catch (const io::InputError& error) {
      return error.id() + ":" + std::to_string(error.line());
    }
  };
  EXPECT_EQ(id(">a@b\nMKV\n", ">d\nMKV\n"), "input.sequence.name:1");
  EXPECT_EQ(id(">a\nMKV\n>" + std::string(255, 'n') + "\nMKV\n", ">d\nMKV\n"), "input.sequence.name:3");
  EXPECT_EQ(id(">a\nMKV\n", ">d\nMKV\n>*d\nMKV\n"), "input.sequence.name:3");
  EXPECT_EQ(id(">a\nMKV\n", ">d(1)\nMKV\n"), "input.sequence.name:1");
  EXPECT_EQ(id(">a\nMKV\n", ">d\nMKV\n>d\nMKV\n"), "input.sequence.duplicate:3");
  EXPECT_EQ(id(">a\nMKV\n>a\nMKV\n", ">sp|P1|X\nMKV\n"), "no error") << "queries may share a name";
}

TEST_F(Align, SaysWhichOptionsDoNotFitTogether) {
  const std::string q = ">q\nMKV\n", d = ">d\nMKV\n", dna = ">q\nACGT\n";
  EXPECT_NE(usage_error(q, d, {"--matrix", "BLOSUM63"}).find("BLOSUM62"), std::string::npos);
  EXPECT_NE(usage_error(q, d, {"--matrix", "BLOSUM80-3"}).find("no customary gap costs"), std::string::npos);
  EXPECT_NE(usage_error(q, d, {"--matrix", "BLOSUM62", "--alphabet", "dna"}).find("is a matrix for proteins"),
            std::string::npos);
  EXPECT_NE(usage_error(q, d, {"--match", "1", "--matrix", "BLOSUM62"}).find("in place of --matrix"),
            std::string::npos);
  EXPECT_NE(usage_error(q, d, {"--match", "1", "--alphabet", "protein"}).find("are for DNA"), std::string::npos);
  EXPECT_NE(usage_error(q, d, {"--strand", "plus"}).find("--strand is for DNA"), std::string::npos);
  EXPECT_NE(usage_error(q, d, {"--gap-open", "0", "--gap-extend", "0"}).find("gaps are free"), std::string::npos);
  EXPECT_NE(
      usage_error(q, d, {"--gap-open", "1", "--gap-extend", "2", "--gap-convention", "first"}).find("first residue"),
      std::string::npos);
  EXPECT_NE(usage_error(q, d, {"--gap-open", "25", "--evalue", "1"}).find("no statistics"), std::string::npos);
  EXPECT_NE(usage_error(q, d, {"--evalue-method", "none", "--evalue", "1"}).find("no meaning"), std::string::npos);
  EXPECT_NE(usage_error(dna, dna, {"--evalue-method", "fsc"}).find("not published for DNA"), std::string::npos);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--top", "-1"},
                                                {"--top", "many"},
                                                {"--evalue", "-1"},
                                                {"--evalue", "x"},
                                                {"--gap-open", "1.5"},
                                                {"--gap-extend", "-1"},
                                                {"--min-score", "x"},
                                                {"--match", "0"},
                                                {"--mismatch", "3"},
                                                {"--mismatch", "-129"},
                                                {"--alphabet", "rna"},
                                                {"--out-format", "tabs"},
                                                {"--strand", "left"},
                                                {"--gap-convention", "k"},
                                                {"--evalue-method", "spouge"}})
    EXPECT_NE(usage_error(q, d, words).find(words[0]), std::string::npos) << words[0] << " " << words[1];
  AlignOptions options;
  options.request.queries = options.request.database = "-";
  std::ostringstream out;
  EXPECT_THROW(run_align(options, out, out), std::invalid_argument);
}

TEST_F(Align, WritesAFileOnlyWhenItIsComplete) {
  const std::string path = (folder_ / "out.tsv").string();
  EXPECT_EQ(align(">q\nMKVLAW\n", ">d\nMKVLAW\n", {"--out", path, "--evalue", "1e9"}), "");
  std::string line;
  std::getline(std::ifstream(path), line);
  EXPECT_EQ(line.substr(0, 12), "q\td\t100.000\t");
  fs::remove(path);
  const std::atomic<bool> stop{true};
  stop_ = &stop;
  align(">q\nMKVLAW\n", ">d\nMKVLAW\n", {"--out", path});
  EXPECT_FALSE(finished_);
  EXPECT_FALSE(fs::exists(path)) << "stopped before the end";
  EXPECT_THROW(align(">q\nMKV\n", ">d\nMKV\n", {"--out", "/no/such/folder/x"}), io::OutputError);
}

TEST_F(Align, MoreHitsThanTheDatabaseHasAreRefusedOnlyWhereTheyAreAskedFor) {
  const std::string two = ">a\nMKVLAWRRT\n>b\nMKVLAWRRT\n", q = ">q\nMKVLAWRRT\n";
  EXPECT_EQ(usage_error(q, two, {"--top", "3"}), "--top 3: " + (folder_ / "database.fa").string() + " has 2 sequences");
  for (const char* top : {"2", "all"}) {
    const std::string lines = align(q, two, {"--top", top});
    EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2) << top;
  }
}

TEST_F(Align, RefusesResiduesThatAMatrixFileDoesNotKnow) {
  const std::string matrix = "   A R\nA 4 -1\nR -1 5\n", with_x = "   A R X\nA 4 -1 -2\nR -1 5 -2\nX -2 -2 -2\n";
  const std::vector<std::string> costs = {"--gap-open", "5", "--gap-extend", "1", "--matrix"};
  const auto with = [&](const std::string& text) {
    std::vector<std::string> words = costs;
    words.push_back(file("matrix.txt", text));
    return words;
  };
  try {
    align(">q\nARA\n", ">d\nARA\n>e\nARWA\n", with(matrix));
    ADD_FAILURE() << "W was scored";
  } catch (const io::InputError& error) {
    EXPECT_EQ(error.id(), "input.matrix.unknown_letter");
    EXPECT_EQ(error.line(), 3u);
    EXPECT_NE(error.message().find("'e' has the residue W"), std::string::npos) << error.message();
  }
  EXPECT_NE(align(">q\nARA\n", ">d\nARA\n>e\nARWA\n", with(with_x)).find("q\td\t100.000\t3"), std::string::npos);
  EXPECT_NE(align(">q\nARA\n", ">d\nARA\n", with(matrix)).find("q\td\t100.000\t3"), std::string::npos);
}

TEST_F(Align, StopsWithinASearchAndWithinABatchOfAlignments) {
  std::atomic<bool> stop{false};
  stop_ = &stop;
  provider_ = [&](const auto& queries, const auto& database, const auto& scoring, const auto& control) {
    stop = true;
    EXPECT_EQ(control.stop, &stop);
    return cpu_scores(1)(queries, database, scoring, control);  // throws Stopped
  };
  EXPECT_EQ(align(">q\nMKVLAW\n", ">d\nMKVLAW\n", {"--evalue", "1e9"}), "");
  EXPECT_FALSE(finished_);
  stop = false;
  provider_ = [&](const auto& queries, const auto& database, const auto& scoring, const auto&) {
    auto scores = cpu_scores(1)(queries, database, scoring, {});
    stop = true;
    return scores;
  };
  EXPECT_EQ(align(">q\nMKVLAW\n", ">d\nMKVLAW\n", {"--evalue", "1e9"}), "");
  EXPECT_FALSE(finished_);
}

TEST_F(Align, ShowsProgressAndTidiesUp) {
  provider_ = [](const auto& queries, const auto& database, const auto& scoring, const auto& control) {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    return cpu_scores(1)(queries, database, scoring, control);
  };
  const std::string path = file("one.fa", ">q\nMKVLAW\n");
  const auto shown = [&](ProgressStyle style, int every) {
    AlignOptions options;
    options.request.queries = options.request.database = path;
    options.request.scores = provider_;
    options.request.on_message = {};
    options.progress = style;
    options.progress_interval = std::chrono::milliseconds(every);
    options.quiet = true;
    std::ostringstream out, err;
    EXPECT_TRUE(run_align(options, out, err));
    return err.str();
  };
  EXPECT_EQ(shown(ProgressStyle::none, 1), "");
  EXPECT_EQ(shown(ProgressStyle::lines, 60000), "") << "the first line comes after a minute";
  EXPECT_EQ(shown(ProgressStyle::lines, 2).substr(0, 18), "speedwell:   0 %\ns");
  const std::string bar = shown(ProgressStyle::bar, 2);
  EXPECT_EQ(bar.substr(0, 5), "\r\x1b[K[");
  EXPECT_EQ(bar.substr(bar.size() - 4), "\r\x1b[K");
}

TEST_F(Align, NoticesASearchThatIsWrong) {
  provider_ = [](const auto& queries, const auto& database, const auto& scoring, const auto& control) {
    auto scores = cpu_scores(1)(queries, database, scoring, control);
    ++scores.back();
    return scores;
  };
  EXPECT_THROW(align(">q\nMKVLAW\n", ">d\nMKVLAW\n", {"--evalue", "1e9"}), std::logic_error);
  provider_ = [](const auto&, const auto&, const auto&, const auto&) { return std::vector<std::int32_t>(7); };
  EXPECT_THROW(align(">q\nMKVLAW\n", ">d\nMKVLAW\n"), std::logic_error);
}

}  // namespace
}  // namespace speedwell::cli
