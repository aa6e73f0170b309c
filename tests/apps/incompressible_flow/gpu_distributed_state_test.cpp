// A flow on slabs of several GPUs between its steps: its convection rate, its saved flow, its time and its
// acceleration.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/incompressible_flow/gpu_solver.hpp"
#include "speedwell/apps/incompressible_flow/statistics/statistics.hpp"
#include "tests/apps/incompressible_flow/on_gpus.hpp"
#include "tests/apps/incompressible_flow/same_statistics.hpp"

namespace speedwell::incompressible_flow {
namespace {

using test::is_root;
using test::ranks;

constexpr double dt = 0.01;

class DistributedFlowState : public OnTransport {};

template <class T>
void expect_same_bits(const State<T>& a, const State<T>& b, const std::string& what) {
  for (std::size_t c = 0; c < 3; ++c)
    EXPECT_EQ(std::memcmp(a.velocity[c].data(), b.velocity[c].data(), a.velocity[c].bytes()), 0) << what << ", " << c;
  EXPECT_EQ(std::memcmp(a.pressure.data(), b.pressure.data(), a.pressure.bytes()), 0) << what << ", pressure";
  EXPECT_EQ(a.time, b.time) << what;
  EXPECT_EQ(a.step, b.step) << what;
}

/// Compares a rate with those of the same velocities on the host and on one GPU.
template <class T>
void expect_rate_of(const State<T>& present, const Problem& p, double rate, const core::Stream& stream,
                    const std::string& what) {
  // In T a GPU rounds three inverse widths, products and sums, of which a term passes four, each to half of epsilon;
  // the host in double precision three. The maximum is not rounded.
  const double expected = convection_rate_of(p, present);
  EXPECT_GT(expected, 0) << what;
  EXPECT_NEAR(rate, expected, 4 * expected * std::numeric_limits<T>::epsilon()) << what;
  // One GPU computes the rate of each cell by the same kernel from the same numbers, and a maximum has no order.
  GpuSolver<T> one(p);
  one.upload(present, stream);
  EXPECT_EQ(rate, one.convection_rate(stream)) << what;
}

template <class T>
void expect_rate(DistributedGpuSolver<T>& solver, const Problem& p, const core::Stream& stream,
                 const std::string& what) {
  const double rate = solver.convection_rate(stream);
  EXPECT_EQ(rate, ranks().broadcast(rate)) << what << ": on this rank and on the first";
  State<T> present(p.extents());
  solver.gather(is_root() ? &present : nullptr, stream);
  if (is_root()) expect_rate_of(present, p, rate, stream, what);
  ranks().barrier();  // kernels of the other ranks, which may share this GPU, wait for this one in the next step
}

template <class T>
void expect_rates(const Problem& p, const State<double>& begin, comm::Transport transport, const std::string& what) {
  const core::Stream stream;
  DistributedGpuSolver<T> solver(ranks(), p, {}, transport);
  const State<T> first = converted<T>(begin);
  solver.scatter(is_root() ? &first : nullptr, stream);
  expect_rate(solver, p, stream, what);
  for (const int steps : {1, 2}) {
    solver.run(dt, steps, stream);
    expect_rate(solver, p, stream, what + ", after steps");
  }
  solver.check(stream);
}

TEST_P(DistributedFlowState, HasTheConvectionRateOfTheWholeFlow) {
  int compared = 0;
  for (const Case& c : cases()) {
    if (!is_supported(c.problem, {})) continue;
    if (++compared % 4 != 0 && is_slow_to_begin(GetParam())) continue;
    expect_rates<double>(c.problem, beginning(c.problem), GetParam(), c.name);
    expect_rates<float>(c.problem, beginning(c.problem), GetParam(), c.name + " in single precision");
  }
  EXPECT_GT(compared, 8);
}

// A uniform flow that becomes slower: where a slab reads a plane of the step before, the rate is too large.
TEST_P(DistributedFlowState, ReadsPresentPlanesOfItsNeighbours) {
  Problem p = box(8, 9, 10, 0.1);
  p.acceleration = {-20, -20, -20};
  State<double> begin(p.extents());
  for (auto& velocity : begin.velocity)
    for (double& u : velocity) u = 1;
  expect_rates<double>(p, begin, GetParam(), "slower");
  const core::Stream stream;
  DistributedGpuSolver<double> solver(ranks(), p, {}, GetParam());
  solver.scatter(is_root() ? &begin : nullptr, stream);
  const double before = solver.convection_rate(stream);
  for (int step = 1; step <= 4; ++step) {
    solver.run(dt, 1, stream);
    // Velocities are 1 - 0.2 per step but for rounding of the sums of three parts of each step.
    EXPECT_NEAR(solver.convection_rate(stream) / before, 1 - 0.2 * step, 1e-13) << step;
  }
}

/// Compares what is measured of a slab with the collected flow, and with one GPU that has it.
template <class T>
void expect_measures(DistributedGpuSolver<T>& solver, const Problem& p, const State<T>* before,
                     const core::Stream& stream, const std::string& what) {
  const Statistics got = solver.statistics(stream);
  // The same bits on every rank.
  const Statistics of_first = ranks().broadcast(got);
  expect_same_bits(got, of_first, what + ": on this rank and on the first");
  const VelocityChange change = before ? solver.velocity_change(stream) : VelocityChange{};
  EXPECT_EQ(change.change, ranks().broadcast(change.change)) << what;
  const std::vector<CellValue> cells = some_cells(p.extents());
  const std::vector<T> values = solver.values(cells, stream);
  const double rate = solver.convection_rate(stream);
  State<T> present(p.extents());
  solver.gather(is_root() ? &present : nullptr, stream);
  if (is_root()) {
    EXPECT_EQ(values, values_of(present, cells)) << what;
    // The host fills ghost cells at walls with other roundings, which only differ in single precision.
    const double ghost = sizeof(T) == 4 ? std::numeric_limits<T>::epsilon() : std::numeric_limits<double>::epsilon();
    GpuSolver<T> one(p);
    one.upload(present, stream);
    const Statistics expected = one.statistics(stream);
    expect_close(got, expected, p.extents(), ghost, what + ", one GPU");
    EXPECT_EQ(got.divergence, expected.divergence) << what;
    EXPECT_EQ(rate, one.convection_rate(stream)) << what;
    if (sizeof(T) == 8)  // in single precision a GPU has widths of single precision
      expect_close(got, statistics_of(at_time(p, present.time), present), p.extents(), ghost, what + ", the host");
    if (before) {
      EXPECT_EQ(change.steadiness(present.time - before->time), steadiness(*before, present)) << what;
    }
  } else {
    EXPECT_TRUE(values.empty()) << what;
  }
  ranks().barrier();  // kernels of the other ranks, which may share this GPU, wait for this one in the next step
}

template <class T>
void expect_measures_of(const Problem& p, comm::Transport transport, const std::string& what) {
  const core::Stream stream;
  DistributedGpuSolver<T> solver(ranks(), p, {}, transport);
  const State<T> first = converted<T>(beginning(p));
  EXPECT_THROW(solver.velocity_change(stream), std::logic_error);
  solver.scatter(is_root() ? &first : nullptr, stream);
  expect_measures<T>(solver, p, nullptr, stream, what);
  for (const int steps : {1, 2}) {
    solver.run(dt, steps, stream);
    State<T> before(p.extents());
    solver.gather(is_root() ? &before : nullptr, stream);
    solver.keep_velocity(stream);
    solver.run(dt, 1, stream);
    solver.set_time(solver.time(), stream);  // the mesh of this time: that of a step's end differs by rounding
    expect_measures<T>(solver, p, &before, stream, what + ", after steps");
  }
  solver.restore(stream);
  expect_measures<T>(solver, p, nullptr, stream, what + ", restored");
  solver.check(stream);
}

// A plane of a neighbour that is of the step before changes the dissipation by more than a thousandth.
TEST_P(DistributedFlowState, HasTheStatisticsOfTheWholeFlow) {
  int compared = 0;
  for (const Case& c : cases()) {
    if (!is_supported(c.problem, {})) continue;
    if (++compared % 4 != 0 && is_slow_to_begin(GetParam())) continue;
    expect_measures_of<double>(c.problem, GetParam(), c.name);
    expect_measures_of<float>(c.problem, GetParam(), c.name + " in single precision");
  }
  EXPECT_GT(compared, 8);
}

// Before the strain, in its midst and after it. A mesh that is a hundredth of a step behind changes the dissipation by
// 1e-4 of itself.
TEST_P(DistributedFlowState, HasTheStatisticsOfAMovingMesh) {
  int compared = 0;
  for (const int wavy : {-1, 0, 2}) {
    Problem p = block(12, 10, 14, 4, 9, 6, 0.01);
    const auto axis = static_cast<std::size_t>(wavy);
    if (wavy >= 0) p.faces[axis] = wavy_faces(p.extents().extent(wavy), p.faces[axis].back(), 0.3);
    p.strain = Strain{{1, -1.5, 0.5}, 0.015, 0.045};
    if (!is_supported(p, {}) || (wavy != 0 && is_slow_to_begin(GetParam()))) continue;
    expect_measures_of<double>(p, GetParam(), "wavy along " + std::to_string(wavy));
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

// In the slab of the last rank, so that the others know of it by the maximum alone.
TEST_P(DistributedFlowState, HasARateOnEveryRankThatIsNotANumberIfAVelocityIsNotFinite) {
  const Problem p = box(8, 8, 8, 0.1);
  const core::Stream stream;
  DistributedGpuSolver<double> solver(ranks(), p, {}, GetParam());
  for (const double value : {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity()})
    for (std::size_t c = 0; c < 3; ++c) {
      State<double> s(p.extents());
      solver.scatter(is_root() ? &s : nullptr, stream);
      EXPECT_EQ(solver.convection_rate(stream), 0);
      solver.keep_velocity(stream);
      s.velocity[c][s.velocity[c].size() - 1] = value;
      solver.scatter(is_root() ? &s : nullptr, stream);
      EXPECT_TRUE(std::isnan(solver.convection_rate(stream))) << value << ", " << c;
      EXPECT_TRUE(std::isnan(solver.velocity_change(stream).largest)) << value << ", " << c;
      EXPECT_FALSE(std::isfinite(solver.statistics(stream).divergence)) << value << ", " << c;
    }
}

// After an odd number of steps, when the flow is in the other fields than restore() writes it to first.
TEST_P(DistributedFlowState, ContinuesFromTheSavedFlowWithTheSameBits) {
  for (const Method& method : {Method{Scheme::w3}, Method{Scheme::s3}, Method{Scheme::w3, Diffusion::trapezoidal},
                               Method{Scheme::s3, Diffusion::trapezoidal}})
    for (const int walls : {-1, 1, 2}) {
      if (method.diffusion == Diffusion::trapezoidal && walls != 2) continue;  // iterations on a shared GPU take long
      Problem p = box(12, 10, 14, 0.02);
      if (walls >= 0) close(p, walls);
      if (walls >= 0) p.sides[static_cast<std::size_t>(walls)][1].velocity[0] = 0.7;
      const Options options = {.method = method};
      if (!is_supported(p, options) || (walls != 1 && is_slow_to_begin(GetParam()))) continue;
      const std::string what = "walls of axis " + std::to_string(walls);
      const State<double> begin = beginning(p);
      const core::Stream stream;
      DistributedGpuSolver<double> straight(ranks(), p, options, GetParam()), solver(ranks(), p, options, GetParam());
      for (auto* each : {&straight, &solver}) {
        each->scatter(is_root() ? &begin : nullptr, stream);
        each->run(dt, 3, stream);
      }
      solver.save(stream);
      const double time = solver.time(), rate = solver.convection_rate(stream);
      State<double> expected(p.extents()), got(p.extents());
      straight.run(dt, 4, stream);
      straight.gather(is_root() ? &expected : nullptr, stream);
      for (const int repetition : {1, 2}) {
        solver.set_acceleration({3, -2, 1});
        solver.run(2 * dt, repetition, stream);
        EXPECT_NE(solver.convection_rate(stream), rate) << what;
        solver.restore(stream);
        EXPECT_EQ(solver.convection_rate(stream), rate) << what;
        EXPECT_EQ(solver.time(), time) << what;
        solver.set_acceleration({0, 0, 0});
        solver.run(dt, 4, stream);
        solver.gather(is_root() ? &got : nullptr, stream);
        if (is_root()) expect_same_bits(got, expected, what + ", repetition " + std::to_string(repetition));
      }
      straight.check(stream);
      solver.check(stream);
    }
}

// A mesh moves with the time that is set, and with the saved one.
TEST_P(DistributedFlowState, HasTheTimeThatIsSet) {
  Problem p = block(12, 10, 14, 4, 9, 6, 0.01);
  p.strain = Strain{{1, -1.5, 0.5}, 0.02, 0.045};
  const core::Stream stream;
  State<double> begin = beginning(p), expected(p.extents()), got(p.extents());
  DistributedGpuSolver<double> solver(ranks(), p, {}, GetParam());
  begin.time = 0.03;  // in the midst of the strain
  solver.scatter(is_root() ? &begin : nullptr, stream);
  EXPECT_EQ(solver.time(), 0.03);
  const double rate = solver.convection_rate(stream);
  solver.run(dt, 3, stream);
  solver.gather(is_root() ? &expected : nullptr, stream);

  begin.time = 0;
  solver.scatter(is_root() ? &begin : nullptr, stream);
  EXPECT_EQ(solver.time(), 0);
  EXPECT_NE(solver.convection_rate(stream), rate) << "of the mesh at rest";
  solver.set_time(0.03, stream);
  EXPECT_EQ(solver.time(), 0.03);
  EXPECT_EQ(solver.convection_rate(stream), rate);
  solver.save(stream);
  for (const char* what : {"after set_time()", "after restore()"}) {
    solver.run(dt, 3, stream);
    solver.gather(is_root() ? &got : nullptr, stream);
    if (is_root()) expect_same_bits(got, expected, what);
    solver.restore(stream);
    EXPECT_EQ(solver.time(), 0.03) << what;
    EXPECT_EQ(solver.convection_rate(stream), rate) << what;
  }
  solver.check(stream);
}

// With axes in another order than the solver's, too.
TEST_P(DistributedFlowState, KnowsItsAcceleration) {
  const core::Stream stream;
  for (const int wavy : {0, 1, 2}) {
    Problem p = box(8, 9, 10, 0.1);
    const int cells = p.extents().extent(wavy);
    p.faces[static_cast<std::size_t>(wavy)] = wavy_faces(cells, 3, 0.4);
    p.acceleration = {0.3, -0.2, 0.1};
    if (wavy != 0 && is_slow_to_begin(GetParam())) continue;
    DistributedGpuSolver<double> solver(ranks(), p, {}, GetParam());
    EXPECT_EQ(solver.force(stream), p.acceleration) << wavy;
    const std::array<double, 3> other = {1, 2, 3};
    solver.set_acceleration(other);
    EXPECT_EQ(solver.force(stream), other) << wavy;
  }
}

// A uniform flow is brought from 0.1 to the velocity that is kept in the first step, and stays there, whatever else
// accelerates it along other axes. With axes in another order than the solver's, too.
TEST_P(DistributedFlowState, KnowsTheAccelerationThatKeepsABulkVelocity) {
  const core::Stream stream;
  for (const int wavy : {0, 2}) {
    Problem p = box(8, 9, 10, 0.1);
    p.faces[static_cast<std::size_t>(wavy)] = wavy_faces(p.extents().extent(wavy), 3, 0.4);
    p.bulk_velocity[1] = 0.4;
    if (wavy != 0 && is_slow_to_begin(GetParam())) continue;
    State<double> begin(p.extents());
    for (double& u : begin.velocity[1]) u = 0.1;
    DistributedGpuSolver<double> solver(ranks(), p, {}, GetParam());
    EXPECT_EQ(solver.force(stream), (std::array<double, 3>{0, 0, 0})) << "before the first step";
    solver.scatter(is_root() ? &begin : nullptr, stream);
    solver.set_acceleration({1, 0, 2});
    EXPECT_EQ(solver.force(stream), (std::array<double, 3>{1, 0, 2})) << "before the first step";
    for (const double expected : {(0.4 - 0.1) / dt, 0.0}) {
      solver.run(dt, 1, stream);
      const std::array<double, 3> force = solver.force(stream);
      EXPECT_EQ(force, ranks().broadcast(force)) << "on this rank and on the first";
      EXPECT_EQ(force[0], 1) << wavy;
      // Means of 720 velocities of 0.4, of which sums and weights are rounded to 1e-13 each, over a step of 0.01, in
      // three stages.
      EXPECT_NEAR(force[1], expected, 1e-10) << wavy;
      EXPECT_EQ(force[2], 2) << wavy;
    }
    solver.check(stream);
  }
}

INSTANTIATE_TEST_SUITE_P(Transports, DistributedFlowState, testing::ValuesIn(comm::transports()), transport_name);

}  // namespace
}  // namespace speedwell::incompressible_flow
