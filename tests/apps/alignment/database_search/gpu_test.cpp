// A search on a GPU has the hits of one on the cores.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "speedwell/apps/alignment/database_search/database_search.hpp"
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

}  // namespace
}  // namespace speedwell::database_search
