// SSCA#1, the bioinformatics benchmark of the HPCS programme: five kernels on two sequences, `main` (n symbols) and
// `match` (m symbols). Bader, Madduri, Gilbert, Shah, Kepner, Meuse, Krishnamurthy, CTWatch Quarterly 2 (2006) 4B; the
// C executable specification of SSCA#1 v1.0.
//
//   1 pairwise_align   pairwise alignment: the ends of the best local alignments
//   2 scan_backward    sequence extraction: the alignments of these endpoints
//   3 locate_similar   locating similar sequences: for each alignment, the regions of main similar to its part of match
//   4 global_align     aligning pairs of similar sequences: the difference of every pair of regions of an alignment
//   5 multiple_align   multiple sequence alignment of the regions of each alignment
//
// Results do not depend on the number of threads or on the decomposition: ties are broken by position. Positions are
// counted from 1. Every function throws std::invalid_argument for codes that are not symbols of the scoring, for
// sequences whose scores could exceed 2^30, and for a negative number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "speedwell/apps/ssca1/scoring.hpp"
#include "speedwell/core/simd/isa.hpp"
#include "speedwell/io/sam.hpp"

namespace speedwell::ssca1 {

struct Options {
  int threads = 0;                   // 0: the maximum number of OpenMP threads
  core::Isa isa = core::best_isa();  // std::invalid_argument if the processor does not support it
};

/// A cell of the table: the last pair of an alignment.
struct Endpoint {
  std::int32_t score = 0;
  std::int64_t main = 0, match = 0;
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};
/// The suite's order: by descending score, then by position in main, then in match.
inline bool comes_before(const Endpoint& a, const Endpoint& b) {
  if (a.score != b.score) return a.score > b.score;
  return a.main != b.main ? a.main < b.main : a.match < b.match;
}

struct EndpointRules {
  /// peaks: a candidate ends with a pair of positive score that gave the cell its score, and the next pair on the
  /// diagonal, if there is one, does not have a positive score. plain: every cell with the minimum score, without
  /// separation.
  enum class Mode { peaks, plain };
  Mode mode = Mode::peaks;
  std::int32_t minimum_score = 20;  // at least 1
  /// Two endpoints are in conflict if their distances in main and in match are smaller. 0 or 1: never.
  std::int64_t separation = 5;
  std::size_t count = 200;
  /// If false, candidates that cannot be accepted are skipped faster.
  bool count_candidates = true;
};

/// The first `count` candidates in the suite's order that are not in conflict with an accepted one.
struct Endpoints {
  std::vector<Endpoint> accepted;
  std::int64_t candidates = -1;  // cells that keep the rules, before separation; -1: not counted
};

/// Kernel 1 with OpenMP and SIMD: one section of main per lane, started a few columns early from a table of zeros, and
/// repeated from the left neighbour's last column if that initial state turns out to matter; tiles over main and match
/// if lanes are unsuitable (see cpu/kernel1_sections.hpp). Memory is linear in n + m.
Endpoints pairwise_align(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules = {},
                         const Options& options = {});

/// An algorithm for the table of kernel 1.
struct TableVariant {
  std::string_view name, summary;
  bool parallel;  // uses options.threads
  Endpoints (*find)(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules,
                    const Options& options);
};
/// serial, tiles, sections (as pairwise_align), and those of the dissertation: anti-diagonal, row-scan, overlap.
std::span<const TableVariant> table_variants();

/// Columns of an alignment with the same operation.
using io::CigarRun;

/// The alignment of main[main_begin … main_end] with match[match_begin … match_end], both ends included. In the CIGAR,
/// D is an unpaired symbol of main and I one of match.
struct LocalAlignment {
  std::int32_t score = 0;
  std::int64_t main_begin = 0, main_end = 0, match_begin = 0, match_end = 0;
  std::vector<CigarRun> cigar;
  friend bool operator==(const LocalAlignment&, const LocalAlignment&) = default;
};

struct TraceRules {
  std::int64_t separation = 5;  // minimum distance of starts, as of endpoints
  std::size_t count = 100;
};
struct Traced {
  std::vector<LocalAlignment> alignments;
  std::vector<Endpoint> close_starts;  // endpoints whose alignment starts in conflict with an accepted one
  std::int64_t without_path = 0;       // endpoints on the descent from a higher score
  std::int64_t single_pairs = 0;       // alignments of a single pair, which are dropped
  friend bool operator==(const Traced&, const Traced&) = default;
};

/// The alignments of endpoints, best first, up to `count` alignments. The recurrence runs backwards from an endpoint
/// over all cells that a path from it reaches with a positive score, without a limit on their number. Of the alignments
/// with the endpoint's score, the shortest is selected; ties are broken by the shortest part of main. From its start, a
/// path prefers a pair to a gap in match to a gap in main, and closes a gap as early as possible. Only the symbols that
/// are reached are read and checked. Throws std::invalid_argument if an endpoint is not a cell of the table.
Traced scan_backward(Codes main, Codes match, const Scoring& scoring, std::span<const Endpoint> endpoints,
                     const TraceRules& rules = {}, const Options& options = {});

/// The score of an alignment by the definition. Throws std::invalid_argument if its path leaves a sequence, does not
/// end at the end of the alignment, has a run whose length is not positive, or has a wrong match or mismatch operation.
std::int64_t rescore(Codes main, Codes match, const Scoring& scoring, const LocalAlignment& alignment);

/// main[begin … end], aligned with a whole query.
struct SimilarRegion {
  std::int32_t score = 0;
  std::int64_t begin = 0, end = 0;
  friend bool operator==(const SimilarRegion&, const SimilarRegion&) = default;
};
struct SimilarRules {
  std::int32_t minimum_score = 10;
  /// Two regions are in conflict if their ends or their begins are closer than this.
  std::int64_t separation = 5;
  std::size_t count = 100;
  double span_factor = 2.0;  // the maximum length of a region in units of the query's length
};

/// The best regions of main for every query, ordered by score, then end, then begin: the whole query is aligned, with
/// free ends in main. The begin of a region is that of the path that prefers a pair to a gap in match to a gap in main,
/// and opens a gap as early as possible.
std::vector<std::vector<SimilarRegion>> locate_similar(Codes main, std::span<const Codes> queries,
                                                       const Scoring& scoring, const SimilarRules& rules = {},
                                                       const Options& options = {});
/// The parts of match in alignments: the queries of kernel 3.
std::vector<Codes> match_parts(Codes match, std::span<const LocalAlignment> alignments);

struct DifferenceCosts {
  int mismatch = 20, space = 30;  // those of Oak Ridge; the dissertation has 1 and 2
};
/// Sequences of bases or nucleotides.
using Members = std::vector<std::vector<std::uint8_t>>;
/// The regions of one query as sequences, with codons written as three bases each.
Members members(Codes main, std::span<const SimilarRegion> regions, Alphabet alphabet);

/// The minimum costs of global alignments of every two members: 0 for equal symbols, `mismatch` for different ones, and
/// `space` for each unpaired symbol.
struct Differences {
  std::size_t members = 0;
  std::vector<std::int32_t> upper;  // for i < j, row by row
  std::int32_t operator()(std::size_t i, std::size_t j) const {
    if (i == j) return 0;
    const std::size_t a = i < j ? i : j, b = i < j ? j : i;
    return upper[a * (2 * members - a - 1) / 2 + b - a - 1];
  }
  friend bool operator==(const Differences&, const Differences&) = default;
};
/// Throws std::invalid_argument if a cost is negative or a difference could exceed 2^30.
std::vector<Differences> global_align(std::span<const Members> sets, const DifferenceCosts& costs = {},
                                      const Options& options = {});

inline constexpr std::int16_t space_symbol = -1;
/// The members of one set, one row each, with spaces; the centre's row is first. Empty for fewer than two members.
struct StarAlignment {
  std::vector<std::size_t> order;               // the member in each row
  std::vector<std::vector<std::int16_t>> rows;  // rows of equal length, of symbols or space_symbol
  std::int64_t sum_of_pairs = 0;  // the sum of the costs of every two rows; a pair of spaces costs nothing
  friend bool operator==(const StarAlignment&, const StarAlignment&) = default;
};
/// Centre star (Gusfield, Algorithms on Strings, Trees, and Sequences, 1997, section 14.6.2): the member with the
/// minimum sum of differences is aligned with every other one, nearest first; inserted spaces are never removed.
StarAlignment align_star(const Members& set, const Differences& differences, const DifferenceCosts& costs = {});
std::vector<StarAlignment> multiple_align(std::span<const Members> sets, std::span<const Differences> differences,
                                          const DifferenceCosts& costs = {}, const Options& options = {});
/// The sum of pairs of the rows, by the definition.
std::int64_t sum_of_pairs(std::span<const std::vector<std::int16_t>> rows, const DifferenceCosts& costs);

}  // namespace speedwell::ssca1
