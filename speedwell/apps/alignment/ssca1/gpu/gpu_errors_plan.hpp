// What GpuSimilar decides about its filter (gpu_errors.hpp): the errors that a place may have, the classes of symbols,
// which queries are worth it, and where the columns of a thread lie.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "speedwell/apps/alignment/ssca1/gpu/gpu_errors.hpp"
#include "speedwell/apps/alignment/ssca1/ssca1.hpp"

namespace speedwell::alignment::ssca1 {

/// Columns that a section may begin early.
inline constexpr std::int32_t most_lead = 112;
/// Of a query's chunks, what there is room for.
inline constexpr double chunk_share = 1.0 / 8;

/// What errors are counted by.
struct ErrorCosts {
  std::int64_t highest = 0, gap_open = 0;
  std::int64_t gap_symbol = 0;  // the loss by a symbol of a gap in main
  std::int64_t unit = 0;        // the loss that counts as an error; 0 if pairs that do not match, or gaps, cost nothing
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

/// Of a place of a query of `length` symbols with `least_score`, counted in the better of two ways.
inline AllowedErrors allowed_errors(const ErrorCosts& costs, std::int32_t length, std::int32_t least_score) {
  const std::int64_t loss = costs.highest * length - least_score;
  const auto most = [&](bool long_gaps) {
    // What a gap in main counts for more than it costs, at most, and the least cost of such a gap.
    std::int64_t excess = 0, least = 1;
    for (std::int64_t k = 1, cost = costs.gap_open + costs.gap_symbol; k <= length && cost <= loss;
         ++k, cost += costs.gap_symbol) {
      const std::int64_t more = costs.unit * (long_gaps && k > 1 ? k - (k - 2) / 4 : k) - cost;
      if (more <= excess) continue;
      if (excess == 0) least = cost;
      excess = more;
    }
    return static_cast<std::int32_t>((loss + excess * (loss / least)) / costs.unit);
  };
  const std::int32_t plain = most(false), with_long_gaps = most(true);
  return with_long_gaps < plain ? AllowedErrors{with_long_gaps, 1} : AllowedErrors{plain, 0};
}

/// Symbols of queries that match, that is score above zero with, the same symbols of main are one class.
struct MatchClasses {
  std::vector<std::uint8_t> class_of;  // of each symbol of the queries
  std::vector<std::uint32_t> masks;    // as build_matches takes them
  int count = 0;
};

/// Of the symbols in `codes`; nothing if there are more classes than the filter has room for.
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
    if (rows.size() > most_match_classes) return std::nullopt;
  }
  classes.count = static_cast<int>(rows.size());
  classes.masks.assign(rows.size() > 32 ? 2 * used.size() : used.size(), 0);
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (std::size_t b = 0; b < used.size(); ++b)
      if (rows[k][b]) classes.masks[k / 32 * used.size() + b] |= 1u << k % 32;
  return classes;
}

/// Of a query, how likely one of its symbols matches, if symbols of main are equally frequent.
inline double match_share(const Scoring& scoring, Codes query) {
  double pairs = 0;
  for (const std::uint8_t code : query)
    for (int symbol = 0; symbol < scoring.symbols(); ++symbol) pairs += scoring.score(code, symbol) > 0;
  return pairs / (static_cast<double>(query.size()) * scoring.symbols());
}

/// Whether the filter is likely to leave so few chunks of a query, with this match_share, that it saves time; a wrong
/// guess costs time alone.
inline bool worth_filtering(const DeviceQuery& query, const AllowedErrors& allowed, double share) {
  constexpr std::int32_t planes_hold = 1 << (error_planes - 1);
  const std::int32_t errors = allowed.most;
  if (query.length > most_filter_rows || errors >= query.length || query.overlap > most_lead || errors >= planes_hold ||
      query.length - errors > planes_hold)
    return false;
  // Where the errors are, and a factor for what gaps allow: near what is counted on random codons.
  double chunks = 14 * std::pow(share, query.length - errors);
  for (std::int32_t k = 1; k <= errors; ++k) chunks *= 1.75 * (query.length - k + 1) / k;
  return chunks < chunk_share / 2 && chunks * (query.overlap + chunk_columns) / chunk_columns < 0.5;
}

/// Sections for `queries` on a device that runs `warps`. They are long enough that leads do not weigh.
inline MatchLayout match_layout(std::int64_t columns, std::int32_t classes, std::span<const DeviceQuery> queries,
                                std::int64_t warps) {
  const std::int64_t groups = std::max<std::int64_t>(1, warps / std::ssize(queries));
  const std::int64_t even = (columns / (groups * 1024) + chunk_columns - 1) / chunk_columns * chunk_columns;
  MatchLayout layout{.columns = columns,
                     .section = static_cast<std::int32_t>(std::clamp<std::int64_t>(even, 64, 1 << 16)),
                     .classes = classes};
  for (const DeviceQuery& query : queries)
    layout.lead = std::max(layout.lead, (std::min(query.overlap, most_lead) + 15) / 16 * 16);
  return layout;
}

}  // namespace speedwell::alignment::ssca1
