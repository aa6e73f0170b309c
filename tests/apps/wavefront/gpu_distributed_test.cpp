// The sweep on several GPUs, which ranks may share, against the definition, bit by bit: shapes, directions, groups,
// tiles, precisions, loops and roundings; and faults in what passes from one GPU to the next.
#include "speedwell/apps/wavefront/gpu_distributed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/wavefront/adapter.hpp"
#include "speedwell/apps/wavefront/verify/reference.hpp"
#include "speedwell/apps/wavefront/verify/verify.hpp"
#include "tests/apps/device_ranks_lifecycle.hpp"
#include "tests/apps/wavefront/random_problems.hpp"
#include "tests/support/precisions.hpp"

namespace speedwell::wavefront {
namespace {

using test::is_root;
using test::ranks;

/// Every rank creates the whole grid, so that all of them can verify; only that of rank 0 is distributed.
template <class T>
void expect_same(const Extents& extents, const Recurrence<T>& recurrence, const Direction& direction,
                 const DistributedGpuOptions& options, std::uint64_t seed, int sweeps = 1) {
  const GridOptions data = random_grid<T>(extents, seed);
  const Grid<T> given = make_grid<T>(data, recurrence.c);
  const core::Stream stream;
  DistributedGpuSweep<T> distributed(ranks(), extents, recurrence, direction, options);
  distributed.scatter(is_root() ? &given : nullptr, stream);
  for (int n = 0; n < sweeps; ++n) distributed.sweep(stream);
  distributed.check(stream);
  Grid<T> got(extents);
  distributed.gather(got.cells.span(), stream);
  ranks().broadcast(got.cells.span());
  Grid<T> expected = make_grid<T>(data, recurrence.c);
  for (int n = 0; n < sweeps; ++n) reference::sweep(expected, recurrence, direction);
  EXPECT_EQ(std::memcmp(expected.cells.data(), got.cells.data(), got.cells.bytes()), 0)
      << extents.nx << " x " << extents.ny << " x " << extents.nz << " " << to_string(direction) << " loops "
      << recurrence.loops << " planes " << options.tiles.planes << " cells " << options.tiles.cells << " blocks "
      << options.tiles.blocks << " group " << options.group << " on " << ranks().size() << " ranks, " << sweeps
      << " sweeps";
  EXPECT_GE(distributed.exchange_seconds(), 0);
}

template <class T>
class WavefrontGpus : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
  }
};
TYPED_TEST_SUITE(WavefrontGpus, test::Precisions);

template <class T>
void random_problems(std::uint64_t rounds, std::int64_t longest) {
  RandomProblems random(13);
  const auto below = [&](std::int64_t n) { return random.below(n); };
  const auto directions = all_directions();
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const auto recurrence = random.recurrence<T>();
    const Extents extents{1 + below(round % 2 ? 2 * longest : 9), 1 + below(round % 3 ? longest : 5),
                          1 + below(round % 5 ? longest : 3)};
    DistributedGpuOptions options;
    options.tiles.planes = static_cast<int>(below(17));
    options.tiles.cells = random.one_of(std::array{0, 1, 2, sizeof(T) == 4 ? 4 : 2});
    options.tiles.blocks = static_cast<int>(below(3)) * 3;
    options.group = static_cast<std::int32_t>(below(4));
    expect_same<T>(extents, recurrence, random.one_of(directions), options, round, 1 + static_cast<int>(below(3)));
  }
}

TYPED_TEST(WavefrontGpus, RandomProblems) { random_problems<TypeParam>(10, 40); }
TYPED_TEST(WavefrontGpus, RandomProblemsLong) { random_problems<TypeParam>(150, 97); }

TYPED_TEST(WavefrontGpus, EveryDirectionAndGroup) {
  for (const Direction& direction : all_directions())
    for (const int group : {1, 2, 3}) {
      DistributedGpuOptions options{.group = group};
      options.tiles.planes = 4;
      expect_same<TypeParam>({61, 70, 36}, {}, direction, options, 1);
    }
}

TYPED_TEST(WavefrontGpus, MayHaveFewerTilesThanRanks) {
  expect_same<TypeParam>({1, 1, 1}, {}, {}, {}, 1, 2);
  expect_same<TypeParam>({17, 40, 33}, {}, {.down_x = true}, {}, 2, 2);
  expect_same<TypeParam>({3, 70, 12}, {.loops = 1}, {.down_y = true}, {}, 4);
}

TYPED_TEST(WavefrontGpus, OneBlockOnEachCompletesTheSweep) {
  for (const int group : {1, 4}) {
    DistributedGpuOptions options{.group = group};
    options.tiles.planes = 2;
    options.tiles.blocks = 1;
    expect_same<TypeParam>({50, 100, 40}, {}, {}, options, 5, 2);
  }
}

TYPED_TEST(WavefrontGpus, SweepsFollowEachOtherWithoutTheHost) {
  DistributedGpuOptions options{.group = 1};
  options.tiles.planes = 8;
  expect_same<TypeParam>({80, 64, 64}, {}, {}, options, 7, 12);
}

TEST(WavefrontGpusFaults, AMissingFaceEndsTheSweep) {
  if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
  if (ranks().size() == 1) GTEST_SKIP() << "no faces of another GPU";
  const core::Stream stream;
  DistributedGpuOptions options{.group = 1};
  options.tiles.planes = 4;
  options.tiles.timeout = 1;
  if (is_root()) options.tiles.withheld_tile = 0;
  const Extents extents{4 * ranks().size(), 32, 64};
  const Grid<float> grid = make_grid<float>({.extents = extents, .bits = 24});
  DistributedGpuSweep<float> distributed(ranks(), extents, {}, {}, options);
  distributed.scatter(is_root() ? &grid : nullptr, stream);
  distributed.sweep(stream);
  std::int64_t aborted = 0;
  try {
    distributed.check(stream);
  } catch (const core::DeviceError&) {
    aborted = 1;
  }
  if (is_root()) {
    EXPECT_EQ(aborted, 0) << "it waits for none";
  }
  EXPECT_GE(ranks().reduce(aborted, comm::Reduction::sum), 1) << "the second rank, and perhaps those that wait for it";
}

// The first rank keeps its face to itself, in whose place the second one finds zeros.
TEST(WavefrontGpusFaults, AWrongFaceIsFound) {
  if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
  if (ranks().size() == 1) GTEST_SKIP() << "no faces of another GPU";
  const core::Stream stream;
  DistributedGpuOptions options{.group = 1};
  options.tiles.planes = 4;
  if (is_root()) options.tiles.withheld_tile = 0;
  const Extents extents{4 * ranks().size(), 32, 64};
  const Grid<double> grid = make_grid<double>({.extents = extents, .bits = 53});
  DistributedGpuSweep<double> distributed(ranks(), extents, {}, {}, options);
  distributed.scatter(is_root() ? &grid : nullptr, stream);
  if (ranks().rank() == 1)
    core::check(cudaMemset(distributed.device_faces().data(), 0, distributed.device_faces().size_bytes()));
  core::check(cudaDeviceSynchronize());
  distributed.sweep(stream);
  distributed.check(stream);
  Grid<double> got(extents);
  distributed.gather(got.cells.span(), stream);
  if (!is_root()) return;
  Grid<double> expected = make_grid<double>({.extents = extents, .bits = 53});
  reference::sweep<double>(expected, {}, {});
  EXPECT_FALSE(verify<double>(extents, expected.cells.span(), got.cells.span()).passed);
  const std::size_t own = 4 * 32 * 64 * sizeof(double);
  EXPECT_EQ(std::memcmp(expected.cells.data(), got.cells.data(), own), 0) << "the planes of the first rank are right";
}

// Prints the time of every kind of tile and group. SPEEDWELL_TEST_LENGTH=640 for the sizes that are measured.
TYPED_TEST(WavefrontGpus, SpeedLarge) {
  const char* given = std::getenv("SPEEDWELL_TEST_LENGTH");
  const std::int64_t n = given ? std::strtoll(given, nullptr, 10) : 96;
  const core::Stream stream;
  for (const int planes : {8, 16})
    for (int cells = 2; cells <= static_cast<int>(16 / sizeof(TypeParam)); cells *= 2)
      for (const int group : {0, 1, 2, 4, 8, 20}) {
        DistributedGpuOptions options{.group = group};
        options.tiles.planes = planes;
        options.tiles.cells = cells;
        DistributedGpuSweep<TypeParam> solver(ranks(), {n, n, n}, {}, {}, options);
        solver.clear(stream);
        double least = 1e9;
        for (int sweep = 0; sweep < 12; ++sweep) {
          stream.synchronize();
          ranks().barrier();
          const auto begin = std::chrono::steady_clock::now();
          solver.sweep(stream);
          stream.synchronize();
          const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
          least = std::min(least, ranks().reduce(seconds.count(), comm::Reduction::maximum));
        }
        solver.check(stream);
        if (is_root())
          std::printf("%lld^3, %zu bytes, %d planes, %d cells, group %d (%s): %.1f us\n", static_cast<long long>(n),
                      sizeof(TypeParam), planes, cells, group, solver.choices().back().second.c_str(), least * 1e6);
      }
}

TEST(WavefrontGpusRefuse, WhatIsNotPossible) {
  if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
  EXPECT_THROW(DistributedGpuSweep<float>(ranks(), {0, 4, 4}), std::invalid_argument);
  EXPECT_THROW(DistributedGpuSweep<float>(ranks(), {4, 4, 4}, {.c = 0}), std::invalid_argument);
  EXPECT_THROW(DistributedGpuSweep<float>(ranks(), {1, 1, (std::int64_t{1} << 30) + 1}), std::invalid_argument);
  EXPECT_THROW(DistributedGpuSweep<float>(ranks(), {4, 4, 4}, {}, {}, {.group = -1}), std::invalid_argument);
}

TEST(WavefrontGpusApplication, VerifiesTheProblemsOfItsSmallestSize) {
  if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
  harness::Application app = application();
  harness::bind_variants(app, multi_runs());
  const std::string single = "f32", both = "f64", random = "random";
  for (const std::string& precision : {single, both})
    for (const std::int64_t loops : {0, 5})
      for (const std::int64_t n : {8, 40, 100}) {
        const harness::Problem problem = harness::problem_with(
            app, {{"n", n}, {"nz", std::int64_t{57}}, {"loops", loops}, {"precision", precision}, {"inflow", random}});
        const auto run = harness::completed_run_on_ranks(app, harness::row(app, "multi"), problem);
        if (!is_root()) continue;
        EXPECT_TRUE(run->verify().passed) << n << " " << precision << " loops " << loops;
      }
}

}  // namespace
}  // namespace speedwell::wavefront
