// A search of files that writes a format, as a program calls it.
#include "speedwell/search/search.hpp"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>

namespace speedwell::search {
namespace {

namespace fs = std::filesystem;

class FileSearchRun : public testing::Test {
 protected:
  FileSearchRun() : folder_(fs::path(testing::TempDir()) / ("speedwell-search-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
    options_.request.queries = options_.request.database = SPEEDWELL_TEST_DATA "/well-known-proteins.fa";
    options_.request.threads = 2;
    options_.request.max_hits = 1;
    options_.request.on_message = [this](const SearchMessage& message) { messages_ += message.text + "\n"; };
  }
  ~FileSearchRun() override { fs::remove_all(folder_); }
  std::string run_it() {
    std::ostringstream out;
    totals_ = run(options_, out);
    return out.str();
  }

  fs::path folder_;
  FileSearchOptions options_;
  std::optional<SearchTotals> totals_;
  std::string messages_;
};

TEST(Outfmt, IsReadAsBlastDoes) {
  const auto error = [](const std::string& text) {
    try {
      parse_outfmt(text);
    } catch (const std::invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(parse_outfmt("0").format, Format::pairwise);
  EXPECT_EQ(parse_outfmt("17").format, Format::sam);
  EXPECT_EQ(parse_outfmt("101").format, Format::sam);
  EXPECT_EQ(parse_outfmt("7").format, Format::comments);
  EXPECT_EQ(parse_outfmt("6").columns, "");
  EXPECT_EQ(parse_outfmt(" 6  qseqid   score ").columns, "qseqid score");
  for (const char* text : {"", " ", "5"}) EXPECT_NE(error(text).find("is not written here"), std::string::npos) << text;
  EXPECT_EQ(error("17 qseqid"), "17 has no columns; 6 and 7 have");
  EXPECT_EQ(error("6 delim=, qseqid"), "a tab is between columns, nothing else");
  EXPECT_NE(error("6 qseqids").find("'qseqid'"), std::string::npos);
}

TEST_F(FileSearchRun, WritesEveryFormatToAStream) {
  const std::string tab = run_it();
  ASSERT_TRUE(totals_);
  EXPECT_EQ(totals_->queries, totals_->hits) << "each finds itself";
  EXPECT_EQ(static_cast<std::size_t>(std::count(tab.begin(), tab.end(), '\n')), totals_->hits);
  EXPECT_GT(totals_->cells, 0);
  EXPECT_EQ(messages_, "BLOSUM62, gaps of 1 and 2 residues cost 12 and 13 (11 + k * 1)\n");
  options_.output.format = Format::comments;
  EXPECT_NE(run_it().find("# speedwell align processed"), std::string::npos);
  options_.output.format = Format::sam;
  EXPECT_TRUE(run_it().starts_with("@HD\tVN:1.6"));
  options_.output.format = Format::pairwise;
  EXPECT_TRUE(run_it().starts_with("Query "));
}

TEST_F(FileSearchRun, WritesAFileInPlaceOfTheStream) {
  const std::string streamed = run_it();
  options_.output.path = (folder_ / "hits.tsv").string();
  EXPECT_EQ(run_it(), "");
  std::ifstream file(options_.output.path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), streamed);
}

TEST_F(FileSearchRun, WritesTheSameBytesOfADatabaseInBlocks) {
  options_.request.queries = SPEEDWELL_TEST_DATA "/proteins-100.fa";
  options_.request.database = SPEEDWELL_TEST_DATA "/proteins-100.fa";
  options_.request.max_hits = 20;
  for (const Format format : {Format::tab, Format::comments, Format::sam, Format::pairwise})
    for (const double coverage : {0.0, 50.0}) {
      options_.output.format = format;
      options_.output.sam_md = format == Format::sam;
      options_.request.min_query_coverage = coverage;
      options_.request.block_residues = std::numeric_limits<std::size_t>::max();
      const std::string whole = run_it();
      EXPECT_GT(whole.size(), 1000u);
      for (const std::size_t residues : {1, 5000}) {
        options_.request.block_residues = residues;
        EXPECT_EQ(run_it(), whole) << static_cast<int>(format) << " in blocks of " << residues;
      }
    }
}

TEST_F(FileSearchRun, WritesTheSameBytesOfDnaAndOfGzipInBlocks) {
  const std::string plain = SPEEDWELL_TEST_DATA "/mitochondrion-orangutan.fa", copy = (folder_ / "copy.fa.gz").string();
  std::ifstream file(plain);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  std::mt19937 random(7);
  for (int i = 0; i < 50; ++i) {
    text += ">piece" + std::to_string(i) + "\n";
    for (int k = 0; k < 300; ++k) text += "ACGT"[random() % 4];
    text += "\n";
  }
  gzFile packed = gzopen(copy.c_str(), "wb");
  gzwrite(packed, text.data(), static_cast<unsigned>(text.size()));
  gzclose(packed);
  options_.request.queries = options_.request.database = copy;
  options_.request.max_hits = 5;
  options_.request.masking = database_search::Masking::dust;
  for (const Format format : {Format::tab, Format::sam, Format::pairwise}) {
    options_.output.format = format;
    options_.request.block_residues = std::numeric_limits<std::size_t>::max();
    const std::string whole = run_it();
    options_.request.block_residues = 2000;  // the first sequence alone has more
    EXPECT_EQ(run_it(), whole) << static_cast<int>(format);
  }
}

TEST_F(FileSearchRun, ReadsTheFlagOfReadingOnlyWhileThereIsNothingToCleanUp) {
  std::atomic<bool> reading{false};
  options_.reading = &reading;
  bool while_warning = false, while_searching = true;
  options_.request.on_message = [&](const SearchMessage&) { while_warning = reading; };
  options_.request.scores = [&](const auto& queries, const auto& database, const auto& scoring, const auto& control) {
    while_searching = reading;
    return database_search::cpu_scores(1)(queries, database, scoring, control);
  };
  run_it();
  EXPECT_TRUE(while_warning);
  EXPECT_FALSE(while_searching);
}

TEST_F(FileSearchRun, RefusesToOverwriteAnInput) {
  const fs::path copy = folder_ / "copy.fa";
  fs::copy_file(options_.request.queries, copy);
  options_.request.database = options_.output.path = copy.string();
  try {
    run_it();
    ADD_FAILURE() << "overwritten";
  } catch (const RequestError& error) {
    EXPECT_EQ(std::string(error.what()), "output " + copy.string() + ": this file is read");
  }
}

}  // namespace
}  // namespace speedwell::search
