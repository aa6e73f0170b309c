// A cluster's tiles without a GPU: all threads of all blocks, one round after the other, against the oracle; and how
// often threads of a warp meet in a bank of shared memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>

#include "speedwell/numerics/fft/gpu/device/cube_tiles.hpp"
#include "speedwell/numerics/fft/gpu/tables.hpp"
#include "tests/numerics/fft/plan_cases.hpp"

namespace speedwell::fft::gpu {
namespace {

/// Registers of all threads of a cluster.
template <class T>
using Cluster = std::vector<std::array<std::array<Complex<T>, 16>, tile_threads>>;

template <class F>
void each_thread(int blocks, F f) {
  for (int block = 0; block < blocks; ++block)
    for (int thread = 0; thread < tile_threads; ++thread) f(block, thread);
}

template <class Tile, int q, class T>
void move_points(Cluster<T>& x) {
  using Map = TileMap<Tile>;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  std::vector<std::vector<Complex<T>>> shared(Map::blocks, std::vector<Complex<T>>(Map::shared_points, {nan, nan}));
  each_thread(Map::blocks, [&](int block, int thread) {
    for (int e = 0; e < 16; ++e) {
      const int address = Map::template thread_address<q>(thread, block) | Map::template register_address<q>(e);
      const int to = Map::template owner_block<q + 1>(address);
      EXPECT_TRUE(Map::crosses_blocks(q) || to == block);
      shared[to].at(Map::template shared_index<q + 1>(address)) = x[block][thread][e];
    }
  });
  each_thread(Map::blocks, [&](int block, int thread) {
    for (int e = 0; e < 16; ++e) {
      const int address = Map::template thread_address<q + 1>(thread, block) | Map::template register_address<q + 1>(e);
      ASSERT_EQ(Map::template owner_block<q + 1>(address), block);
      x[block][thread][e] = shared[block].at(Map::template shared_index<q + 1>(address));
    }
  });
}

/// Tile points as arrays of the extents of its axes, the first axis fastest.
template <class T, class Tile>
void expect_transformed(const Shape& shape) {
  using Map = TileMap<Tile>;
  const int points = tile_points * Map::blocks;
  const auto in = random_complex<T>(points, 5);
  const auto values = tile_table<T, Tile>();
  std::vector<Complex<T>> table;
  for (const auto z : values) table.push_back({z.real(), z.imag()});
  Cluster<T> x(Map::blocks);
  each_thread(Map::blocks, [&](int block, int thread) {
    for (int e = 0; e < 16; ++e) {
      const auto z = in[Map::template thread_address<0>(thread, block) | Map::template register_address<0>(e)];
      x[block][thread][e] = {z.real(), z.imag()};
    }
  });
  detail::each<Tile::rounds>([&]<int q>() {
    each_thread(Map::blocks, [&](int block, int thread) {
      auto& registers = *reinterpret_cast<Complex<T>(*)[16]>(x[block][thread].data());
      Map::template transform<q>(registers, Map::template thread_address<q>(thread, block), table.data());
    });
    if constexpr (q + 1 < Tile::rounds) move_points<Tile, q>(x);
  });
  std::vector<std::complex<T>> out(points);
  each_thread(Map::blocks, [&](int block, int thread) {
    for (int e = 0; e < 16; ++e) {
      constexpr int last = Tile::rounds - 1;
      const int a = Map::template thread_address<last>(thread, block) | Map::template register_address<last>(e);
      int index = Map::template frequency<0>(a) | Map::template frequency<1>(a) << Tile::axis_bit[1];
      if constexpr (std::size(Tile::axis_bit) > 2) index |= Map::template frequency<2>(a) << Tile::axis_bit[2];
      out[index] = {x[block][thread][e].re, x[block][thread][e].im};
    }
  });
  // Several adjacent columns are transformed independently; the lines of adjacent ones begin one element apart.
  const std::int64_t columns = shape.batch, size = points / columns;
  for (std::int64_t c = 0; c < columns; ++c) {
    std::vector<std::complex<T>> one, got;
    for (std::int64_t i = 0; i < size; ++i) one.push_back(in[i * columns + c]), got.push_back(out[i * columns + c]);
    EXPECT_LE(l2(transformed(extended(one), {shape.extents, 1}, false), got), bound<T>(size)) << "column " << c;
  }
}

TEST(FftClusterTile, TransformsLikeTheOracle) {
  expect_transformed<double, RowsTile>({{16, 256}, 1});
  expect_transformed<float, RowsTile>({{16, 256}, 1});
  expect_transformed<double, ColumnsTile>({{16, 256}, 8});
  expect_transformed<float, ColumnsTile>({{16, 256}, 8});
}

/// The maximum number of accesses to one bank of 16 bytes by eight threads at a time.
template <class Index>
int max_bank_accesses(Index index) {
  int max = 0;
  for (int e = 0; e < 16; ++e)
    for (int first = 0; first < tile_threads; first += 8) {
      std::array<int, 8> bank{};
      for (int thread = first; thread < first + 8; ++thread) max = std::max(max, ++bank[index(thread, e) % 8]);
    }
  return max;
}

template <class Tile>
void expect_no_conflicts() {
  using Map = TileMap<Tile>;
  detail::each<Tile::rounds - 1>([&]<int q>() {
    const auto at = []<int whose>(int thread, int e) {
      return Map::template shared_index<q + 1>(Map::template thread_address<whose>(thread, 0) |
                                               Map::template register_address<whose>(e));
    };
    EXPECT_EQ(max_bank_accesses([&](int thread, int e) { return at.template operator()<q>(thread, e); }), 1)
        << "written " << q;
    EXPECT_EQ(max_bank_accesses([&](int thread, int e) { return at.template operator()<q + 1>(thread, e); }), 1)
        << "read " << q;
  });
}

TEST(FftClusterTile, HasNoBankConflicts) {
  expect_no_conflicts<RowsTile>();
  expect_no_conflicts<ColumnsTile>();
}

// A warp writes to one block, and the warps of a block write at a time to different ones.
TEST(FftClusterTile, SpreadsWhatLeavesABlock) {
  using Map = TileMap<ColumnsTile>;
  constexpr int q = 1;
  static_assert(Map::crosses_blocks(q) && !Map::crosses_blocks(0));
  for (int e = 0; e < 16; ++e) {
    std::array<int, Map::blocks> warps{};
    for (int thread = 0; thread < tile_threads; ++thread) {
      const auto to = [&](int t) {
        return Map::owner_block<q + 1>(Map::thread_address<q>(t, 3) | Map::register_address<q>(e));
      };
      EXPECT_EQ(to(thread), to(thread & ~31));
      if (thread % 32 == 0) ++warps[to(thread)];
    }
    for (const int count : warps) EXPECT_EQ(count, 1);
  }
}

}  // namespace
}  // namespace speedwell::fft::gpu
