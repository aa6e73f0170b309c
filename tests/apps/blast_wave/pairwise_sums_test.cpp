// Sums over tiles that are divided among ranks have the additions of one process.
#include "speedwell/apps/blast_wave/cpu/pairwise_sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace speedwell::blast_wave {
namespace {

constexpr std::size_t numbers = PairwiseSums::numbers;

// Values whose sum depends on the order of additions.
double value(std::int64_t tile, std::size_t c) {
  return std::sin(static_cast<double>(tile * 7 + 1)) * std::pow(10.0, static_cast<double>((tile + 3) % 7)) +
         static_cast<double>(c);
}

std::vector<double> in_pairs(std::int64_t tiles) {
  std::vector<double> level;
  for (std::int64_t t = 0; t < tiles; ++t)
    for (std::size_t c = 0; c < numbers; ++c) level.push_back(value(t, c));
  while (level.size() > numbers) {
    std::vector<double> next;
    for (std::size_t at = 0; at < level.size(); at += 2 * numbers)
      for (std::size_t c = 0; c < numbers; ++c)
        next.push_back(level[at + c] + (at + numbers + c < level.size() ? level[at + numbers + c] : 0.0));
    level = next;
  }
  return level;
}

std::vector<double> on_ranks(const std::vector<comm::Range>& ranges, std::size_t count) {
  const PairwiseSums sums(ranges);
  std::vector<double> all;
  for (std::size_t rank = 0; rank < ranges.size(); ++rank) {
    std::vector<double> tiles, sent(sums.slots() * count, NAN);
    for (std::int64_t t = ranges[rank].begin; t < ranges[rank].end; ++t)
      for (std::size_t c = 0; c < numbers; ++c) tiles.push_back(value(t, c));
    sums.reduce(static_cast<int>(rank), tiles, count, sent);
    all.insert(all.end(), sent.begin(), sent.end());
  }
  std::vector<double> result(count, NAN);
  sums.combine(all, count, result);
  return result;
}

TEST(PairwiseSums, HaveTheBitsOfOneProcessForEveryEvenDivision) {
  for (const std::int64_t tiles : {1, 2, 3, 5, 7, 8, 31, 64, 145, 1000}) {
    const std::vector<double> expected = in_pairs(tiles);
    for (const int ranks : {1, 2, 3, 4, 5, 6, 7, 16, 31}) {
      if (ranks > tiles) continue;
      std::vector<comm::Range> ranges;
      for (int r = 0; r < ranks; ++r) ranges.push_back(comm::part_of(tiles, ranks, r));
      for (const std::size_t count : {std::size_t{1}, std::size_t{3}, numbers}) {
        const std::vector<double> got = on_ranks(ranges, count);
        EXPECT_TRUE(std::equal(got.begin(), got.end(), expected.begin())) << tiles << " tiles, " << ranks << " ranks";
      }
    }
  }
}

TEST(PairwiseSums, HaveThemForEveryDivisionOfThirteenTilesAmongThree) {
  const std::vector<double> expected = in_pairs(13);
  for (std::int64_t a = 1; a < 12; ++a)
    for (std::int64_t b = a + 1; b < 13; ++b)
      EXPECT_EQ(on_ranks({{0, a}, {a, b}, {b, 13}}, numbers), expected) << a << ", " << b;
}

TEST(PairwiseSums, SendFewNumbers) {
  // At most two sums of each of the 17 levels.
  std::vector<comm::Range> ranges;
  for (int r = 0; r < 15; ++r) ranges.push_back(comm::part_of(65536, 15, r));
  EXPECT_LE(PairwiseSums(ranges).slots(), 2 * 17u);
}

}  // namespace
}  // namespace speedwell::blast_wave
