// Fluids on 1 to 8 ranks have the bits of one process: all schemes, walls and precisions, uneven tiles, every axis
// divided. Planted faults of the halo change them.
#include "speedwell/apps/binary_fluid/distributed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/binary_fluid/binary_fluid.hpp"
#include "tests/apps/binary_fluid/distributed_problems.hpp"
#include "tests/apps/binary_fluid/expect_statistics.hpp"
#include "tests/support/ranks.hpp"

namespace speedwell::binary_fluid {
namespace {

using test::is_root;
using test::ranks;
/// Also with two axes undivided or divided in other orders.
std::vector<std::array<int, 3>> rank_grids() {
  std::vector<std::array<int, 3>> all = test::rank_grids();
  if (const int n = ranks().size(); n % 2 == 0) {
    all.push_back({1, 2, n / 2});
    all.push_back({2, n / 2, 1});
  }
  return all;
}

State on_one_process(const Problem& problem, const State& start, Precision precision) {
  CpuSolver solver(problem, precision, 1);
  solver.set(start);
  solver.run(problem.steps);
  State answer;
  solver.get(answer);
  return answer;
}

/// In two runs, between which the state is gathered: that changes nothing.
void expect_the_same(const Problem& problem, Precision precision) {
  const Beginning beginning{.phi0 = 0.1, .noise = 0.5, .stirring = 0.02};
  State start, expected;
  if (is_root()) {
    start = initial(problem, beginning);
    expected = on_one_process(problem, start, precision);
  }
  for (const auto& along : rank_grids()) {
    DistributedFluid fluid(ranks(), problem, precision, along);
    SCOPED_TRACE(coordinates(problem.extents, problem.extents.sites() - 1) + " on " + fluid.division_text());
    fluid.scatter(is_root() ? &start : nullptr);
    State got;
    for (const int steps : {problem.steps / 2, problem.steps - problem.steps / 2}) {
      fluid.run(steps);
      got.f.assign(got.f.size(), std::numeric_limits<double>::quiet_NaN());
      got.g = got.f;
      fluid.gather(is_root() ? &got : nullptr);
    }
    if (!is_root()) continue;
    EXPECT_EQ(got.step, problem.steps);
    EXPECT_TRUE(got.f == expected.f);
    EXPECT_TRUE(got.g == expected.g);
    EXPECT_GE(fluid.exchange_seconds(), 0);
  }
}

// At least as many sites along each axis as there are ranks, in rows that no vector divides.
std::vector<Extents> uneven() { return {{19, 9, 11}, {33, 8, 10}, {32, 13, 8}}; }

TEST(DistributedFluid, HasTheBitsOfOneProcess) {
  for (const Extents& e : uneven())
    for (const Stencil stencil : {Stencil::seven, Stencil::twenty_seven})
      for (const Precision precision : {Precision::f64, Precision::f32, Precision::mixed}) {
        Problem p{.extents = e, .steps = 7};
        p.scheme.stencil = stencil;
        p.fluid.force = {1e-3, -2e-3, 5e-4};
        expect_the_same(p, precision);
      }
}

TEST(DistributedFluid, TilesMayHaveSeveralStripsOfRows) {
  for (const Collision collision : {Collision::m10, Collision::trt}) {
    Problem p{.extents = {8, 400, 9}, .steps = 5};
    p.scheme.collision = collision;
    expect_the_same(p, Precision::f64);
  }
}

TEST(DistributedFluid, TilesMayBeOneSiteThick) {
  const std::int64_t n = std::max(3, ranks().size());
  for (const int steps : {1, 4}) expect_the_same({.extents = {n, n, n}, .steps = steps}, Precision::f64);
}

TEST(DistributedFluid, HasTheBitsOfOneProcessWithGhostModes) {
  for (const Collision collision : {Collision::trt, Collision::bgk})
    for (const Extents& e : uneven())
      for (const Precision precision : {Precision::f64, Precision::f32, Precision::mixed}) {
        // An odd number of steps ends with populations where they come from, an even one where they arrive.
        Problem p{.extents = e, .steps = collision == Collision::trt ? 5 : 6};
        p.scheme.collision = collision;
        p.scheme.stencil = precision == Precision::mixed ? Stencil::seven : Stencil::twenty_seven;
        expect_the_same(p, precision);
      }
}

TEST(DistributedFluid, HasTheBitsOfOneProcessBetweenWallsThatMove) {
  for (const Extents& e : uneven())
    for (unsigned walls = 1; walls < 8; ++walls) {
      expect_the_same(between_moving_walls(e, 5, walls, walls % 2 == 0 ? Collision::trt : Collision::m10),
                      Precision::f64);
    }
}

TEST(DistributedFluid, HasTheBitsOfOneProcessWithLayers) {
  for (const Stencil stencil : {Stencil::seven, Stencil::twenty_seven})
    for (const bool walls : {false, true}) {
      Problem p = with_layers({19, 9, 11}, 5, stencil);
      p.axes[0].walls = p.axes[2].walls = walls;
      expect_the_same(p, Precision::f64);
    }
}

void expect_statistics(const Problem& problem) {
  const State start = initial(problem, {.phi0 = 0.1, .noise = 0.5, .stirring = 0.02});
  const Statistics expected = statistics(problem, on_one_process(problem, start, Precision::f64));
  for (const auto& along : rank_grids()) {
    DistributedFluid fluid(ranks(), problem, Precision::f64, along);
    fluid.scatter(is_root() ? &start : nullptr);
    fluid.run(problem.steps);
    const Statistics got = fluid.statistics(), again = fluid.statistics();
    EXPECT_EQ(got.bad_site, expected.bad_site);
    expect_statistics_over_ranks(got, again, expected, problem.extents, ranks().size());
  }
}

TEST(DistributedFluid, HasTheStatisticsOfOneProcess) {
  Problem p{.extents = {19, 9, 11}, .steps = 3};
  expect_statistics(p);
  p.axes[0].walls = p.axes[2].walls = true;
  expect_statistics(p);
}

TEST(DistributedFluid, RefusesWhatCannotBeDivided) {
  const int n = ranks().size();
  if (n > 1) {
    EXPECT_THROW(DistributedFluid(ranks(), {.extents = {9, 9, n - 1}}, Precision::f64, {1, 1, n}),
                 std::invalid_argument);
  }
  EXPECT_THROW(DistributedFluid(ranks(), {.extents = {9, 9, 9}}, Precision::f64, {1, 1, n + 1}), std::invalid_argument);
  DistributedFluid fluid(ranks(), {.extents = {9, 9, 9}}, Precision::f64);
  const State other = initial({.extents = {9, 9, 8}}, {});
  EXPECT_THROW(fluid.scatter(is_root() ? &other : nullptr), std::invalid_argument);  // on all ranks
}

TEST(DistributedFluid, DividesRowsLast) {
  const Problem p{.extents = {64, 64, 64}};
  EXPECT_EQ(division_of(p, 8).grid(), (std::array<int, 3>{4, 2, 1}));
  EXPECT_EQ(division_of(p, 2).grid(), (std::array<int, 3>{2, 1, 1}));
  EXPECT_EQ(division_of({.extents = {64, 1, 1}}, 8).grid(), (std::array<int, 3>{1, 1, 8}));
  EXPECT_EQ(division_of(p, 8, {2, 2, 2}).grid(), (std::array<int, 3>{2, 2, 2}));
}

}  // namespace
}  // namespace speedwell::binary_fluid
