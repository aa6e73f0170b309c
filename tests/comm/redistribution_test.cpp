// Fields that move between decompositions arrive whole, in one piece and in several, on 1 to 8 ranks.
#include "speedwell/comm/redistribution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "tests/support/ranks.hpp"

namespace speedwell::comm {
namespace {

using test::ranks;

template <class Element>
std::vector<Element> numbered(const Tile& tile, const std::array<std::int64_t, 3>& extents) {
  std::vector<Element> values;
  for (std::int64_t i = tile.ranges[0].begin; i < tile.ranges[0].end; ++i)
    for (std::int64_t j = tile.ranges[1].begin; j < tile.ranges[1].end; ++j)
      for (std::int64_t k = tile.ranges[2].begin; k < tile.ranges[2].end; ++k)
        values.push_back(static_cast<Element>(static_cast<float>((i * extents[1] + j) * extents[2] + k)));
  return values;
}

template <class Element>
void expect_moved(const Decomposition& from, const Decomposition& to) {
  const auto& extents = from.box().extents;
  const Tile mine = from.tile(ranks().rank()), wanted = to.tile(ranks().rank());
  const std::vector<Element> source = numbered<Element>(mine, extents), expected = numbered<Element>(wanted, extents);
  for (const int axis : {0, 1, 2})
    for (const int pieces : {1, 3, 7}) {
      Redistribution<Element> move(ranks(), from, to, axis, pieces);
      std::vector<Element> got(expected.size(), Element(-1));
      for (int p = 0; p < move.pieces(); ++p) {
        move.start(p, std::span<const Element>(source));
        move.progress();
        // Only the points of the piece are read: the others may not be known yet.
        if (p > 0) move.finish(p - 1, std::span<Element>(got));
      }
      move.finish(move.pieces() - 1, std::span<Element>(got));
      EXPECT_EQ(got, expected) << from.text() << " to " << to.text() << ", axis " << axis << ", " << pieces;
      std::fill(got.begin(), got.end(), Element(-1));
      move.move(std::span<const Element>(source), std::span<Element>(got));
      EXPECT_EQ(got, expected);
    }
}

TEST(Redistribution, MovesBetweenSlabsPencilsAndBlocks) {
  const int n = ranks().size();
  const GlobalBox box{.extents = {17, 19, 23}, .periodic = {}, .halo = {}};
  std::vector<Decomposition> all{{n, box, {n, 1, 1}}, {n, box, {1, n, 1}}, {n, box, {1, 1, n}}, {n, box}};
  if (n % 2 == 0) {
    all.push_back({n, box, {2, n / 2, 1}});
    all.push_back({n, box, {1, 2, n / 2}});
  }
  for (const Decomposition& from : all)
    for (const Decomposition& to : all) {
      expect_moved<float>(from, to);
      expect_moved<std::complex<double>>(from, to);
    }
}

TEST(Redistribution, CollectsAFieldOnOneRankAndDealsItOut) {
  const GlobalBox box{.extents = {9, 8, 7}, .periodic = {}, .halo = {}};
  const Decomposition blocks(ranks().size(), box);
  std::vector<Tile> tiles, one(static_cast<std::size_t>(ranks().size()));
  for (int r = 0; r < ranks().size(); ++r) tiles.push_back(blocks.tile(r));
  one.back() = Tile{{Range{0, 9}, {0, 8}, {0, 7}}};
  const std::vector<double> mine = numbered<double>(tiles[static_cast<std::size_t>(ranks().rank())], box.extents);
  std::vector<double> whole(ranks().rank() == ranks().size() - 1 ? 9 * 8 * 7 : 0);
  Redistribution<double>(ranks(), tiles, one).move(std::span<const double>(mine), std::span<double>(whole));
  if (!whole.empty()) {
    EXPECT_EQ(whole, numbered<double>(one.back(), box.extents));
  }
  std::vector<double> again(mine.size());
  Redistribution<double>(ranks(), one, tiles, 2, 3).move(std::span<const double>(whole), std::span<double>(again));
  EXPECT_EQ(again, mine);
}

TEST(Redistribution, CountsWhatItSends) {
  const int n = ranks().size();
  const GlobalBox box{.extents = {8 * n, 8 * n, 4}, .periodic = {}, .halo = {}};
  Redistribution<double> move(ranks(), Decomposition(n, box, {n, 1, 1}), Decomposition(n, box, {1, n, 1}), 2, 4);
  EXPECT_EQ(move.sent_bytes(), 8 * 8 * 4 * (n - 1) * 8);
  EXPECT_EQ(move.piece(1), (Range{1, 2}));
}

TEST(Redistribution, RefusesOtherBoxesAndNumbers) {
  const int n = ranks().size();
  const GlobalBox box{.extents = {16, 16, 16}, .periodic = {}, .halo = {}},
      other{.extents = {16, 16, 15}, .periodic = {}, .halo = {}};
  EXPECT_THROW(Redistribution<float>(ranks(), Decomposition(n, box), Decomposition(n, other)), std::invalid_argument);
  EXPECT_THROW(Redistribution<float>(ranks(), Decomposition(n + 1, box), Decomposition(n, box)), std::invalid_argument);
  EXPECT_THROW(Redistribution<float>(ranks(), Decomposition(n, box), Decomposition(n, box), 3), std::invalid_argument);
  EXPECT_THROW(Redistribution<float>(ranks(), Decomposition(n, box), Decomposition(n, box), 0, 0),
               std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::comm
