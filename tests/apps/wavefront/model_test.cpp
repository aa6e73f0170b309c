// The pipeline model against a simulation that follows every chunk, and against known properties of pipelines.
#include "speedwell/apps/wavefront/model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

namespace speedwell::wavefront::model {
namespace {

struct Random {
  std::mt19937_64 engine;
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(n)); }
  double real(double most) { return most * static_cast<double>(below(1000)) / 1000; }
};

/// Simulates every chunk of every rank: it begins when the preceding one is finished and both faces have arrived.
double simulated_pipeline(const Extents& e, const Decomposition& how, int element_bytes, const BlockTime& sweep,
                          const Network& net) {
  const std::int64_t chunks = (e.nz + how.chunk - 1) / how.chunk;
  std::vector<std::vector<double>> west(static_cast<std::size_t>(how.px * how.py)), north = west;
  double end = 0;
  for (int x = 0; x < how.px; ++x)
    for (int y = 0; y < how.py; ++y) {
      const auto rank = static_cast<std::size_t>(x * how.py + y);
      const std::int64_t nx = e.nx / how.px + (x < e.nx % how.px), ny = e.ny / how.py + (y < e.ny % how.py);
      double now = 0;
      for (std::int64_t c = 0; c < chunks; ++c) {
        const auto chunk = static_cast<std::size_t>(c);
        const std::int64_t cells = std::min(how.chunk, e.nz - c * how.chunk);
        if (x > 0) now = std::max(now, west[rank][chunk]);
        if (y > 0) now = std::max(now, north[rank][chunk]);
        if (x > 0) now += net.overhead_s;
        if (y > 0) now += net.overhead_s;
        now += sweep({nx, ny, cells});
        const auto arrival = [&](std::int64_t side) {
          return now + net.latency_s + static_cast<double>(side * cells * element_bytes) * net.byte_s;
        };
        if (x + 1 < how.px) now += net.overhead_s, west[rank + static_cast<std::size_t>(how.py)].push_back(arrival(ny));
        if (y + 1 < how.py) now += net.overhead_s, north[rank + 1].push_back(arrival(nx));
      }
      end = std::max(end, now);
    }
  return end;
}

TEST(WavefrontModel, ThePipelineIsWhatFollowingEveryChunkGives) {
  Random random{std::mt19937_64(5)};
  for (int round = 0; round < 2000; ++round) {
    const Extents e{1 + random.below(30), 1 + random.below(30), 1 + random.below(60)};
    const Decomposition how{static_cast<int>(1 + random.below(std::min<std::int64_t>(e.nx, 7))),
                            static_cast<int>(1 + random.below(std::min<std::int64_t>(e.ny, 7))), 1 + random.below(70)};
    const CoreTime core{random.real(5), random.real(0.1), random.real(0.02)};
    const Network network{random.real(2), random.real(20), random.real(0.02)};
    const double expected = simulated_pipeline(e, how, 8, core, network);
    EXPECT_NEAR(pipeline_seconds(e, how, 8, core, network), expected, 1e-9 * expected)
        << e.nx << " x " << e.ny << " x " << e.nz << " on " << how.px << " x " << how.py << " by " << how.chunk;
  }
}

TEST(WavefrontModel, WithoutMessagesThePipelineHasItsKnownEfficiency) {
  const CoreTime core{0, 0, 1};
  const double seconds = pipeline_seconds({80, 60, 100}, {4, 3, 5}, 8, core, {});
  EXPECT_DOUBLE_EQ(80.0 * 60 * 100 / 12 / seconds, 20.0 / (20 + 4 + 3 - 2));
}

TEST(WavefrontModel, OneRankTakesAllChunksOneAfterAnother) {
  const CoreTime core{2, 0, 0.5};
  EXPECT_DOUBLE_EQ(pipeline_seconds({3, 4, 10}, {1, 1, 4}, 8, core, {1, 1, 1}), 3 * 2 + 0.5 * 120);
}

TEST(WavefrontModel, TheBestChunkIsTheBestOfAll) {
  Random random{std::mt19937_64(6)};
  for (int round = 0; round < 40; ++round) {
    const Extents e{4 + random.below(20), 4 + random.below(20), 1 + random.below(60)};
    const CoreTime core{random.real(5), random.real(0.1), random.real(0.02)};
    const Network network{random.real(2), random.real(20), random.real(0.02)};
    const auto best = best_decomposition(e, 6, 4, core, network);
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [px, py] : {std::pair{1, 6}, {2, 3}, {3, 2}, {6, 1}})
      for (std::int64_t chunk = 1; chunk <= e.nz && px <= e.nx && py <= e.ny; ++chunk)
        least = std::min(least, simulated_pipeline(e, {px, py, chunk}, 4, core, network));
    EXPECT_NEAR(pipeline_seconds(e, best.value(), 4, core, network), least, 1e-9 * least);
  }
}

TEST(WavefrontModel, ChunksAreMultiplesOfTheirUnitOrAllOfZ) {
  const CoreTime core{1e-9, 0, 1e-9};
  const Network cheap{1e-12, 1e-12, 1e-15}, dear{1, 0, 0};
  EXPECT_EQ(best_decomposition({40, 40, 100}, 4, 4, core, cheap, 32)->chunk, 32);
  EXPECT_EQ(best_decomposition({40, 40, 100}, 4, 4, core, dear, 32)->chunk, 100);
  EXPECT_EQ(best_decomposition({40, 40, 7}, 4, 4, core, cheap, 32)->chunk, 7);
  EXPECT_THROW(best_decomposition({40, 40, 7}, 4, 4, core, cheap, 0), std::invalid_argument);
}

TEST(WavefrontModel, RefusesWhatLeavesARankWithoutCells) {
  const CoreTime core{1, 1, 1};
  EXPECT_THROW(pipeline_seconds({3, 4, 5}, {4, 1, 1}, 8, core, {}), std::invalid_argument);
  EXPECT_THROW(pipeline_seconds({3, 4, 5}, {1, 1, 0}, 8, core, {}), std::invalid_argument);
  EXPECT_FALSE(best_decomposition({3, 3, 5}, 7, 8, core, {}));
  EXPECT_FALSE(best_decomposition({3, 3, 5}, 0, 8, core, {}));
}

TEST(WavefrontModel, TheFitFindsTheTermsThatMadeTheSamples) {
  for (const CoreTime made : {CoreTime{3e-6, 2e-9, 1e-9}, CoreTime{0, 0, 1e-9}, CoreTime{1e-6, 0, 5e-10}}) {
    std::vector<TimedBlock> samples;
    for (const std::int64_t n : {8, 16, 40})
      for (const std::int64_t nz : {4, 16, 64}) samples.push_back({{n, 2 * n, nz}, made({n, 2 * n, nz})});
    const CoreTime found = fit(samples);
    EXPECT_NEAR(found.block_s, made.block_s, 1e-12);
    EXPECT_NEAR(found.row_s, made.row_s, 1e-15);
    EXPECT_NEAR(found.cell_s, made.cell_s, 1e-15);
  }
  EXPECT_THROW(fit({}), std::invalid_argument);
  const TimedBlock never{{1, 1, 1}, 0};
  EXPECT_THROW(fit({&never, 1}), std::invalid_argument);
}

TEST(WavefrontModel, CellsOfGridsBetweenTwoSizesLieBetweenTheirTimes) {
  const std::vector<ExtraCellTime> far = {{1e6, 0}, {4e6, 2e-9}, {64e6, 3e-9}};
  for (const auto& [bytes, seconds] :
       {std::pair{1e3, 0.0}, {1e6, 0.0}, {2e6, 1e-9}, {4e6, 2e-9}, {16e6, 2.5e-9}, {64e6, 3e-9}, {1e12, 3e-9}})
    EXPECT_NEAR(extra_cell_seconds(far, bytes), seconds, 1e-20) << bytes;
  EXPECT_EQ(extra_cell_seconds({}, 1e6), 0);
}

TEST(WavefrontModel, NoTermOfAFitIsNegative) {
  std::vector<TimedBlock> samples;  // less time per cell for long rows, so that the term of rows would be negative
  for (const std::int64_t nz : {8, 16, 64}) samples.push_back({{8, 8, nz}, 1e-9 * std::pow(64.0 * nz, 1.1)});
  const CoreTime found = fit(samples);
  EXPECT_GE(found.block_s, 0);
  EXPECT_GE(found.row_s, 0);
  EXPECT_GT(found.cell_s, 0);
}

}  // namespace
}  // namespace speedwell::wavefront::model
