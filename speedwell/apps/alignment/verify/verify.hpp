// The verification of every search variant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "speedwell/apps/alignment/alignment.hpp"
#include "speedwell/apps/alignment/scoring/scoring.hpp"
#include "speedwell/apps/alignment/sequences/sequence_set.hpp"
#include "speedwell/core/verdict.hpp"

namespace speedwell::alignment {

/// The expected scores of a search: those of the reference for all pairs or a sample, those of another implementation
/// for all pairs, and bounds for every pair.
struct Expected {
  std::vector<std::size_t> pairs;    // pairs that the reference computes: ascending indices q * subjects + s
  std::vector<std::int32_t> scores;  // scores of these pairs by the serial reference
  std::vector<std::int32_t> others;  // scores of all pairs by another implementation; empty if there is none
  std::string other;                 // name of the other implementation
  std::size_t all_pairs = 0;         // queries times subjects
  std::size_t subjects = 0;
  /// Upper bounds of a score: each residue of the query, or of the subject, is paired with its best partner.
  std::vector<std::int64_t> query_max, subject_max;
  /// Lower bound of a score, that of the best pair of residues: query_best[q * code_limit + symbol] is the highest
  /// score of a symbol with any residue of query q; bit c of subject_symbols[s] is set if the code c occurs in subject
  /// s.
  std::vector<std::int8_t> query_best;
  std::vector<std::uint32_t> subject_symbols;
};

/// Limits of the cells that the reference computes: all pairs if they have at most `all_cells` cells, otherwise a
/// sample with about `sample_cells`. The sample has the first and the last 16 pairs, four successive subjects for every
/// query, and runs of eight successive pairs at random indices, and does not depend on the residues. Successive pairs
/// reveal scores at wrong indices.
struct OracleEffort {
  double all_cells = 1e9;
  double sample_cells = 3e8;
};
/// Computes the expected scores and bounds. Throws what the reference throws.
Expected expect(const SequenceSet& queries, const SequenceSet& subjects, const Scoring& scoring,
                const OracleEffort& effort = {});

/// Passes if the scores of all pairs equal those of the reference and of the other implementation, as far as there are
/// any, and lie within their bounds. The error is the number of wrong scores. `scores` must have expected.all_pairs
/// elements, in the order q * subjects + s; otherwise the error is the difference of the sizes. Throws
/// std::invalid_argument if expected.others is neither empty nor of that size.
core::Verdict verify(const Expected& expected, std::span<const std::int32_t> scores);

/// The result of further checks of a pair.
struct Evidence {
  std::size_t wrong = 0;  // number of checks that failed
  std::string oracle;     // describes the checks; empty if there were none
};

/// Verifies the end point of one pair. With at most `effort.all_cells` cells it must be that of the reference. For a
/// larger pair the reference computes parts of the table, `effort.sample_cells` in all, none of which may have a higher
/// score. The score must also be attained: by the reference in the part that ends at the end point, or by the alignment
/// that align() returns, which is rescored residue by residue. align() is called if that part is too small, or if
/// `always_align` is true. The error is the number of checks that failed, including `evidence.wrong`.
core::Verdict verify_pair(Codes query, Codes subject, const Scoring& scoring, const EndPoint& end,
                          const std::function<Alignment()>& align, bool always_align = false,
                          const OracleEffort& effort = {}, const Evidence& evidence = {});

}  // namespace speedwell::alignment
