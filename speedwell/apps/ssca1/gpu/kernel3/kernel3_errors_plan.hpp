// Host decisions of GpuSimilar about its filter (kernel3_errors.hpp has its method and the proof of its bound): the
// errors that a region may have, the classes of symbols, the queries for which the filter saves time, and the division
// of main among threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "speedwell/apps/ssca1/gpu/kernel3/kernel3_errors.hpp"
#include "speedwell/apps/ssca1/ssca1.hpp"

namespace speedwell::ssca1 {

/// The maximum number of columns that a section is computed before its own first one; queries that need more are not
/// filtered.
inline constexpr std::int32_t max_lead = 112;
/// The part of main's chunks of 16 columns for which the list of a query has room.
inline constexpr double chunk_share = 1.0 / 8;

/// The costs of kernel3_errors.hpp, in scores: `unit` is its u, `highest` its M.
struct ErrorCosts {
  std::int64_t highest = 0, gap_open = 0;
  // The loss of a symbol of a gap in main: the extension, and the highest score that the query's symbol does not have.
  std::int64_t gap_symbol = 0;
  std::int64_t unit = 0;  // the loss that counts as an error; 0: the filter cannot be used
};
inline ErrorCosts error_costs(const Scoring& scoring) {
  std::int32_t unit = std::min(scoring.gap_open() + scoring.gap_extend(), strip_columns * scoring.gap_extend());
  for (const std::int32_t score : scoring.scores())
    if (score <= 0) unit = std::min(unit, scoring.highest() - score);
  return {.highest = scoring.highest(),
          .gap_open = scoring.gap_open(),
          .gap_symbol = scoring.gap_extend() + scoring.highest(),
          .unit = scoring.highest() > 0 ? unit : 0};
}

/// The maximum number of errors of a region of a query of `length` symbols with a score of at least `min_score`, by the
/// better of two bounds: with all symbols of gaps in main counted, or with some of them free (`long_gaps`). costs.unit
/// must not be 0. The loss of a region is highest * length - min_score at most. Where a gap in main is counted with
/// more than it costs, the region may have that excess in addition, once for each gap for which the loss suffices.
inline AllowedErrors allowed_errors(const ErrorCosts& costs, std::int32_t length, std::int32_t min_score) {
  const std::int64_t loss = costs.highest * length - min_score;
  const auto maximum = [&](bool long_gaps) {
    // The maximum of a gap's counted cost minus its actual cost, over all lengths k, and the cost of the shortest gap
    // for which it is positive, by which the number of such gaps is bounded.
    std::int64_t excess = 0, minimum = 1;
    for (std::int64_t k = 1, cost = costs.gap_open + costs.gap_symbol; k <= length && cost <= loss;
         ++k, cost += costs.gap_symbol) {
      const std::int64_t more = costs.unit * (long_gaps && k > 1 ? k - (k - 2) / 4 : k) - cost;
      if (more <= excess) continue;
      if (excess == 0) minimum = cost;
      excess = more;
    }
    return static_cast<std::int32_t>((loss + excess * (loss / minimum)) / costs.unit);
  };
  const std::int32_t plain = maximum(false), with_long_gaps = maximum(true);
  return with_long_gaps < plain ? AllowedErrors{with_long_gaps, 1} : AllowedErrors{plain, 0};
}

/// Classes of the queries' symbols: those that match (score above zero with) the same symbols of main.
struct MatchClasses {
  std::vector<std::uint8_t> class_of;  // for each symbol of the queries
  // For each symbol of main the classes that match it, a bit each: 32 per word, and those from 32 on in another word,
  // `symbols` entries later.
  std::vector<std::uint32_t> masks;
  int count = 0;
};

/// The classes of the symbols in `codes`, those of all queries; none if there are more than max_match_classes.
inline std::optional<MatchClasses> match_classes(const Scoring& scoring, Codes codes) {
  const int symbols = scoring.symbols();
  MatchClasses classes{std::vector<std::uint8_t>(static_cast<std::size_t>(symbols)), {}, 0};
  std::vector<bool> used(static_cast<std::size_t>(symbols));
  for (const std::uint8_t code : codes) used[code] = true;
  std::vector<std::vector<bool>> rows;
  for (int a = 0; a < symbols; ++a) {
    if (!used[static_cast<std::size_t>(a)]) continue;
    std::vector<bool> row;
    for (int b = 0; b < symbols; ++b) row.push_back(scoring.score(a, b) > 0);
    const auto at = std::find(rows.begin(), rows.end(), row);
    classes.class_of[static_cast<std::size_t>(a)] = static_cast<std::uint8_t>(at - rows.begin());
    if (at == rows.end()) rows.push_back(std::move(row));
    if (rows.size() > max_match_classes) return std::nullopt;
  }
  classes.count = static_cast<int>(rows.size());
  classes.masks.assign(rows.size() > 32 ? 2 * used.size() : used.size(), 0);
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (std::size_t b = 0; b < used.size(); ++b)
      if (rows[k][b]) classes.masks[k / 32 * used.size() + b] |= 1u << k % 32;
  return classes;
}

/// The probability that a symbol of the query matches, if all symbols of main have the same frequency.
inline double match_share(const Scoring& scoring, Codes query) {
  double pairs = 0;
  for (const std::uint8_t code : query)
    for (int symbol = 0; symbol < scoring.symbols(); ++symbol) pairs += scoring.score(code, symbol) > 0;
  return pairs / (static_cast<double>(query.size()) * scoring.symbols());
}

/// Whether the filter holds a query and is likely to save time: with `share` = match_share() few enough chunks have to
/// remain for their list, and for the columns computed after the filter. A wrong estimate costs time only: a query
/// whose list is too short is computed without the filter.
inline bool worth_filtering(const DeviceQuery& query, const AllowedErrors& allowed, double share) {
  // The bit planes hold errors - allowed - 1 from -16 to 15: ErrorPlanes.
  constexpr std::int32_t planes_hold = 1 << (error_planes - 1);
  const std::int32_t errors = allowed.maximum;
  if (query.length > max_filter_rows || errors >= query.length || query.overlap > max_lead || errors >= planes_hold ||
      query.length - errors > planes_hold)
    return false;
  // The expected share of chunks: matches outside of the errors, and the number of positions of the errors. The factors
  // 14 and 1.75, for gaps, were fitted to counts on random codons.
  double chunks = 14 * std::pow(share, query.length - errors);
  for (std::int32_t k = 1; k <= errors; ++k) chunks *= 1.75 * (query.length - k + 1) / k;
  return chunks < chunk_share / 2 && chunks * (query.overlap + chunk_columns) / chunk_columns < 0.5;
}

/// The division of main for `queries`, of which there is at least one, on a device that runs `warps` warps. A warp has
/// 1024 sections, 32 in the bits of each lane's words. They have 64 to 65,536 columns, so that leads are a small part.
inline MatchLayout match_layout(std::int64_t columns, std::int32_t classes, std::span<const DeviceQuery> queries,
                                std::int64_t warps) {
  const std::int64_t groups = std::max<std::int64_t>(1, warps / std::ssize(queries));
  const std::int64_t even = (columns / (groups * 1024) + chunk_columns - 1) / chunk_columns * chunk_columns;
  MatchLayout layout{.columns = columns,
                     .section = static_cast<std::int32_t>(std::clamp<std::int64_t>(even, 64, 1 << 16)),
                     .classes = classes};
  for (const DeviceQuery& query : queries)
    layout.lead = std::max(layout.lead, (std::min(query.overlap, max_lead) + 15) / 16 * 16);
  return layout;
}

}  // namespace speedwell::ssca1
