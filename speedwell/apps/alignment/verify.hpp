// The verification of every search variant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "speedwell/apps/alignment/alignment.hpp"
#include "speedwell/apps/alignment/scoring.hpp"
#include "speedwell/apps/alignment/sequence_set.hpp"
#include "speedwell/core/verdict.hpp"

namespace speedwell::alignment {

/// The expected scores of a search: exact ones of all pairs or of a sample by the reference, of all by another
/// implementation, and bounds of every pair.
struct Expected {
  std::vector<std::size_t> pairs;    // ascending indices q * subjects + s
  std::vector<std::int32_t> scores;  // of these pairs, by the serial reference
  std::vector<std::int32_t> others;  // of all pairs, by another implementation; empty: none
  std::string other;                 // its name
  std::size_t all_pairs = 0;
  std::size_t subjects = 0;
  /// A score is at most what the sequence would have if each residue were paired with its best partner.
  std::vector<std::int64_t> query_max, subject_max;
  /// A score is at least that of the best pair of residues: query_best[q * code_limit + symbol] is the query's best
  /// partner of a symbol, subject_symbols[s] the set of symbols in s.
  std::vector<std::int8_t> query_best;
  std::vector<std::uint32_t> subject_symbols;
};

/// Cells that the reference computes at most: all pairs if they have no more than `all_cells`, otherwise a sample with
/// about `sample_cells`. The sample holds the first and the last 16 pairs, four successive subjects for every query,
/// and runs of eight successive pairs anywhere, and depends on the numbers of sequences alone: successive pairs, so
/// that scores at the wrong index are seen.
struct OracleEffort {
  double all_cells = 1e9;
  double sample_cells = 3e8;
};
Expected expect(const SequenceSet& queries, const SequenceSet& subjects, const Scoring& scoring,
                const OracleEffort& effort = {});

/// Counts the pairs whose score differs from the reference's or the other implementation's, or lies outside its bounds,
/// and those of the sample where the other implementation differs from the reference: none may. `scores` has
/// expected.all_pairs elements, or every missing or surplus one counts. Throws std::invalid_argument if
/// expected.others has elements, but not as many.
core::Verdict verify(const Expected& expected, std::span<const std::int32_t> scores);

/// Further checks of a pair's answer: how many failed, and what they were.
struct Evidence {
  std::size_t wrong = 0;
  std::string oracle;  // empty: there is none
};

/// Verifies the end point of one pair. Up to `effort.all_cells` the reference says what it is. Of a larger pair no part
/// of the table may have a better score: the reference computes several, anywhere, of `effort.sample_cells` cells in
/// all. And the score must be reached: in the part before the end point by the reference, or, if its alignments are
/// longer than that or `always_align`, by `align()`, which is scored again residue by residue. Counts what does not
/// hold, and what is wrong by `evidence`.
core::Verdict verify_pair(Codes query, Codes subject, const Scoring& scoring, const EndPoint& end,
                          const std::function<Alignment()>& align, bool always_align = false,
                          const OracleEffort& effort = {}, const Evidence& evidence = {});

}  // namespace speedwell::alignment
