// Fluids on slabs of several GPUs, which ranks may share, have the bits of one GPU: all schemes, walls and precisions,
// uneven slabs and slabs of one plane, by every transport that is here.
#include "speedwell/apps/binary_fluid/gpu_distributed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/binary_fluid/gpu_solver.hpp"
#include "speedwell/apps/binary_fluid/initial.hpp"
#include "speedwell/apps/binary_fluid/ladder.hpp"
#include "tests/apps/binary_fluid/distributed_problems.hpp"
#include "tests/apps/binary_fluid/expect_statistics.hpp"
#include "tests/support/device_ranks.hpp"

namespace speedwell::binary_fluid {
namespace {

using comm::Transport;
using test::is_root;
using test::ranks;
State initial_of(const Problem& problem) { return initial(problem, {.phi0 = 0.1, .noise = 0.5, .stirring = 0.02}); }

State on_one_gpu(const Problem& problem, const State& start, Precision precision) {
  const core::Stream stream;
  GpuSolver solver(problem, choose(problem), precision);
  State state = start;
  solver.upload(state, stream);
  solver.run(problem.steps, stream);
  solver.finish(state, stream);
  return state;
}

class DistributedGpuFluidTest : public testing::TestWithParam<Transport> {
 protected:
  void SetUp() override {
    if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
    if (const auto reason = comm::transport_missing(ranks(), GetParam())) GTEST_SKIP() << *reason;
  }

  /// In two runs, between which the state is collected, which changes nothing; with overlap and without; from memory
  /// that was overwritten.
  static void expect_the_same(const Problem& problem, Precision precision) {
    State start, expected;
    if (is_root()) {
      start = initial_of(problem);
      expected = on_one_gpu(problem, start, precision);
    }
    const core::Stream stream;
    DistributedGpuFluid fluid(ranks(), problem, precision, GetParam());
    SCOPED_TRACE(coordinates(problem.extents, problem.extents.sites() - 1) + " on " + fluid.division_text() +
                 ", precision " + std::to_string(static_cast<int>(precision)));
    fluid.scatter(is_root() ? &start : nullptr, stream);
    for (const bool overlapped : {true, false}) {
      for (const std::span<std::byte> bytes : fluid.device_work())
        core::check(cudaMemsetAsync(bytes.data(), 0xff, bytes.size(), stream.get()));
      fluid.restore(stream);
      State got;
      for (const int steps : {problem.steps / 2, problem.steps - problem.steps / 2}) {
        overlapped ? fluid.run(steps, stream) : fluid.exchange_and_run(steps, stream);
        got.f.assign(got.f.size(), std::numeric_limits<double>::quiet_NaN());
        got.g = got.f;
        fluid.check(stream);
        fluid.gather(is_root() ? &got : nullptr, stream);
      }
      if (!is_root()) continue;
      EXPECT_EQ(got.step, problem.steps);
      EXPECT_TRUE(got.f == expected.f) << (overlapped ? "overlapped" : "exchange first");
      EXPECT_TRUE(got.g == expected.g) << (overlapped ? "overlapped" : "exchange first");
    }
    EXPECT_GE(fluid.exchange_seconds(), 0);
  }
};

constexpr Precision precisions[] = {Precision::f64, Precision::f32, Precision::mixed};

/// At least as many planes as there are ranks.
std::vector<Extents> uneven() { return {{19, 9, 11}, {70, 20, std::max(8, 8 * ranks().size() + 1)}}; }

TEST_P(DistributedGpuFluidTest, HasTheBitsOfOneGpu) {
  for (const Extents& e : uneven())
    for (const Precision precision : precisions) {
      Problem p{.extents = e, .steps = 7};
      p.scheme.stencil = precision == Precision::f32 ? Stencil::seven : Stencil::twenty_seven;
      p.fluid.force = {1e-3, -2e-3, 5e-4};
      expect_the_same(p, precision);
    }
}

TEST_P(DistributedGpuFluidTest, HasTheBitsOfOneGpuWithGhostModes) {
  for (const Extents& e : uneven())
    for (const Precision precision : precisions) {
      // An odd number of steps ends with populations where they come from, an even one where they arrive.
      Problem p{.extents = e, .steps = precision == Precision::f64 ? 7 : 6};
      p.scheme.collision = precision == Precision::f32 ? Collision::bgk : Collision::trt;
      p.scheme.stencil = precision == Precision::mixed ? Stencil::seven : Stencil::twenty_seven;
      expect_the_same(p, precision);
    }
}

TEST_P(DistributedGpuFluidTest, SlabsMayBeOnePlane) {
  const std::int64_t n = std::max(3, ranks().size());
  for (const Collision collision : {Collision::m10, Collision::trt})
    for (const bool walls : {false, true}) {
      Problem p{.extents = {n, n, n}, .steps = 5};
      p.scheme.collision = collision;
      p.axes[2].walls = walls;
      expect_the_same(p, Precision::f64);
    }
}

TEST_P(DistributedGpuFluidTest, HasTheBitsOfOneGpuBetweenWallsThatMove) {
  for (unsigned walls = 1; walls < 8; ++walls) {
    expect_the_same(between_moving_walls({19, 9, 11}, 6, walls, walls % 2 == 0 ? Collision::trt : Collision::m10),
                    Precision::f64);
  }
}

TEST_P(DistributedGpuFluidTest, HasTheBitsOfOneGpuWithLayers) {
  for (const bool walls : {false, true}) {
    Problem p = with_layers({19, 9, 11}, 5);
    p.axes[0].walls = p.axes[2].walls = walls;
    expect_the_same(p, Precision::f64);
  }
}

TEST_P(DistributedGpuFluidTest, ReturnsToASavedState) {
  for (const Collision collision : {Collision::m10, Collision::trt}) {
    Problem p{.extents = {19, 9, 11}, .steps = 8};
    p.scheme.collision = collision;
    const State start = initial_of(p);
    const core::Stream stream;
    DistributedGpuFluid fluid(ranks(), p, Precision::f64, GetParam());
    fluid.scatter(is_root() ? &start : nullptr, stream);
    fluid.run(3, stream);
    fluid.save(stream);
    fluid.run(4, stream);
    fluid.restore(stream);
    fluid.run(5, stream);
    State got;
    fluid.gather(is_root() ? &got : nullptr, stream);
    if (!is_root()) continue;
    const State expected = on_one_gpu(p, start, Precision::f64);
    EXPECT_EQ(got.step, 8);
    EXPECT_TRUE(got.f == expected.f && got.g == expected.g);
  }
}

TEST_P(DistributedGpuFluidTest, HasTheStatisticsOfOneGpu) {
  for (const bool walls : {false, true})
    for (const bool finite : {true, false}) {
      Problem p{.extents = {19, 9, 11}, .steps = 3};
      p.axes[0].walls = p.axes[2].walls = walls;
      State start = initial_of(p);
      for (const std::int64_t plane : {8, 9})
        if (!finite) start.f[p.extents.at(4, 5, plane)] = std::numeric_limits<double>::infinity();
      const core::Stream stream;
      GpuSolver solver(p, choose(p), Precision::f64);
      solver.upload(start, stream);
      DistributedGpuFluid fluid(ranks(), p, Precision::f64, GetParam());
      fluid.scatter(is_root() ? &start : nullptr, stream);
      if (finite) {
        solver.run(p.steps, stream);
        fluid.run(p.steps, stream);
      }
      const Statistics expected = solver.statistics(stream), got = fluid.statistics(stream),
                       again = fluid.statistics(stream);
      EXPECT_EQ(got.bad_site, expected.bad_site);
      EXPECT_EQ(got.bad_site, finite ? -1 : static_cast<std::int64_t>(p.extents.at(4, 5, 8)));
      if (!finite) continue;
      expect_statistics_over_ranks(got, again, expected, p.extents, ranks().size());
    }
}

TEST_P(DistributedGpuFluidTest, SendsWhatAStepReads) {
  Problem p{.extents = {19, 9, 16}};
  const double sites = ranks().size() == 1 ? 0 : 2 * 19 * 9;
  const auto sent_bytes = [&](Precision precision) {
    return DistributedGpuFluid(ranks(), p, precision, GetParam()).sent_bytes();
  };
  EXPECT_EQ(sent_bytes(Precision::f64), 128 * sites);
  EXPECT_EQ(sent_bytes(Precision::mixed), 68 * sites);
  p.scheme.collision = Collision::trt;
  EXPECT_EQ(sent_bytes(Precision::f64), 88 * sites);
  EXPECT_EQ(sent_bytes(Precision::f32), 44 * sites);
}

TEST_P(DistributedGpuFluidTest, RefusesMoreRanksThanPlanesAndStatesOfOtherExtents) {
  const int n = ranks().size();
  if (n > 3) {
    EXPECT_THROW(DistributedGpuFluid(ranks(), {.extents = {9, 9, n - 1}}, Precision::f64, GetParam()),
                 std::invalid_argument);
  }
  const core::Stream stream;
  DistributedGpuFluid fluid(ranks(), {.extents = {9, 9, 9}}, Precision::f64, GetParam());
  const State other = initial({.extents = {9, 9, 8}}, {});
  EXPECT_THROW(fluid.scatter(is_root() ? &other : nullptr, stream), std::invalid_argument);  // on all ranks
}

INSTANTIATE_TEST_SUITE_P(Transports, DistributedGpuFluidTest, testing::ValuesIn(comm::transports()),
                         [](const auto& test) {
                           const std::string name(to_string(test.param));
                           return name == "gpu-aware" ? "gpu_aware" : name;
                         });

}  // namespace
}  // namespace speedwell::binary_fluid
