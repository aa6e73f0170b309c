// The division of a box among ranks: whole, without overlap, balanced, and with the smallest halo that the factors
// allow.
#include "speedwell/comm/decomposition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

namespace speedwell::comm {
namespace {

using Grid = std::array<int, 3>;

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

TEST(PartOf, DoesNotOverflow) {
  const Range last = part_of(std::int64_t{1} << 48, 1 << 20, (1 << 20) - 1);
  EXPECT_EQ(last.end, std::int64_t{1} << 48);
}

TEST(Decomposition, EveryPointHasOneRank) {
  for (const int ranks : {1, 2, 3, 4, 6, 7, 8, 12, 16})
    for (const std::array<std::int64_t, 3> extents :
         {std::array<std::int64_t, 3>{16, 17, 5}, {40, 1, 1}, {1, 19, 7}, {5, 16, 1}}) {
      const Decomposition grid(ranks, {.extents = extents, .periodic = {}, .halo = {}});
      EXPECT_EQ(grid.ranks(), ranks);
      std::vector<int> owners(static_cast<std::size_t>(extents[0] * extents[1] * extents[2]), 0);
      for (int r = 0; r < ranks; ++r) {
        const Tile tile = grid.tile(r);
        EXPECT_GT(tile.size(), 0);
        for (std::int64_t i = tile.ranges[0].begin; i < tile.ranges[0].end; ++i)
          for (std::int64_t j = tile.ranges[1].begin; j < tile.ranges[1].end; ++j)
            for (std::int64_t k = tile.ranges[2].begin; k < tile.ranges[2].end; ++k)
              ++owners[static_cast<std::size_t>((i * extents[1] + j) * extents[2] + k)];
      }
      EXPECT_TRUE(std::all_of(owners.begin(), owners.end(), [](int n) { return n == 1; }))
          << ranks << " ranks, " << extents[0] << " x " << extents[1] << " x " << extents[2];
    }
}

TEST(Decomposition, ChoosesTheSmallestTilesWithTheirHalo) {
  struct Expected {
    int ranks;
    GlobalBox box;
    Grid grid;
  };
  const std::array<bool, 3> open{}, periodic{true, true, true};
  for (const auto& [ranks, box, grid] : std::vector<Expected>{
           {16, {{640, 640, 1}, open, {1, 1, 0}}, {4, 4, 1}},
           {8, {{100, 50, 1}, open, {1, 1, 0}}, {4, 2, 1}},
           {8, {{50, 100, 1}, open, {1, 1, 0}}, {2, 4, 1}},
           {7, {{100, 90, 1}, open, {1, 1, 0}}, {1, 7, 1}},  // parts of 13, not of 15
           {6, {{2, 97, 1}, open, {1, 1, 0}}, {1, 6, 1}},
           {4, {{1, 97, 1}, open, {1, 1, 0}}, {1, 4, 1}},
           {8, {{64, 64, 64}, periodic, {1, 1, 1}}, {4, 2, 1}},  // faces of as many points as 2 x 2 x 2, fewer edges
           {2, {{64, 64, 64}, periodic, {1, 1, 1}}, {2, 1, 1}},  // of equal ones the contiguous faces
           {4, {{64, 64, 64}, periodic, {1, 1, 1}}, {4, 1, 1}},
           {27, {{64, 64, 64}, periodic, {1, 1, 1}}, {3, 3, 3}},
           {64, {{512, 512, 512}, periodic, {1, 1, 1}}, {4, 4, 4}},
           {12, {{24, 48, 24}, open, {2, 2, 2}}, {2, 3, 2}},
           {5, {{10, 9, 8}, periodic, {1, 1, 1}}, {5, 1, 1}},
           {3, {{64, 64, 64}, periodic, {0, 0, 0}}, {3, 1, 1}},
       }) {
    const Decomposition chosen(ranks, box);
    EXPECT_EQ(chosen.grid(), grid) << ranks << " ranks: " << chosen.text();
  }
}

TEST(Decomposition, KeepsWhatTheUserChooses) {
  const GlobalBox box{.extents = {64, 64, 64}, .periodic = {}, .halo = {1, 1, 1}};
  EXPECT_EQ(Decomposition(8, box, {1, 1, 8}).grid(), (Grid{1, 1, 8}));
  EXPECT_EQ(Decomposition(8, box, {0, 1, 0}).grid()[1], 1);
  EXPECT_EQ(Decomposition(8, box, {0, 4, 0}).grid()[1], 4);
}

TEST(Decomposition, NeighborsEndAtTheEndsAndGoRoundPeriodicAxes) {
  const Decomposition grid(12, {.extents = {8, 9, 10}, .periodic = {false, true, true}, .halo = {1, 1, 1}}, {2, 3, 2});
  EXPECT_EQ(grid.position(0), (Grid{0, 0, 0}));
  EXPECT_EQ(grid.position(7), (Grid{1, 0, 1}));
  EXPECT_EQ(grid.neighbor(0, {1, 0, 0}), 6);
  EXPECT_EQ(grid.neighbor(0, {-1, 0, 0}), std::nullopt);
  EXPECT_EQ(grid.neighbor(0, {0, -1, 0}), 4);
  EXPECT_EQ(grid.neighbor(0, {0, 0, -1}), 1);
  EXPECT_EQ(grid.neighbor(0, {0, 0, 1}), 1);
  EXPECT_EQ(grid.neighbor(11, {-1, 1, 1}), 0);
  const Decomposition one(1, {.extents = {4, 4, 4}, .periodic = {true, false, true}, .halo = {1, 1, 1}});
  EXPECT_EQ(one.neighbor(0, {1, 0, -1}), 0);
  EXPECT_EQ(one.neighbor(0, {0, 1, 0}), std::nullopt);
}

std::string refusal(int ranks, const GlobalBox& box, const Grid& grid = {}) {
  try {
    return "accepted as " + Decomposition(ranks, box, grid).text();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
}

TEST(Decomposition, RefusesWhatCannotBeDivided) {
  const auto box = [](std::int64_t n0, std::int64_t n1, std::int64_t n2, int halo) {
    return GlobalBox{.extents = {n0, n1, n2}, .periodic = {}, .halo = {halo, halo, halo}};
  };
  EXPECT_EQ(refusal(7, box(3, 3, 3, 0)), "7 ranks over 3 x 3 x 3 points: some tile would have no points");
  EXPECT_EQ(refusal(4, box(7, 7, 7, 4)),
            "4 ranks over 7 x 7 x 7 points: some tile would have no points, or fewer than its halo of 4 x 4 x 4");
  EXPECT_EQ(
      refusal(4, box(8, 8, 8, 1), {3, 0, 0}),
      "4 ranks over 8 x 8 x 8 points in a grid of 3 x 0 x 0 (0: any): the product of the grid is the number of ranks");
  EXPECT_EQ(refusal(4, box(8, 3, 8, 1), {1, 4, 1}),
            "4 ranks over 8 x 3 x 8 points in a grid of 1 x 4 x 1 (0: any): some tile would have no points");
  EXPECT_EQ(refusal(0, box(8, 8, 8, 1)), "0 ranks over 8 x 8 x 8 points: at least one rank");
  EXPECT_EQ(refusal(1, box(8, 0, 8, 1)), "1 rank over 8 x 0 x 8 points: at least one point along each axis");
}

}  // namespace
}  // namespace speedwell::comm
