// Random sets of sequences, and the hits of a search of them, for the tests of searches.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "speedwell/apps/alignment/database_search/database_search.hpp"

namespace speedwell::database_search {

inline alignment::SequenceSet random_set(alignment::Alphabet alphabet, std::string_view symbols, std::size_t count,
                                         unsigned seed) {
  std::mt19937 random(seed);
  alignment::SequenceSet set(alphabet);
  for (std::size_t i = 0; i < count; ++i) {
    std::string text(5 + random() % 60, '\0');
    for (char& residue : text) residue = symbols[random() % symbols.size()];
    set.add("s" + std::to_string(i), "", text);
  }
  return set;
}

inline alignment::Scoring dna_scoring() { return {alignment::match_mismatch(2, -3), 5, 2}; }

/// Hits by query.
using Hits = std::map<std::size_t, std::vector<Hit>>;
inline Hits hits_of(const alignment::SequenceSet& queries, const alignment::SequenceSet& database,
                    const SearchOptions& options) {
  Hits all;
  EXPECT_TRUE(search(queries, database, options, [&](std::size_t query, std::span<const Hit> hits) {
    EXPECT_EQ(query, all.size()) << "every query, in order";
    all[query].assign(hits.begin(), hits.end());
  }));
  EXPECT_EQ(all.size(), queries.size());
  return all;
}

inline void expect_same(const Hits& a, const Hits& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [query, hits] : a) {
    ASSERT_EQ(hits.size(), b.at(query).size());
    for (std::size_t i = 0; i < hits.size(); ++i) {
      const Hit& other = b.at(query)[i];
      EXPECT_EQ(hits[i].subject, other.subject);
      EXPECT_EQ(hits[i].score, other.score);
      EXPECT_EQ(hits[i].minus, other.minus);
      EXPECT_EQ(hits[i].alignment.cigar, other.alignment.cigar);
    }
  }
}

}  // namespace speedwell::database_search
