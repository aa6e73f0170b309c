// Decisions of GpuStars before it runs: the sets that it computes, and the layout of their memory. Host code only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/ssca1/gpu/kernel5_centers.hpp"
#include "speedwell/apps/ssca1/ssca1.hpp"

namespace speedwell::ssca1 {

struct StarsPlan {
  std::vector<StarSet> sets;
  std::vector<std::size_t> numbers;  // the number of each of these sets
  std::vector<std::size_t> on_host;
  std::vector<StarMember> members;
  std::vector<std::uint8_t> symbols;
  std::vector<std::int32_t> differences;
  std::int64_t positions = 0, cells = 0;
  std::int64_t max_rows = 0;  // maximum number of symbols in all rows
};

/// `max_cells`: the limit for all sets together; further sets are computed on the host.
inline StarsPlan plan_stars(std::span<const Members> sets, std::span<const Differences> differences,
                            std::int64_t max_cells) {
  if (sets.size() != differences.size())
    throw std::invalid_argument(std::to_string(differences.size()) + " tables of differences for " +
                                std::to_string(sets.size()) + " sets");
  StarsPlan plan;
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const std::int64_t k = std::ssize(sets[s]);
    if (differences[s].members != sets[s].size() || std::ssize(differences[s].upper) != k * (k - 1) / 2)
      throw std::invalid_argument("differences of " + std::to_string(differences[s].members) +
                                  " members for a set of " + std::to_string(k));
    if (k < 2) continue;
    std::int64_t longest = 0, symbols = 0;
    bool two_bits = true;
    for (const auto& member : sets[s]) {
      longest = std::max(longest, std::ssize(member));
      symbols += std::ssize(member);
      two_bits &= std::all_of(member.begin(), member.end(), [](std::uint8_t symbol) { return symbol < 4; });
    }
    // The first two conditions prevent an overflow of the product in the third.
    if (!two_bits || longest >= (1 << 15) || k >= (1 << 15) || plan.cells + star_cells(longest, k) > max_cells) {
      plan.on_host.push_back(s);
      continue;
    }
    plan.numbers.push_back(s);
    plan.sets.push_back({.first_member = std::ssize(plan.members),
                         .first_pair = std::ssize(plan.differences),
                         .first_position = plan.positions,
                         .first_cell = plan.cells,
                         .members = static_cast<std::int32_t>(k),
                         .longest = static_cast<std::int32_t>(longest)});
    plan.positions += star_positions(longest, k);
    plan.cells += star_cells(longest, k);
    plan.max_rows += k * symbols;  // every symbol in a column of its own
    for (const auto& member : sets[s]) {
      plan.members.push_back({std::ssize(plan.symbols), static_cast<std::int32_t>(member.size())});
      plan.symbols.insert(plan.symbols.end(), member.begin(), member.end());
    }
    plan.differences.insert(plan.differences.end(), differences[s].upper.begin(), differences[s].upper.end());
  }
  return plan;
}

/// Converts an alignment to the result of align_star. `order` and `rows` are those of the set.
inline StarAlignment to_star(const StarFound& found, const StarSet& set, const std::int32_t* order,
                             const std::uint8_t* rows) {
  StarAlignment star;
  star.sum_of_pairs = found.sum_of_pairs;
  for (std::int32_t r = 0; r < set.members; ++r) {
    star.order.push_back(static_cast<std::size_t>(order[r]));
    std::vector<std::int16_t>& row = star.rows.emplace_back(static_cast<std::size_t>(found.columns));
    const std::uint8_t* const from = rows + std::int64_t{r} * found.columns;
    std::transform(from, from + found.columns, row.begin(), [](std::uint8_t symbol) {
      return symbol == device_space ? space_symbol : static_cast<std::int16_t>(symbol);
    });
  }
  return star;
}

}  // namespace speedwell::ssca1
