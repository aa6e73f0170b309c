// SSCA#1, the bioinformatics benchmark of the HPCS programme: five kernels on two sequences, `main` (n symbols) and
// `match` (m symbols). Bader, Madduri, Gilbert, Shah, Kepner, Meuse, Krishnamurthy, CTWatch Quarterly 2 (2006) 4B; the
// C executable specification of SSCA#1 v1.0.
//
//   1 find_endpoints        the ends of the best local alignments
//   2 trace_alignments      these alignments
//   3 find_similar          for each of them, the places in main that are like its part of match
//   4 pairwise_differences  within the places of each, the difference of every pair
//   5 align_stars           for each, its places in one multiple alignment
//
// Results do not depend on the number of threads or on how the work is divided: where scores are equal, positions
// decide. Positions count from 1. Every function throws std::invalid_argument for codes that are no symbols of the
// scoring, for sequences whose scores could pass 2^30, and for a negative number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "speedwell/apps/alignment/alignment.hpp"
#include "speedwell/apps/alignment/ssca1/scoring.hpp"
#include "speedwell/core/isa.hpp"

namespace speedwell::alignment::ssca1 {

struct Options {
  int threads = 0;                   // 0: all that OpenMP has
  core::Isa isa = core::best_isa();  // std::invalid_argument if the processor does not have it
};

/// A cell of the table: the last pair of an alignment.
struct Endpoint {
  std::int32_t score = 0;
  std::int64_t main = 0, match = 0;
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};
/// The suite's order: best first, then by position in main, then in match.
inline bool comes_before(const Endpoint& a, const Endpoint& b) {
  if (a.score != b.score) return a.score > b.score;
  return a.main != b.main ? a.main < b.main : a.match < b.match;
}

struct EndpointRules {
  /// peaks: a candidate ends with a positive pair that gave the cell its score, and the next pair along the diagonal,
  /// if there is one, is not positive. plain: every cell with the least score, and no separation.
  enum class Mode { peaks, plain };
  Mode mode = Mode::peaks;
  std::int32_t minimum_score = 20;  // at least 1
  /// Two endpoints are in conflict if they are nearer than this in main and in match. 0 or 1: never.
  std::int64_t separation = 5;
  std::size_t count = 200;
  /// Without it the candidates that cannot matter are passed over faster where there are very many.
  bool count_candidates = true;
};

/// The `count` first candidates in the suite's order, each passed over that is in conflict with one taken before.
struct Endpoints {
  std::vector<Endpoint> accepted;
  std::int64_t candidates = -1;  // cells that keep the rules, before separation; -1: not counted
};

/// Kernel 1 on all cores: sections of main side by side in the lanes of vectors, each begun a little early from a table
/// of zeros, and done again from its left neighbour's last column where that beginning turns out to matter; tiles
/// across main and match where the lanes do not do (see sections.hpp). Memory is linear in n + m.
Endpoints find_endpoints(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules = {},
                         const Options& options = {});

/// One way to compute the table of kernel 1.
struct TableVariant {
  std::string_view name, summary;
  bool parallel;  // uses options.threads
  Endpoints (*find)(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules,
                    const Options& options);
};
/// serial, tiles, sections (as find_endpoints), and the dissertation's: anti-diagonal, row-scan, overlap.
std::span<const TableVariant> table_variants();

/// main[main_begin … main_end] with match[match_begin … match_end], both ends included. In the path a D is a symbol of
/// main, an I one of match without partner.
struct LocalAlignment {
  std::int32_t score = 0;
  std::int64_t main_begin = 0, main_end = 0, match_begin = 0, match_end = 0;
  std::vector<Columns> path;
  friend bool operator==(const LocalAlignment&, const LocalAlignment&) = default;
};

struct TraceRules {
  std::int64_t separation = 5;  // of starts, as of endpoints
  std::size_t count = 100;
};
struct Traced {
  std::vector<LocalAlignment> alignments;
  std::vector<Endpoint> close_starts;  // endpoints whose alignment starts in conflict with one taken before
  std::int64_t without_path = 0;       // endpoints on the way down from a higher score
  std::int64_t single_pairs = 0;       // alignments of one pair, which are dropped
  friend bool operator==(const Traced&, const Traced&) = default;
};

/// The alignments of endpoints, best first, until `count` are taken. From an endpoint the recurrence runs backwards
/// over all cells that a path from it reaches with a positive score, however far that is; the shortest alignment with
/// the endpoint's score is taken, of equals the one with the shortest part of main. Read from its start it takes a pair
/// before a gap in match before a gap in main, and closes a gap where it can.
/// Throws std::invalid_argument if an endpoint is no cell of the table.
Traced trace_alignments(Codes main, Codes match, const Scoring& scoring, std::span<const Endpoint> endpoints,
                        const TraceRules& rules = {}, const Options& options = {});

/// The score of an alignment, from the definition. Throws std::invalid_argument if its path leaves a sequence, does not
/// end where the alignment does, has a run that is not positive, or calls different symbols equal or equal ones
/// different.
std::int64_t rescore(Codes main, Codes match, const Scoring& scoring, const LocalAlignment& alignment);

/// main[begin … end] with all of a query.
struct Place {
  std::int32_t score = 0;
  std::int64_t begin = 0, end = 0;
  friend bool operator==(const Place&, const Place&) = default;
};
struct SimilarRules {
  std::int32_t minimum_score = 10;
  /// Two places are in conflict if their ends or their begins are nearer than this.
  std::int64_t separation = 5;
  std::size_t count = 100;
  double span_factor = 2.0;  // a place is at most this times the query long
};

/// For every query the best places of main, by score, then end, then begin: all of the query aligned, main free at both
/// ends. A place's begin is that of the path which takes a pair before a gap in match before a gap in main, and opens a
/// gap where it can.
std::vector<std::vector<Place>> find_similar(Codes main, std::span<const Codes> queries, const Scoring& scoring,
                                             const SimilarRules& rules = {}, const Options& options = {});
/// The parts of match in alignments: the queries of kernel 3.
std::vector<Codes> match_parts(Codes match, std::span<const LocalAlignment> alignments);

struct DifferenceCosts {
  int mismatch = 20, space = 30;  // Oak Ridge's; 1 and 2 with the dissertation
};
/// Sequences of bases or letters.
using Members = std::vector<std::vector<std::uint8_t>>;
/// The places of one query, codons written as three bases each.
Members members(Codes main, std::span<const Place> places, Alphabet alphabet);

/// The least costs of aligning every two members end to end: 0 for equal symbols, `mismatch` for different ones, and
/// `space` for each symbol without partner.
struct Differences {
  std::size_t members = 0;
  std::vector<std::int32_t> upper;  // of i < j, row by row
  std::int32_t operator()(std::size_t i, std::size_t j) const {
    if (i == j) return 0;
    const std::size_t a = i < j ? i : j, b = i < j ? j : i;
    return upper[a * (2 * members - a - 1) / 2 + b - a - 1];
  }
  friend bool operator==(const Differences&, const Differences&) = default;
};
/// Throws std::invalid_argument if a cost is negative or a difference could pass 2^30.
std::vector<Differences> pairwise_differences(std::span<const Members> sets, const DifferenceCosts& costs = {},
                                              const Options& options = {});

inline constexpr std::int16_t space_symbol = -1;
/// The members of one set, one row each, with spaces; the centre's row first. Empty for a set of fewer than two.
struct StarAlignment {
  std::vector<std::size_t> order;               // the member of each row
  std::vector<std::vector<std::int16_t>> rows;  // of equal length; symbols or space_symbol
  std::int64_t sum_of_pairs = 0;                // of the costs of every two rows, two spaces cost nothing
  friend bool operator==(const StarAlignment&, const StarAlignment&) = default;
};
/// Centre star (Gusfield, Algorithms on Strings, Trees, and Sequences, 1997, section 14.6.2): the member with the least
/// sum of differences is aligned with each other in turn, nearest first, and a space once put in stays.
StarAlignment align_star(const Members& set, const Differences& differences, const DifferenceCosts& costs = {});
std::vector<StarAlignment> align_stars(std::span<const Members> sets, std::span<const Differences> differences,
                                       const DifferenceCosts& costs = {}, const Options& options = {});
/// The sum of pairs of the rows, from the definition.
std::int64_t sum_of_pairs(std::span<const std::vector<std::int16_t>> rows, const DifferenceCosts& costs);

}  // namespace speedwell::alignment::ssca1
