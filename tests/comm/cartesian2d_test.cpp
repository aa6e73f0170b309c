// The division of a plane among ranks: whole, without overlap, balanced, and as square as the points are.
#include "speedwell/comm/cartesian2d.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

namespace speedwell::comm {
namespace {

TEST(PartOf, CoversEveryItemOnceInNearlyEqualParts) {
  for (const std::int64_t count : {0, 1, 2, 7, 16, 97})
    for (const int parts : {1, 2, 3, 5, 16}) {
      std::int64_t next = 0;
      for (int p = 0; p < parts; ++p) {
        const Range range = part_of(count, parts, p);
        EXPECT_EQ(range.begin, next);
        EXPECT_GE(range.size(), count / parts);
        EXPECT_LE(range.size(), (count + parts - 1) / parts);
        next = range.end;
      }
      EXPECT_EQ(next, count);
    }
}

TEST(PartOf, KnowsNoOverflow) {
  const Range last = part_of(std::int64_t{1} << 48, 1 << 20, (1 << 20) - 1);
  EXPECT_EQ(last.end, std::int64_t{1} << 48);
}

TEST(Cartesian2d, EveryPointHasOneRank) {
  for (const int ranks : {1, 2, 3, 4, 6, 7, 8, 12, 16})
    for (const std::int64_t nx : {16, 17, 40})
      for (const std::int64_t ny : {16, 19, 97}) {
        const Cartesian2d grid(ranks, nx, ny);
        EXPECT_EQ(grid.ranks(), ranks);
        std::vector<int> owners(static_cast<std::size_t>(nx * ny), 0);
        for (int r = 0; r < ranks; ++r) {
          EXPECT_EQ(grid.rank_at(grid.x_of(r), grid.y_of(r)), r);
          const Range x = grid.x_range(r), y = grid.y_range(r);
          EXPECT_GT(x.size() * y.size(), 0);
          for (std::int64_t i = x.begin; i < x.end; ++i)
            for (std::int64_t j = y.begin; j < y.end; ++j) ++owners[static_cast<std::size_t>(i * ny + j)];
        }
        EXPECT_TRUE(std::all_of(owners.begin(), owners.end(), [](int n) { return n == 1; }));
      }
}

TEST(Cartesian2d, BlocksAreAsSquareAsTheFactorsAllow) {
  struct Expected {
    int ranks;
    std::int64_t nx, ny;
    int px, py;
  };
  for (const auto& e : std::array<Expected, 7>{{{16, 640, 640, 4, 4},
                                                {16, 160, 161, 4, 4},
                                                {8, 100, 50, 4, 2},
                                                {8, 50, 100, 2, 4},
                                                {7, 100, 90, 1, 7},
                                                {6, 2, 97, 1, 6},
                                                {4, 1, 97, 1, 4}}}) {
    const Cartesian2d grid(e.ranks, e.nx, e.ny);
    EXPECT_EQ(grid.px(), e.px) << e.ranks << " over " << e.nx << " x " << e.ny;
    EXPECT_EQ(grid.py(), e.py);
  }
}

TEST(Cartesian2d, ThinPlanesLeaveNoRankWithoutPoints) {
  const Cartesian2d grid(6, 3, 2);
  EXPECT_EQ(grid.px(), 3);
  EXPECT_EQ(grid.py(), 2);
}

TEST(Cartesian2d, NeighboursEndAtTheEdges) {
  const Cartesian2d grid(6, 10, 10, 3);
  EXPECT_EQ(grid.py(), 2);
  EXPECT_EQ(grid.rank_at(0, 1), 1);
  EXPECT_EQ(grid.rank_at(2, 1), 5);
  EXPECT_EQ(grid.rank_at(-1, 0), std::nullopt);
  EXPECT_EQ(grid.rank_at(3, 0), std::nullopt);
  EXPECT_EQ(grid.rank_at(0, 2), std::nullopt);
}

TEST(Cartesian2d, RefusesWhatCannotBeDivided) {
  EXPECT_THROW(Cartesian2d(0, 4, 4), std::invalid_argument);
  EXPECT_THROW(Cartesian2d(1, 0, 4), std::invalid_argument);
  EXPECT_THROW(Cartesian2d(7, 6, 6), std::invalid_argument);  // 7 is prime
  EXPECT_THROW(Cartesian2d(9, 4, 2), std::invalid_argument);  // more ranks than points
  EXPECT_THROW(Cartesian2d(6, 9, 9, 4), std::invalid_argument);
  EXPECT_THROW(Cartesian2d(6, 9, 2, 1), std::invalid_argument);
  EXPECT_THROW(Cartesian2d(6, 9, 9, -1), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::comm
