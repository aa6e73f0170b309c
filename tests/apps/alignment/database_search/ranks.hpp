// A search on ranks, held against the same search in one process.
#pragma once

#include <random>
#include <vector>

#include "speedwell/apps/alignment/database_search/search_on_ranks.hpp"
#include "tests/apps/alignment/database_search/search_support.hpp"
#include "tests/support/ranks.hpp"

namespace speedwell::database_search {

/// Collective. `resources` are those of this rank.
inline void expect_hits_of_one_process(const RankResources& resources) {
  const alignment::SequenceSet queries = random_set(alignment::Alphabet::dna, "ACGT", 30, 11);
  const alignment::SequenceSet database = random_set(alignment::Alphabet::dna, "ACGT", 60, 12);
  SearchOptions options{
      .scoring = dna_scoring(), .masking = Masking::dust, .max_hits = 9, .min_score = 12, .threads = 1};
  SearchOnRanks team(test::ranks(), resources);
  if (!test::is_root()) return team.serve();
  options.scores = team.scores();
  options.pairs_aligner = team.aligner();
  for (const double coverage : {0.0, 40.0}) {
    SCOPED_TRACE(coverage);
    SearchOptions alone = options;
    alone.scores = {};
    alone.pairs_aligner = {};
    options.min_query_coverage = alone.min_query_coverage = coverage;
    expect_same(hits_of(queries, database, options), hits_of(queries, database, alone));
  }
  // Other databases of the same lengths, so that they are divided as the one before.
  std::vector<alignment::SequenceSet> others(4, database);
  for (unsigned seed = 0; seed < 4; ++seed) {
    alignment::SequenceSet& other = others[seed];
    other = alignment::SequenceSet(alignment::Alphabet::dna);
    std::mt19937 random(seed);
    for (std::size_t i = 0; i < database.size(); ++i) {
      std::vector<std::uint8_t> codes(database.length(i));
      for (std::uint8_t& code : codes) code = random() % 4;
      other.add_codes("s", codes);
    }
    SearchOptions alone = options;
    alone.scores = {};
    alone.pairs_aligner = {};
    const alignment::SequenceSet some = random_set(alignment::Alphabet::dna, "ACGT", 3, seed + 100);
    expect_same(hits_of(some, other, options), hits_of(some, other, alone));
  }
  team.end();
}

}  // namespace speedwell::database_search
