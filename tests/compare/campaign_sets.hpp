// Sets of sequences and scoring systems for the comparison of many pairs with parasail: set `number` of a seed is a
// function of these two, so that any one can be made again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "speedwell/apps/alignment/scoring/scoring.hpp"
#include "tests/compare/parasail.hpp"

namespace speedwell {

/// The kind of sequences of a set; kinds alternate.
enum class Kind { random_protein, real_protein, protein_made_table, random_dna, real_dna, dna_made_table };
inline constexpr const char* kind_names[] = {"protein, random", "protein, real", "protein, made table",
                                             "DNA, random",     "DNA, real",     "DNA, made table"};
inline constexpr std::size_t kinds = std::size(kind_names);

struct CampaignSet {
  Kind kind{};
  alignment::Scoring scoring;
  parasail::System system;  // the same in parasail's words
  std::vector<std::string> queries, subjects;
};

/// Lengths go from 1 to 35,000, half of the subjects are altered pieces of queries, and gap costs and tables go as far
/// as both programs take them.
CampaignSet campaign_set(std::uint64_t seed, std::size_t number);

}  // namespace speedwell
