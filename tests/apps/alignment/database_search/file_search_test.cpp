// The search of files: what a request leaves open, what is refused, and what the writer is given.
#include "speedwell/apps/alignment/database_search/file_search.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "speedwell/apps/alignment/database_search/composition.hpp"
#include "speedwell/io/error.hpp"

namespace speedwell::database_search {
namespace {

namespace fs = std::filesystem;

// Keeps what it is given, a line a hit: "query subject score".
class LineWriter : public HitWriter {
 public:
  bool sam_names = false;
  DatabaseSummary database;
  std::string lines;
  std::size_t queries = 0;

  bool needs_sam_names() const override { return sam_names; }
  void begin(const DatabaseSummary& summary) override { database = summary; }
  void write(const SearchedFiles& files, std::size_t query, std::span<const Hit> hits) override {
    for (const Hit& hit : hits)
      lines += files.queries.set.name(query) + " " + files.database.set.name(hit.subject) + " " +
               std::to_string(hit.score) + "\n";
  }
  void end(std::size_t count) override { queries = count; }
};

class FileSearchTest : public testing::Test {
 protected:
  FileSearchTest() : folder_(fs::path(testing::TempDir()) / ("speedwell-file-search-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
    request_.threads = 2;
    request_.on_message = [this](const SearchMessage& message) {
      messages_ += (message.kind == SearchMessage::Kind::warning ? "warning: " : "") + message.text + "\n";
    };
  }
  ~FileSearchTest() override { fs::remove_all(folder_); }

  void write_files(const std::string& queries, const std::string& database) {
    request_.queries = (folder_ / "q.fa").string();
    request_.database = (folder_ / "d.fa").string();
    std::ofstream(request_.queries) << queries;
    std::ofstream(request_.database) << database;
  }
  std::string search() {
    writer_.lines.clear();
    totals_ = search_files(request_, writer_);
    return writer_.lines;
  }
  // The message of a RequestError, and its hint in brackets.
  std::string refusal() {
    try {
      search();
    } catch (const RequestError& error) {
      return std::string(error.what()) + " [" + error.hint() + "]";
    }
    return "no error";
  }

  fs::path folder_;
  SearchRequest request_;
  LineWriter writer_;
  std::optional<SearchTotals> totals_;
  std::string messages_;
};

TEST_F(FileSearchTest, GivesTheWriterTheDatabaseTheHitsAndTheEnd) {
  write_files(">a\nMKVLAWRRT\n>b\nWWWWW\n", ">x\nMKVLAWRRT\n>empty\n>y\nMKVLA\n");
  request_.min_score = 20;
  request_.scoring.evalue_method = EvalueMethod::none;
  EXPECT_EQ(search(), "a x 48\na y 22\n");
  EXPECT_EQ(writer_.database.file, request_.database);
  EXPECT_EQ(writer_.database.sequences, 3u);
  EXPECT_EQ(writer_.database.residues, 14u);
  EXPECT_TRUE(writer_.database.references.empty()) << "only a writer that needs them gets them";
  EXPECT_EQ(writer_.queries, 2u);
  ASSERT_TRUE(totals_);
  EXPECT_EQ(totals_->hits, 2u);
  EXPECT_EQ(totals_->queries_without_hits, 1u);
  EXPECT_EQ(totals_->cells, 14.0 * 14.0);
  EXPECT_NE(messages_.find("warning: " + request_.database + ":3: 'empty' has no residues"), std::string::npos);
}

TEST_F(FileSearchTest, GivesReferencesToAWriterThatNeedsThem) {
  write_files(">a\nMKVLAWRRT\n", ">x\nMKVLAWRRT\n>empty\n>y\nMKVLA\n");
  writer_.sam_names = true;
  search();
  ASSERT_EQ(writer_.database.references.size(), 2u);
  EXPECT_EQ(writer_.database.references[1].name, "y");
  EXPECT_EQ(writer_.database.references[1].length, 5);
  write_files(">a\nMKV\n", ">x\nMKV\n>x\nMKV\n");
  EXPECT_THROW(search(), io::InputError);
}

TEST_F(FileSearchTest, NamesTheMembersOfTheRequestInItsMessages) {
  write_files(">a\nMKVLAWRRT\n", ">x\nMKVLAWRRT\n");
  request_.max_hits = 2;
  request_.require_max_hits = true;
  EXPECT_EQ(refusal(), "max_hits 2: " + request_.database + " has 1 sequence [max_hits all reports every hit]");
  request_.require_max_hits = false;
  request_.masking = Masking::dust;
  EXPECT_EQ(refusal(), "masking dust is for DNA [masking seg is for proteins]");
  request_.masking = Masking::none;
  request_.strands = Strands::plus;
  EXPECT_EQ(refusal(), "strands is for DNA []");
  request_.strands.reset();
  request_.scoring.gap_open = 25;
  request_.scoring.max_evalue = 1;
  EXPECT_TRUE(
      refusal().starts_with("no statistics are published for BLOSUM62 with gap costs 25 + k * 1 "
                            "[they are for gap_open,gap_extend 11,2 "))
      << refusal();
  request_.names.gap_open = "--gap-open";
  request_.scoring.gap_open = request_.scoring.gap_extend = 0;
  EXPECT_EQ(refusal(), "gaps are free: --gap-open or gap_extend must be at least 1 []");
}

TEST_F(FileSearchTest, SearchesNothingForNoHits) {
  write_files(">a\nMKVLAWRRT\n", ">x\nMKVLAWRRT\n");
  request_.max_hits = 0;
  EXPECT_EQ(search(), "");
  ASSERT_TRUE(totals_);
  EXPECT_EQ(totals_->queries, 0u);
  EXPECT_EQ(totals_->cells, 0);
}

TEST_F(FileSearchTest, HasNoTotalsWhereItWasStopped) {
  write_files(">a\nMKVLAWRRT\n", ">x\nMKVLAWRRT\n");
  const std::atomic<bool> stop{true};
  request_.stop = &stop;
  writer_.queries = 99;
  search();
  EXPECT_FALSE(totals_);
  EXPECT_EQ(writer_.queries, 99u) << "end() is not called";
}

// Random proteins, some without residues and some of equal sequences, so that scores are equal in several blocks.
std::string random_proteins(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::string> sequences;
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    std::string sequence(5 + random() % 60, '\0');
    for (char& residue : sequence) residue = "ARNDCQEGHILKMFPSTWYV"[random() % 20];
    if (i % 7 == 3) sequence = sequences[random() % i];
    if (i % 11 == 5) sequence.clear();
    sequences.push_back(sequence);
    text += ">s" + std::to_string(i) + " number " + std::to_string(i) + "\n" + sequence + "\n";
  }
  return text;
}

TEST_F(FileSearchTest, ReadsALargerDatabaseInBlocksWithTheSameHits) {
  write_files(random_proteins(40, 1), random_proteins(300, 2));
  request_.max_hits = 7;
  for (const double coverage : {0.0, 40.0}) {
    for (const Masking masking : {Masking::none, Masking::seg}) {
      request_.min_query_coverage = coverage;
      request_.masking = masking;
      request_.block_residues = std::numeric_limits<std::size_t>::max();
      const std::string whole = search();
      const SearchTotals totals = totals_.value();
      EXPECT_GT(totals.hits, 100u);
      for (const std::size_t residues : {1, 200, 3000}) {
        request_.block_residues = residues;
        EXPECT_EQ(search(), whole) << residues;
        EXPECT_EQ(totals_->hits, totals.hits);
        EXPECT_EQ(totals_->cells, totals.cells);
        EXPECT_EQ(totals_->subjects, 300u);
        EXPECT_EQ(totals_->queries_without_hits, totals.queries_without_hits);
      }
    }
  }
}

TEST_F(FileSearchTest, HasBlocksOfBoundedResidues) {
  write_files(random_proteins(600, 3), random_proteins(100, 4));  // two groups of queries
  request_.block_residues = 2000;
  request_.max_hits = 3;
  std::size_t searches = 0, subjects = 0, most = 0;
  const alignment::SequenceSet* last = nullptr;
  request_.scores = [&](const auto& queries, const auto& block, const auto& scoring, const auto& control) {
    EXPECT_NE(&block, last) << "a score provider may keep what it knows of a set by its address";
    last = &block;
    most = std::max(most, block.residues() + 128 * block.size());
    ++searches;
    subjects += block.size();
    return cpu_scores(2)(queries, block, scoring, control);
  };
  search();
  EXPECT_LE(most, 2000u);
  EXPECT_EQ(subjects, 200u) << "every sequence is searched once for each of two groups";
  EXPECT_GE(searches, 14u);
}

TEST_F(FileSearchTest, RefusesTheSameOfALargeDatabase) {
  const auto error = [&](const std::string& database) {
    write_files(">a\nMKVLAWRRT\n", database);
    try {
      search();
    } catch (const io::InputError& e) {
      return fmt::format("{} {} {}", e.id(), e.line(), e.message());
    }
    return std::string("no error");
  };
  writer_.sam_names = true;
  const std::string matrix = (folder_ / "matrix.txt").string();
  std::ofstream(matrix) << "   A R\nA 4 -1\nR -1 5\n";
  for (const std::string& database : {std::string(">x\nMKV\n>y\nMKV\n>x\nMKV\n"), std::string(">x\nMKV\n>*y\nMKV\n"),
                                      std::string(">x\nMKV\n>y\nMK!\n")}) {
    request_.block_residues = std::numeric_limits<std::size_t>::max();
    const std::string whole = error(database);
    EXPECT_NE(whole, "no error");
    request_.block_residues = 1;
    EXPECT_EQ(error(database), whole);
  }
  request_.scoring = {.matrix = matrix, .gap_open = 5, .gap_extend = 1};
  write_files(">a\nARA\n", ">x\nARA\n>y\nARWA\n>z\nWWW\n");
  try {
    search();
    ADD_FAILURE() << "W was scored";
  } catch (const io::InputError& e) {
    EXPECT_EQ(e.id(), "input.matrix.unknown_letter");
    EXPECT_EQ(e.line(), 3u);
  }
}

TEST_F(FileSearchTest, NoticesADatabaseThatChanges) {
  write_files(random_proteins(10, 5), random_proteins(100, 6));
  request_.block_residues = 1000;
  FileSearch prepared(request_, writer_);
  std::ofstream(request_.database, std::ios::app) << ">more\nMKV\n";
  try {
    prepared.run();
    ADD_FAILURE() << "not noticed";
  } catch (const io::InputError& e) {
    EXPECT_EQ(e.id(), "input.sequence.changed");
  }
}

TEST_F(FileSearchTest, KeepsInMemoryWhatCannotBeReadAgain) {
  write_files(">a\nMKVLAWRRT\n", "");
  request_.database = (folder_ / "pipe").string();
  ASSERT_EQ(::mkfifo(request_.database.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(request_.database) << ">x\nMKVLAWRRT\n>y\nMKVLAW\n"; });
  request_.block_residues = 1;
  EXPECT_EQ(search(), "a x 48\na y 33\n");
  writer.join();
}

TEST_F(FileSearchTest, StopsBetweenBlocks) {
  write_files(random_proteins(10, 5), random_proteins(100, 6));
  request_.block_residues = 1000;
  std::atomic<bool> stop{false};
  request_.stop = &stop;
  request_.scores = [&](const auto& queries, const auto& block, const auto& scoring, const auto&) {
    auto scores = cpu_scores(1)(queries, block, scoring, {});
    stop = true;
    return scores;
  };
  EXPECT_EQ(search(), "");
  EXPECT_FALSE(totals_);
}

TEST(ScoringRequestTest, LeavesOpenWhatIsCustomary) {
  const ResolvedScoring protein = resolve_scoring({}, alignment::Alphabet::protein);
  EXPECT_EQ(describe(protein), "BLOSUM62, gaps of 1 and 2 residues cost 12 and 13 (11 + k * 1)");
  EXPECT_TRUE(protein.finite_size);
  EXPECT_EQ(protein.max_evalue, 10.0);
  const ResolvedScoring dna = resolve_scoring({}, alignment::Alphabet::dna);
  EXPECT_EQ(describe(dna), "match 2, mismatch -3, gaps of 1 and 2 residues cost 7 and 9 (5 + k * 2)");
  EXPECT_FALSE(dna.finite_size);
  EXPECT_EQ(resolve_scoring({.matrix = "blosum45"}, alignment::Alphabet::protein).scoring.gap_open, 14);
  EXPECT_EQ(resolve_scoring({.gap_open = 12, .gap_first = true}, alignment::Alphabet::protein).scoring.gap_open, 11);
  EXPECT_EQ(resolve_scoring({.gap_open = 25}, alignment::Alphabet::protein).note,
            "no statistics are published for BLOSUM62 with gap costs 25 + k * 1: bit scores and E-values are *");
  EXPECT_EQ(alphabet_of({.match = 1}), alignment::Alphabet::dna);
  EXPECT_EQ(alphabet_of({.matrix = "PAM30"}), alignment::Alphabet::protein);
  EXPECT_EQ(alphabet_of({}), std::nullopt);
}

TEST(CompositionTest, IsOfTheBeginningWhichTheSourceStillHas) {
  const std::string text = ">a\nACGTNacgtu\n>b\nMKLP\n";
  Sniffed sniffed = sniff(io::memory_source(text, "memory"));
  EXPECT_EQ(sniffed.composition.residues, 14u);
  EXPECT_EQ(sniffed.composition.nucleotides, 10u);
  EXPECT_FALSE(sniffed.composition.resembles_dna());
  EXPECT_FALSE(sniffed.composition.is_conclusive());
  std::string read(100, '\0');
  std::size_t size = 0;
  while (const std::size_t got = sniffed.source->read(std::span(read).subspan(size))) size += got;
  EXPECT_EQ(read.substr(0, size), text);
}

}  // namespace
}  // namespace speedwell::database_search
