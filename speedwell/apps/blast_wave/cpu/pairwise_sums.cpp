#include "speedwell/apps/blast_wave/cpu/pairwise_sums.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

namespace speedwell::blast_wave {
namespace {

/// Visits the tree over `tiles` tiles from its leaves: keep(level, node, position in the range's sums of that level)
/// for each sum of the range that its partner, or nothing, is missing to; add(size) before the next level, where `size`
/// sums from position `begin` on are added in pairs.
template <class Keep, class Add>
void visit(comm::Range range, std::int64_t tiles, const Keep& keep, const Add& add) {
  for (int level = 0; range.size() > 0; ++level, tiles = (tiles + 1) / 2) {
    std::int64_t begin = 0;
    if (tiles == 1 || range.begin % 2 != 0) {
      keep(level, range.begin, std::int64_t{0});
      ++range.begin;
      begin = 1;
    }
    if (range.size() > 0 && range.end % 2 != 0 && range.end != tiles) {
      keep(level, range.end - 1, begin + range.size() - 1);
      --range.end;
    }
    add(begin, range.size());
    range = {range.begin / 2, range.begin / 2 + (range.size() + 1) / 2};
  }
}

}  // namespace

PairwiseSums::PairwiseSums(const std::vector<comm::Range>& ranges) : ranges_(ranges) {
  // The sums of each level by their node: the index of an operand of additions.
  std::vector<std::map<std::int64_t, std::size_t>> levels;
  std::vector<std::pair<std::size_t, std::size_t>> position;  // of first sums: rank and slot
  const std::int64_t tiles = ranges.back().end;
  for (std::size_t rank = 0; rank < ranges.size(); ++rank) {
    std::size_t slot = 0;
    visit(
        ranges[rank], tiles,
        [&](int level, std::int64_t node, std::int64_t) {
          levels.resize(std::max(levels.size(), static_cast<std::size_t>(level) + 1));
          levels[static_cast<std::size_t>(level)][node] = position.size();
          position.emplace_back(rank, slot++);
        },
        [](std::int64_t, std::int64_t) {});
    slots_ = std::max(slots_, slot);
  }
  for (const auto& [rank, slot] : position) first_.push_back(rank * slots_ + slot);
  std::int64_t nodes = tiles;
  for (std::size_t level = 0; nodes > 1; ++level, nodes = (nodes + 1) / 2) {
    levels.resize(std::max(levels.size(), level + 2));
    for (const auto& [node, operand] : levels[level]) {
      if (node % 2 != 0) continue;  // added with the node before it
      const auto partner = levels[level].find(node + 1);
      levels[level + 1][node / 2] = first_.size() + additions_.size();
      additions_.push_back({operand, partner == levels[level].end() ? none : partner->second});
    }
  }
}

void PairwiseSums::reduce(int rank, std::span<double> tiles, std::size_t count, std::span<double> sent) const {
  std::size_t slot = 0;
  visit(
      ranges_[static_cast<std::size_t>(rank)], ranges_.back().end,
      [&](int, std::int64_t, std::int64_t at) {
        std::copy_n(tiles.data() + static_cast<std::size_t>(at) * numbers, count, sent.data() + slot++ * count);
      },
      [&](std::int64_t begin, std::int64_t size) {
        const double* const from = tiles.data() + static_cast<std::size_t>(begin) * numbers;
        const auto n = static_cast<std::size_t>(size);
        for (std::size_t i = 0; i < (n + 1) / 2; ++i)
          for (std::size_t c = 0; c < count; ++c)
            tiles[i * numbers + c] =
                from[2 * i * numbers + c] + (2 * i + 1 < n ? from[(2 * i + 1) * numbers + c] : 0.0);
      });
}

void PairwiseSums::combine(std::span<const double> all, std::size_t count, std::span<double> result) const {
  std::vector<double> sums((first_.size() + additions_.size()) * count);
  for (std::size_t i = 0; i < first_.size(); ++i) std::copy_n(all.data() + first_[i] * count, count, &sums[i * count]);
  for (std::size_t i = 0; i < additions_.size(); ++i) {
    const auto [left, right] = additions_[i];
    for (std::size_t c = 0; c < count; ++c)
      sums[(first_.size() + i) * count + c] = sums[left * count + c] + (right == none ? 0.0 : sums[right * count + c]);
  }
  std::copy_n(sums.end() - static_cast<std::ptrdiff_t>(count), count, result.begin());
}

}  // namespace speedwell::blast_wave
