// A search on a GPU has the hits of one on the cores.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <random>
#include <string>

#include "speedwell/apps/alignment/database_search/file_search.hpp"
#include "speedwell/core/cuda.hpp"
#include "tests/apps/alignment/database_search/search_support.hpp"

namespace speedwell::database_search {
namespace {

using alignment::Alphabet;
using alignment::SequenceSet;

TEST(DatabaseSearchOnGpus, HasTheHitsOfTheCores) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const SequenceSet queries = random_set(Alphabet::dna, "ACGT", 700, 11);  // two batches
  const SequenceSet database = random_set(Alphabet::dna, "ACGT", 60, 12);
  SearchOptions options{
      .scoring = dna_scoring(), .masking = Masking::dust, .max_hits = 9, .min_score = 12, .threads = 2};
  const Hits expected = hits_of(queries, database, options);
  for (const std::vector<int>& devices : {std::vector<int>{0}, {0, 0, 0}}) {  // shares of one device are shares
    options.devices = devices;
    expect_same(hits_of(queries, database, options), expected);
  }
}

// A score provider keeps the database on the device by its address, and blocks of a file take turns at two addresses.
TEST(DatabaseSearchOnGpus, HasTheHitsOfTheCoresInBlocksOfAFile) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  struct Lines : HitWriter {
    std::string text;
    void begin(const DatabaseSummary&) override {}
    void write(const SearchedFiles& files, std::size_t query, std::span<const Hit> hits) override {
      for (const Hit& hit : hits)
        text += files.queries.set.name(query) + " " + files.database.set.name(hit.subject) + " " +
                std::to_string(hit.score) + " " + alignment::cigar_string(hit.alignment.cigar) + "\n";
    }
    void end(std::size_t) override {}
  };
  const std::string folder = testing::TempDir() + "/speedwell-blocks-" + std::to_string(::getpid());
  const auto write = [&](const char* name, std::size_t count, unsigned seed) {
    const SequenceSet set = random_set(Alphabet::dna, "ACGT", count, seed);
    std::ofstream file(folder + name);
    for (std::size_t i = 0; i < set.size(); ++i) {
      file << ">" << set.name(i) << "\n";
      for (const std::uint8_t code : set.codes(i)) file << alignment::decode(Alphabet::dna, code);
      file << "\n";
    }
    return folder + name;
  };
  SearchRequest request{.queries = write("-queries.fa", 700, 11), .database = write("-database.fa", 300, 12)};
  request.max_hits = 9;
  request.threads = 2;
  Lines expected;
  ASSERT_TRUE(search_files(request, expected));
  EXPECT_GT(expected.text.size(), 10000u);
  request.devices = {0};
  for (const std::size_t residues : {1000, 20000}) {
    request.block_residues = residues;
    Lines got;
    ASSERT_TRUE(search_files(request, got));
    EXPECT_EQ(got.text, expected.text) << residues;
  }
  std::remove(request.queries.c_str());
  std::remove(request.database.c_str());
}

}  // namespace
}  // namespace speedwell::database_search
