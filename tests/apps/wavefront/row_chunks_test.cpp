// Row chunks against an enumeration of all cells, and plane groups that follow a preceding rank against the definition.
#include "speedwell/apps/wavefront/cpu/row_chunks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "speedwell/apps/wavefront/verify/reference.hpp"

namespace speedwell::wavefront {
namespace {

struct Random {
  std::mt19937_64 engine;
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(n)); }
};

TEST(WavefrontRowChunks, HaveEveryCellOnceAndInTime) {
  Random random{std::mt19937_64(3)};
  for (int round = 0; round < 1000; ++round) {
    const int lanes = 1 << (1 + random.below(4));
    const std::int64_t rows = 1 + random.below(70), cells = 1 + random.below(round % 2 ? 20 : 200);
    const std::int64_t length = 1 + random.below(round % 3 ? 100 : 1000);
    const RowChunks row_chunks(rows, cells, lanes, length);
    std::vector<int> seen(static_cast<std::size_t>(rows * cells));
    std::int64_t before = 0, most = 0;
    for (std::int64_t n = 0; n < row_chunks.count(); ++n) {
      const auto [of_rows, of_cells] = row_chunks[n];
      const std::int64_t end = row_chunks.end(n);
      most = std::max(most, of_rows.size() * of_cells.size());
      for (std::int64_t row = of_rows.begin; row < of_rows.end; ++row)
        for (std::int64_t k = of_cells.begin; k < of_cells.end; ++k) {
          ++seen[static_cast<std::size_t>(row * cells + k)];
          const std::int64_t step = row / lanes * common_group_period(cells, lanes) + k;
          EXPECT_TRUE(before <= step && step < end) << step << " in " << before << " to " << end;
        }
      before = end;
    }
    EXPECT_GE(before, row_chunks.steps());
    EXPECT_LT(before, row_chunks.steps() + row_chunks.length());
    EXPECT_EQ(most, row_chunks.max_cells());
    EXPECT_EQ(std::ranges::count(seen, 1), rows * cells)
        << rows << " rows of " << cells << " by " << length << ", " << lanes << " lanes";
  }
}

TEST(WavefrontRowChunks, AreDelayedByTheSlowestOfThem) {
  Random random{std::mt19937_64(5)};
  for (int round = 0; round < 300; ++round) {
    const std::int64_t rows = 1 + random.below(70), cells = 1 + random.below(200), lag = random.below(150);
    const RowChunks row_chunks(rows, cells, 1 << (1 + random.below(4)), 1 + random.below(300));
    std::int64_t most = 0;
    for (std::int64_t n = 0, begin = 0; n < row_chunks.count(); begin = row_chunks.end(n++)) {
      std::int64_t completing = n;
      while (row_chunks.end(completing) - lag < row_chunks.end(n)) ++completing;
      most = std::max(most, row_chunks.end(completing) - begin);
    }
    EXPECT_EQ(row_chunks.delay(lag), most);
  }
}

/// Provides the west inflow of a rank one row chunk at a time, NaN until then, and compares the part of the last plane
/// that is reported as complete with the definition.
template <class T>
void expect_followed(const Extents& extents, const Direction& direction, core::Isa isa, std::int64_t length,
                     std::uint64_t seed) {
  const Recurrence<T> recurrence;
  const GridOptions data{
      .extents = extents, .inflow = Inflow::random, .bits = std::numeric_limits<T>::digits, .seed = seed};
  Grid<T> got = make_grid<T>(data, recurrence.c), expected = make_grid<T>(data, recurrence.c);
  reference::sweep(expected, recurrence, direction);
  std::ranges::fill(got.planes.west.span(), std::numeric_limits<T>::quiet_NaN());

  const auto& [nx, ny, nz] = extents;
  const int lanes = kernels_of<T>(isa).lanes;
  const RowChunks row_chunks(ny, nz, lanes, length);
  const auto each_cell = [&](const RowChunks::Chunk& row_chunk, const auto& act) {
    for (std::int64_t row = row_chunk.rows.begin; row < row_chunk.rows.end; ++row)
      for (std::int64_t k = row_chunk.cells.begin; k < row_chunk.cells.end; ++k)
        act((direction.down_y ? ny - 1 - row : row) * nz + (direction.down_z ? nz - 1 - k : k));
  };
  const std::int64_t last_plane = direction.down_x ? 0 : (nx - 1) * ny * nz;
  RowChunkSweep<T> plane_groups(PlaneGroups<T>(got, recurrence, direction, isa));
  for (std::int64_t n = 0, complete = 0; complete < row_chunks.count(); ++n) {
    if (n < row_chunks.count())
      each_cell(row_chunks[n], [&](std::int64_t at) { got.planes.west.data()[at] = expected.planes.west.data()[at]; });
    const std::int64_t end = plane_groups.sweep_behind(row_chunks.end(n), [] {});
    ASSERT_GE(end, row_chunks.end(n) - rank_lag(nx, lanes));
    for (; complete < row_chunks.count() && row_chunks.end(complete) <= end; ++complete)
      each_cell(row_chunks[complete], [&](std::int64_t at) {
        ASSERT_EQ(got.cells.data()[last_plane + at], expected.cells.data()[last_plane + at]) << at;
      });
  }
  EXPECT_EQ(std::memcmp(expected.cells.data(), got.cells.data(), got.cells.bytes()), 0)
      << nx << " x " << ny << " x " << nz << " by " << length << " " << to_string(direction);
}

TEST(WavefrontRowChunks, PlaneGroupsFollowTheRankBefore) {
  Random random{std::mt19937_64(4)};
  const auto directions = all_directions();
  for (std::uint64_t round = 0; round < 96; ++round) {
    const Extents extents{1 + random.below(round % 2 ? 50 : 5), 1 + random.below(40), 1 + random.below(100)};
    const Direction& direction = directions[round % 8];
    const std::int64_t length = 1 + random.below(round % 3 ? 60 : 300);
    for (const core::Isa isa : {core::Isa::baseline, core::best_isa()}) {
      expect_followed<float>(extents, direction, isa, length, round);
      expect_followed<double>(extents, direction, isa, length, round);
    }
  }
}

}  // namespace
}  // namespace speedwell::wavefront
