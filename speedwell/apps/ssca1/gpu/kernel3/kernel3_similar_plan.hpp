// Decisions of GpuSimilar before it runs: the queries that fit its arithmetic, the pairs of queries, and the sections.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "speedwell/apps/ssca1/gpu/kernel3/kernel3_region_choice.hpp"
#include "speedwell/apps/ssca1/ssca1.hpp"

namespace speedwell::ssca1 {

/// The numbers of rows for which the kernel is compiled.
inline constexpr std::array<int, 7> query_rows = {8, 12, 16, 20, 24, 32, 64};

struct SimilarPlan {
  std::vector<DeviceQuery> queries;
  std::vector<std::size_t> numbers;  // the number of each of these queries
  std::vector<std::size_t> on_host;
  std::vector<std::uint8_t> codes;
};

/// Whether scores of pairs and gap costs fit Pair11, and the length of paths is bounded.
inline bool fits_pair_table(const Scoring& scoring) {
  return scoring.highest() > 0 && scoring.highest() <= 1000 && scoring.lowest() >= -1000 && scoring.gap_extend() > 0 &&
         Pair11::serves(scoring.gap_open(), scoring.gap_extend());
}

/// A query whose regions have at least `minimum_score`, and at most the maximum score of the query.
inline DeviceQuery device_query(std::size_t offset, std::size_t symbols, const Scoring& scoring,
                                const SimilarRules& rules, std::int32_t minimum_score) {
  const auto length = static_cast<std::int64_t>(symbols);
  const std::int64_t highest = scoring.highest();
  const std::int64_t bias = std::max<std::int64_t>(0, highest * (length - 1) - minimum_score + 1);
  const std::int64_t max_gaps = highest * length - scoring.gap_open() - minimum_score;
  // Longer spans do not fit 32 bits, and no path has one.
  const double max_span = std::min(rules.span_factor * static_cast<double>(length), 1e9);
  return {.offset = static_cast<std::int32_t>(offset),
          .length = static_cast<std::int32_t>(length),
          .bias = static_cast<std::int32_t>(bias),
          .minimum = static_cast<std::int32_t>(minimum_score + bias),
          .maximum = static_cast<std::int32_t>(highest * length + bias),
          .overlap = static_cast<std::int32_t>(length + (max_gaps < 0 ? 0 : max_gaps / scoring.gap_extend())),
          .max_span = static_cast<std::int32_t>(max_span)};
}

inline int rows_for(std::size_t length) {
  return *std::find_if(query_rows.begin(), query_rows.end() - 1,
                       [&](int rows) { return length <= static_cast<std::size_t>(rows); });
}

/// The longest queries are first.
inline SimilarPlan plan_similar(std::span<const Codes> queries, const Scoring& scoring, const SimilarRules& rules,
                                int shared_bytes) {
  SimilarPlan plan;
  const std::int64_t highest = scoring.highest();
  std::vector<std::size_t> order(queries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return queries[a].size() > queries[b].size(); });
  for (const std::size_t number : order) {
    const Codes query = queries[number];
    if (query.empty() || rules.count == 0) continue;  // it has no regions
    const auto length = static_cast<std::int64_t>(query.size());
    // The score of a path is at most highest * length.
    if (highest > 0 && highest * length < rules.minimum_score) continue;
    const std::int64_t bias = std::max<std::int64_t>(0, highest * (length - 1) - rules.minimum_score + 1);
    if (!fits_pair_table(scoring) || length > max_query_rows ||
        pair_table_bytes(rows_for(query.size()), scoring.symbols()) > shared_bytes ||
        bias + highest * length > Pair11::largest || rules.count > max_device_regions) {
      plan.on_host.push_back(number);
      continue;
    }
    plan.numbers.push_back(number);
    plan.queries.push_back(device_query(plan.codes.size(), query.size(), scoring, rules, rules.minimum_score));
    plan.codes.insert(plan.codes.end(), query.begin(), query.end());
  }
  return plan;
}

/// Queries in pairs, the longest first.
struct Pairing {
  struct Group {
    int rows = 0;                      // one of query_rows
    std::size_t first = 0, count = 0;  // range of the pairs
    std::int32_t lead = 0;             // that of the longest query
  };
  std::vector<QueryPair> pairs;
  std::vector<Group> groups;
};
inline Pairing pair_up(std::span<const DeviceQuery> queries, std::span<const std::int32_t> chosen) {
  Pairing pairing;
  const auto query = [&](std::size_t k) { return queries[static_cast<std::size_t>(chosen[k])]; };
  const auto rows_of = [&](std::size_t k) { return rows_for(static_cast<std::size_t>(query(k).length)); };
  for (std::size_t k = 0; k < chosen.size();) {
    const int rows = rows_of(k);
    QueryPair pair{{chosen[k], -1}};
    std::int32_t lead = query(k).overlap;
    ++k;
    if (k < chosen.size() && rows_of(k) == rows) {
      lead = std::max(lead, query(k).overlap);
      pair.query[1] = chosen[k++];
    }
    if (pairing.groups.empty() || pairing.groups.back().rows != rows)
      pairing.groups.push_back({rows, pairing.pairs.size(), 0, 0});
    pairing.groups.back().lead = std::max(pairing.groups.back().lead, lead);
    ++pairing.groups.back().count;
    pairing.pairs.push_back(pair);
  }
  return pairing;
}

/// Columns of a section, a multiple of 16: short enough for `threads` sections, but long compared with the lead.
inline std::int64_t region_section(std::int64_t columns, const Pairing::Group& group, std::int64_t threads) {
  const std::int64_t even = columns * static_cast<std::int64_t>(group.count) / std::max<std::int64_t>(threads, 1);
  return (std::clamp<std::int64_t>(even, std::max(group.lead, 128), std::max(group.lead, 1024)) + 15) / 16 * 16;
}

/// Converts a region to the result of locate_similar.
inline SimilarRegion to_region(const DeviceQuery& query, const ChosenRegion& chosen) {
  return {chosen.h - query.bias, chosen.column - chosen.span + 2, chosen.column + 1};
}

}  // namespace speedwell::ssca1
