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
inline constexpr std::int32_t most_lead = 64;
/// Of a query's chunks, what there is room for.
inline constexpr double chunk_share = 1.0 / 8;

/// The loss that counts as one error; 0 if pairs that do not match, or gaps, cost nothing.
inline std::int32_t error_unit(const Scoring& scoring) {
  std::int32_t unit = std::min(scoring.gap_open() + scoring.gap_extend(), strip_columns * scoring.gap_extend());
  for (const std::int32_t score : scoring.scores())
    if (score <= 0) unit = std::min(unit, scoring.highest() - score);
  return scoring.highest() > 0 ? unit : 0;
}

/// Of a place of a query of `length` symbols with `least_score`.
inline std::int32_t most_errors(const Scoring& scoring, std::int32_t length, std::int32_t least_score) {
  const std::int64_t unit = error_unit(scoring), symbol = scoring.gap_extend() + scoring.highest();
  const std::int64_t loss = std::int64_t{scoring.highest()} * length - least_score;
  // What a gap in main counts for more than it costs, at most, for each gap that there can be.
  std::int64_t excess = 0;
  for (std::int64_t k = 1; k <= length && scoring.gap_open() + k * symbol <= loss; ++k)
    excess = std::max(excess, unit * (k - (k - 1) / 4) - scoring.gap_open() - k * symbol);
  const std::int64_t slack = excess * std::max<std::int64_t>(0, loss) / (scoring.gap_open() + symbol);
  return static_cast<std::int32_t>((loss + slack) / unit);
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

/// Whether the filter is likely to leave so few chunks of a query that it saves time. Symbols of main are taken for
/// equally frequent; a wrong guess costs time alone.
inline bool worth_filtering(const Scoring& scoring, Codes query, const DeviceQuery& device, std::int32_t errors) {
  const auto length = static_cast<double>(query.size());
  if (errors >= device.length || device.overlap > most_lead || errors + 1 > 1 << (error_planes - 1) ||
      device.length - (device.length - 1) / 4 - errors > 1 << (error_planes - 1))
    return false;
  double pairs = 0;
  for (const std::uint8_t code : query)
    for (int b = 0; b < scoring.symbols(); ++b) pairs += scoring.score(code, b) > 0;
  const double match = pairs / (length * scoring.symbols());
  // Places of the errors, and some for what gaps allow: near what is counted on random codons.
  const double choices =
      std::exp(std::lgamma(length + 1) - std::lgamma(errors + 1.0) - std::lgamma(length - errors + 1));
  const double chunks = 7 * choices * std::pow(1.75, errors) * std::pow(match, length - errors);
  // A chunk's cells leave half of each word empty.
  return 2 * chunks < chunk_share && 2 * chunks * (device.overlap + chunk_columns) / chunk_columns < 0.5;
}

/// Sections for `queries` on a device that holds `warps`. They are long enough that leads do not weigh.
inline MatchLayout match_layout(std::int64_t columns, std::int32_t classes, std::size_t queries, std::int64_t warps) {
  const std::int64_t groups =
      std::max<std::int64_t>(1, warps / std::max<std::int64_t>(1, static_cast<std::int64_t>(queries)));
  const std::int64_t even = (columns / (groups * 1024) + chunk_columns - 1) / chunk_columns * chunk_columns;
  return {.columns = columns,
          .section = static_cast<std::int32_t>(std::clamp<std::int64_t>(even, 128, 1 << 16)),
          .lead = most_lead,
          .classes = classes};
}

}  // namespace speedwell::alignment::ssca1
