// Every GPU variant against the definition, bit for bit: shapes, directions, precisions, loops, blocks and tiles.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

#include "speedwell/apps/wavefront/gpu_solver.hpp"
#include "speedwell/apps/wavefront/ladder.hpp"
#include "speedwell/apps/wavefront/verify/reference.hpp"
#include "speedwell/apps/wavefront/wavefront.hpp"
#include "tests/apps/wavefront/random_problems.hpp"
#include "tests/support/precisions.hpp"

namespace speedwell::wavefront {
namespace {

template <class T>
Grid<T> data(const Extents& extents, std::uint64_t seed, T c) {
  return make_grid<T>(random_grid<T>(extents, seed), c);
}

template <class T>
void expect_same(const Grid<T>& expected, const Grid<T>& given, const Recurrence<T>& recurrence,
                 const Direction& direction, std::string_view step, const GpuOptions& options) {
  const core::Stream stream;
  GpuSolver<T> solver(given.extents, recurrence, direction, step, options);
  core::HostBuffer<T> got(given.cells.size());
  for (int times = 0; times < 2; ++times) {
    solver.upload(given, stream);
    solver.run(stream);
    solver.finish(stream);
  }
  solver.download(got.span(), stream);
  std::size_t wrong = 0, first = 0;
  for (std::size_t n = got.size(); n-- > 0;)
    if (std::memcmp(&got[n], &expected.cells[n], sizeof(T)) != 0) ++wrong, first = n;
  const Extents& e = given.extents;
  EXPECT_EQ(wrong, 0u) << step << " " << e.nx << " x " << e.ny << " x " << e.nz << " " << to_string(direction)
                       << " loops " << recurrence.loops << " block " << options.block << " planes "
                       << options.tiles.planes << " cells " << options.tiles.cells << " blocks " << options.tiles.blocks
                       << ": first at " << first / static_cast<std::size_t>(e.ny * e.nz) << ", "
                       << first / static_cast<std::size_t>(e.nz) % static_cast<std::size_t>(e.ny) << ", "
                       << first % static_cast<std::size_t>(e.nz);
}

template <class T>
class WavefrontGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!core::have_device()) GTEST_SKIP() << "no GPU";
  }
};
TYPED_TEST_SUITE(WavefrontGpu, test::Precisions);

template <class T>
void random_problems(std::uint64_t rounds, std::int64_t longest) {
  RandomProblems random(11);
  const auto below = [&](std::int64_t n) { return random.below(n); };
  const auto directions = all_directions();
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const auto recurrence = random.recurrence<T>();
    const Extents extents{1 + below(round % 2 ? longest : 9), 1 + below(round % 3 ? longest : 5),
                          1 + below(round % 5 ? longest : 3)};
    const Direction direction = random.one_of(directions);
    const Grid<T> given = data<T>(extents, round, recurrence.c);
    Grid<T> expected = data<T>(extents, round, recurrence.c);
    reference::sweep(expected, recurrence, direction);
    GpuOptions options{.block = 8 << below(3)};
    options.tiles.planes = static_cast<int>(below(17));
    options.tiles.cells = random.one_of(std::array{0, 1, 2, sizeof(T) == 4 ? 4 : 2});
    options.tiles.blocks = static_cast<int>(below(3)) * 3;
    for (const Step& step : steps) expect_same(expected, given, recurrence, direction, step.name, options);
  }
}

TYPED_TEST(WavefrontGpu, RandomProblemsLong) { random_problems<TypeParam>(250, 97); }
TYPED_TEST(WavefrontGpu, RandomProblems) { random_problems<TypeParam>(12, 40); }

TYPED_TEST(WavefrontGpu, ExtentsAroundTilesAndLinesLong) {
  for (const std::int64_t nx : {1, 15, 16, 17, 33})
    for (const std::int64_t ny : {1, 31, 32, 33, 65})
      for (const std::int64_t nz : {1, 4, 31, 32, 33, 60, 64, 132}) {
        const Direction direction{.down_x = nx % 2 == 0, .down_y = ny % 3 == 0, .down_z = nz % 8 == 0};
        const auto seed = static_cast<std::uint64_t>(nx + ny + nz);
        const Grid<TypeParam> given = data<TypeParam>({nx, ny, nz}, seed, 1);
        Grid<TypeParam> expected = data<TypeParam>({nx, ny, nz}, seed, 1);
        reference::sweep<TypeParam>(expected, {}, direction);
        for (const int cells : {1, 2, static_cast<int>(16 / sizeof(TypeParam))})
          expect_same<TypeParam>(expected, given, {}, direction, "cuda",
                                 {.tiles = {.cells = cells, .blocks = nz % 3 == 0 ? 1 : 0}});
      }
}

TYPED_TEST(WavefrontGpu, FewerBlocksThanTiles) {
  const Extents extents{18, 100, 40};
  const Grid<TypeParam> given = data<TypeParam>(extents, 5, 1);
  Grid<TypeParam> expected = data<TypeParam>(extents, 5, 1);
  reference::sweep<TypeParam>(expected, {}, {});
  for (const int blocks : {1, 2, 3, 7, 1000})
    expect_same<TypeParam>(expected, given, {}, {}, "cuda", {.tiles = {.planes = 4, .blocks = blocks}});
}

// Values one of whose words, but not the upper one, equals empty_bits.
TEST(WavefrontGpuFaces, ALowerWordOfAllOnesIsAValue) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const Extents extents{40, 70, 33};
  Grid<double> given = make_grid<double>({.extents = extents, .bits = 53});
  std::fill_n(given.cells.data(), given.cells.size(), 0.0);
  given.cells[0] = std::bit_cast<double>(std::uint64_t{0x3fd00000ffffffff});  // propagates unchanged along each axis
  Grid<double> expected = make_grid<double>({.extents = extents, .bits = 53});
  std::copy_n(given.cells.data(), given.cells.size(), expected.cells.data());
  reference::sweep<double>(expected, {}, {});
  ASSERT_EQ(expected.cells[39 * 70 * 33], given.cells[0]);
  ASSERT_EQ(expected.cells[69 * 33], given.cells[0]);
  for (const int cells : {1, 2}) expect_same<double>(expected, given, {}, {}, "cuda", {.tiles = {.cells = cells}});
}

// Memory filled with ones is a NaN whose bits are those of an empty value of a face.
TYPED_TEST(WavefrontGpu, AnInflowOfNaNsOfOnesOnlyReachesTheCellsBehindIt) {
  using T = TypeParam;
  const Extents extents{40, 70, 33};
  T ones;
  std::memset(&ones, 0xff, sizeof(ones));
  for (const bool west : {true, false}) {
    const auto with_ones = [&] {
      Grid<T> grid = data<T>(extents, 3, T(1));
      (west ? grid.planes.west : grid.planes.north)[5 * 33 + 7] = ones;
      return grid;
    };
    const Grid<T> given = with_ones();
    Grid<T> expected = with_ones();
    reference::sweep<T>(expected, {}, {});
    const core::Stream stream;
    GpuSolver<T> solver(extents, {}, {}, "cuda", {});
    core::HostBuffer<T> got(given.cells.size());
    solver.upload(given, stream);
    solver.run(stream);
    solver.finish(stream);
    solver.download(got.span(), stream);
    std::size_t wrong = 0, nan = 0;
    for (std::size_t n = 0; n < got.size(); ++n) {
      nan += std::isnan(expected.cells[n]) ? 1 : 0;
      wrong += std::isnan(expected.cells[n]) ? !std::isnan(got[n]) : got[n] != expected.cells[n];
    }
    EXPECT_GT(nan, 0u);
    EXPECT_LT(nan, got.size());
    EXPECT_EQ(wrong, 0u) << (west ? "west" : "north");
  }
}

TEST(WavefrontGpuChecksums, PublishedOnesLarge) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const core::Stream stream;
  const auto sum = [&](auto zero, const GridOptions& options, std::int64_t loops, const char* step) {
    using T = decltype(zero);
    Grid<T> grid = make_grid<T>(options);
    GpuSolver<T> solver(options.extents, {.loops = loops}, {}, step);
    solver.upload(grid, stream);
    solver.run(stream);
    solver.finish(stream);
    solver.download(grid.cells.span(), stream);
    return checksum(grid.cells);
  };
  for (const Step& step : steps) {
    EXPECT_EQ(sum(1.0, {.extents = {160, 160, 160}, .inflow = Inflow::random, .bits = 50}, 0, step.name.data()),
              0x154b14adf35f6255u)
        << step.name;
    EXPECT_EQ(sum(1.0f, {.extents = {320, 320, 320}, .bits = 22}, 0, step.name.data()), 0xf7784524577bfd4du)
        << step.name;
    EXPECT_EQ(sum(1.0, {.extents = {320, 320, 320}}, 1, step.name.data()), 0x5d49257621c73130u) << step.name;
    EXPECT_EQ(sum(1.0f, {.extents = {160, 160, 160}, .bits = 24}, 10, step.name.data()), 0x6750bcd6a72ebe3bu)
        << step.name;
  }
}

TEST(WavefrontGpuFailure, AMissingReleaseEndsTheSweep) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const core::Stream stream;
  const Grid<float> grid = make_grid<float>({.extents = {64, 128, 64}, .bits = 24});
  GpuSolver<float> solver(grid.extents, {}, {}, "cuda", {.tiles = {.planes = 8, .timeout = 0.5, .withheld_tile = 3}});
  solver.upload(grid, stream);
  const auto begin = std::chrono::steady_clock::now();
  solver.run(stream);
  EXPECT_THROW(solver.finish(stream), core::DeviceError);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(WavefrontGpuRefuses, WhatIsNotPossible) {
  EXPECT_THROW(GpuSolver<float>({4, 4, 4}, {}, {}, "cuda-none"), std::invalid_argument);
  EXPECT_THROW(GpuSolver<float>({4, 4, 4}, {.c = 0}, {}, "cuda"), std::invalid_argument);
  EXPECT_THROW(GpuSolver<float>({0, 4, 4}, {}, {}, "cuda"), std::invalid_argument);
  EXPECT_THROW(GpuSolver<float>({1, 1, (std::int64_t{1} << 30) + 1}, {}, {}, "cuda"), std::invalid_argument);
  EXPECT_THROW(GpuSolver<float>({4, 4, 4}, {}, {}, "cuda-shared", {.block = 12}), std::invalid_argument);
  EXPECT_THROW(GpuSolver<double>({4, 4, 4}, {}, {}, "cuda", {.tiles = {.cells = 4}}), std::invalid_argument);
  EXPECT_THROW(GpuSolver<double>({4, 4, 4}, {}, {}, "cuda", {.tiles = {.planes = 17}}), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::wavefront
