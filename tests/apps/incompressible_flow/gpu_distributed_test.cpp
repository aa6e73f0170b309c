// A flow on slabs of several GPUs, which ranks may share, against the oracle and against one GPU: every kind of edge
// and mesh that the direct solver by transforms has, by every transport that is here.
#include "speedwell/apps/incompressible_flow/gpu_distributed.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "speedwell/apps/incompressible_flow/gpu_solver.hpp"
#include "speedwell/apps/incompressible_flow/incompressible_flow.hpp"
#include "speedwell/apps/incompressible_flow/verify/reference.hpp"
#include "speedwell/apps/incompressible_flow/verify/verify.hpp"
#include "speedwell/core/error.hpp"
#include "tests/apps/incompressible_flow/on_gpus.hpp"

namespace speedwell::incompressible_flow {
namespace {

using comm::Transport;
using test::is_root;
using test::ranks;

constexpr double dt = 0.01;

class DistributedFlowGpu : public OnTransport {};

/// Compares a flow of several GPUs after `steps` steps with that of one. `name` says which.
template <class T>
void expect_flow_of(GpuSolver<double>& one, const Problem& p, const State<T>& got, int steps, const std::string& name,
                    const core::Stream& stream) {
  State<double> expected(p.extents());
  one.download(expected, stream);
  const core::Verdict verdict = verify(p, expected, got, steps);
  EXPECT_TRUE(verdict.passed) << name << ": " << verdict.error << " > " << verdict.tolerance << ", " << verdict.oracle;
}

/// The flow after `steps` steps, on rank 0. *force: the acceleration of the last step, of which every rank has the same
/// bits.
template <class T>
State<T> advanced(const Problem& p, const Options& options, const State<double>& begin, int steps, Transport transport,
                  std::array<double, 3>* force = nullptr) {
  const core::Stream stream;
  DistributedGpuSolver<T> solver(ranks(), p, options, transport);
  const State<T> first = converted<T>(begin);
  solver.scatter(is_root() ? &first : nullptr, stream);
  solver.run(dt, steps, stream);
  solver.check(stream);
  State<T> end(is_root() ? p.extents() : Extents{0, 0, 0});
  solver.gather(is_root() ? &end : nullptr, stream);
  EXPECT_GE(solver.exchange_seconds(), 0);
  if (force) {
    *force = solver.force(stream);
    EXPECT_EQ(*force, ranks().broadcast(*force)) << "on this rank and on the first";
  }
  return end;
}

TEST_P(DistributedFlowGpu, AgreesWithTheReference) {
  int compared = 0;
  for (const Case& c : cases())
    for (const Scheme scheme : {Scheme::w3, Scheme::s3}) {
      const Options options = {.method = {.scheme = scheme}};
      if (!is_supported(c.problem, options)) continue;
      if (++compared % 4 != 0 && is_slow_to_begin(GetParam())) continue;
      const State<double> begin = beginning(c.problem);
      const auto twice = advanced<double>(c.problem, options, begin, 3, GetParam());
      const auto single = advanced<float>(c.problem, options, begin, 3, GetParam());
      if (!is_root()) continue;
      State<double> expected = begin.copy();
      reference::advance(c.problem, options.method, expected, dt, 3);
      const core::Verdict in_f64 = verify(c.problem, expected, twice, 3);
      EXPECT_TRUE(in_f64.passed) << c.name << ": " << in_f64.error << " > " << in_f64.tolerance << ", "
                                 << in_f64.oracle;
      const core::Verdict in_f32 = verify(c.problem, expected, single, 3);
      EXPECT_TRUE(in_f32.passed) << c.name << " in single precision: " << in_f32.error << " > " << in_f32.tolerance
                                 << ", " << in_f32.oracle;
      EXPECT_NEAR(twice.time, 3 * dt, 1e-15);
      EXPECT_EQ(twice.step, 3);
    }
  EXPECT_GT(compared, 8);
}

// Every kind of edge and mesh again, with one scheme each, since an iteration waits for ranks that may share a GPU. The
// second step starts from the pressure of the first.
TEST_P(DistributedFlowGpu, AgreesWithTheReferenceWithImplicitDiffusion) {
  int compared = 0;
  for (const Case& c : cases()) {
    const Options options = {.method = {compared % 2 == 0 ? Scheme::w3 : Scheme::s3, Diffusion::trapezoidal}};
    if (!is_supported(c.problem, options)) continue;
    const bool is_third = ++compared % 3 == 0;
    if (!is_third && is_slow_to_begin(GetParam())) continue;
    const State<double> begin = beginning(c.problem);
    State<double> expected = begin.copy();
    if (is_root()) reference::advance(c.problem, options.method, expected, dt, 2);
    const auto expect_passed = [&](const core::Verdict& verdict, const char* precision) {
      EXPECT_TRUE(verdict.passed) << c.name << precision << ": " << verdict.error << " > " << verdict.tolerance << ", "
                                  << verdict.oracle;
    };
    const auto twice = advanced<double>(c.problem, options, begin, 2, GetParam());
    if (is_root()) expect_passed(verify(c.problem, expected, twice, 2), "");
    if (!is_third) continue;
    const auto single = advanced<float>(c.problem, options, begin, 2, GetParam());
    if (is_root()) expect_passed(verify(c.problem, expected, single, 2), " in single precision");
  }
  EXPECT_GT(compared, 8);
}

// The fluid is so viscous that diffusion couples many planes in a step, and iterations are many. The saved flow has its
// pressure, which the next step starts from.
TEST_P(DistributedFlowGpu, DiffusesImplicitlyAsOneGpu) {
  const std::pair<Scheme, int> tested[] = {{Scheme::w3, 2}, {Scheme::s3, 2}, {Scheme::w3, -1}, {Scheme::s3, 1}};
  int compared = 0;
  for (const auto& [scheme, walls] : tested) {
    Problem p = box(12, 10, 14, 3);
    if (walls >= 0) {
      close(p, walls);
      p.sides[static_cast<std::size_t>(walls)][1].velocity[0] = 0.7;
    }
    p.bulk_velocity[walls == 2 ? 1 : 2] = 0.4;
    const Options options = {.method = {scheme, Diffusion::trapezoidal}};
    if (!is_supported(p, options) || (walls != 2 && is_slow_to_begin(GetParam()))) continue;
    const State<double> begin = beginning(p);
    const core::Stream stream;
    DistributedGpuSolver<double> solver(ranks(), p, options, GetParam());
    solver.scatter(is_root() ? &begin : nullptr, stream);
    solver.run(dt, 1, stream);
    solver.save(stream);
    solver.run(2 * dt, 1, stream);
    solver.restore(stream);
    EXPECT_GT(solver.diffusion_iterations(stream), 0) << walls;
    solver.run(dt, 2, stream);
    const int iterations = solver.diffusion_iterations(stream);
    EXPECT_EQ(iterations, ranks().broadcast(iterations)) << "on this rank and on the first";
    solver.check(stream);
    ++compared;
    State<double> end(is_root() ? p.extents() : Extents{0, 0, 0});
    solver.gather(is_root() ? &end : nullptr, stream);
    if (!is_root()) continue;
    GpuSolver<double> one(p, options);
    one.upload(begin, stream);
    one.run(dt, 1, stream);
    one.diffusion_iterations(stream);
    one.run(dt, 2, stream);
    // Each of the 18 solves takes about ten iterations, and may end one earlier or later by rounding. A plane that is
    // not exchanged costs more in each.
    EXPECT_NEAR(iterations, one.diffusion_iterations(stream), 18) << walls;
    EXPECT_GT(iterations, 18 * 5) << walls;
    expect_flow_of(one, p, end, 3, std::to_string(walls), stream);
  }
  EXPECT_GT(compared, 1);
}

/// Compares with one GPU after two steps.
template <class T>
void expect_as_one_gpu(const Problem& p, Transport transport, const std::string& name) {
  const State<double> begin = beginning(p);
  const auto got = advanced<T>(p, {}, begin, 2, transport);
  if (!is_root()) return;
  const core::Stream stream;
  GpuSolver<double> one(p);
  one.upload(begin, stream);
  one.run(dt, 2, stream);
  expect_flow_of(one, p, got, 2, name, stream);
}

// With systems that warps and that threads solve on slabs, in more blocks than run at a time.
TEST_P(DistributedFlowGpu, AgreesWithOneGpuInLargerBoxes) {
  for (const int planes : {164, 256})
    for (const bool walls : {false, true}) {
      Problem p = block(planes == 256 ? 128 : 160, planes == 256 ? 130 : 162, planes, 2, 3, 2, 0.01);
      if (walls) p.faces[2] = two_sided_faces(planes, 2, 1.5);
      if (walls) close(p, 2);
      if (!is_supported(p, {})) continue;
      expect_as_one_gpu<double>(p, GetParam(), std::to_string(planes) + (walls ? " between walls" : ""));
    }
}

TEST_P(DistributedFlowGpu, AgreesWithOneGpuWhereWarpsSolveTheSystems) {
  for (const int planes : {64, 128, 512})  // of a slab
    for (const bool walls : {false, true}) {
      if (planes != 128 && is_slow_to_begin(GetParam())) continue;
      const int all = planes * ranks().size();
      const double height = all / 64.0;
      Problem p = block(18, 12, all, 2, 3, height, 0.01);
      if (walls) p.faces[2] = two_sided_faces(all, height, 1.5);
      if (walls) close(p, 2);
      if (!is_supported(p, {})) continue;
      const std::string name = std::to_string(planes) + (walls ? " between walls" : "");
      expect_as_one_gpu<double>(p, GetParam(), name);
      expect_as_one_gpu<float>(p, GetParam(), name + " in single precision");
    }
}

// Before the strain, in its midst and after it; with axes renamed, and systems that threads and that warps solve.
TEST_P(DistributedFlowGpu, AMeshMovesAsOnOneGpu) {
  for (const Scheme scheme : {Scheme::w3, Scheme::s3})
    for (const int planes : {18, 64 * ranks().size()})
      for (const int wavy : {-1, 0, 2}) {
        Problem p = block(33, 16, planes, 4, 9, planes / 3.0, 0.01);
        if (wavy >= 0) {
          auto& faces = p.faces[static_cast<std::size_t>(wavy)];
          faces = wavy_faces(static_cast<int>(faces.size()) - 1, faces.back(), 0.3);
        }
        p.strain = Strain{{1, -1.5, 0.5}, 0.02, 0.045};
        const Options options = {.method = {.scheme = scheme}};
        if (!is_supported(p, options) || (wavy != 0 && is_slow_to_begin(GetParam()))) continue;
        const State<double> begin = beginning(p);
        const core::Stream stream;
        DistributedGpuSolver<double> solver(ranks(), p, options, GetParam());
        solver.scatter(is_root() ? &begin : nullptr, stream);
        solver.run(dt, 2, stream);
        solver.restore(stream);  // to the mesh at rest, too
        solver.run(dt, 3, stream);
        solver.run(dt, 3, stream);
        solver.check(stream);
        State<double> end(is_root() ? p.extents() : Extents{0, 0, 0});
        solver.gather(is_root() ? &end : nullptr, stream);
        if (!is_root()) continue;
        GpuSolver<double> one(p, options);
        one.upload(begin, stream);
        one.run(dt, 6, stream);
        expect_flow_of(one, at_time(p, end.time), end, 6, std::to_string(planes) + ", " + std::to_string(wavy), stream);
      }
}

// Along the slabs' axis and across it, in a channel whose walls move.
TEST_P(DistributedFlowGpu, KeepsBulkVelocities) {
  for (const Scheme scheme : {Scheme::w3, Scheme::s3})
    for (const int walls : {-1, 1, 2}) {
      Problem p = box(12, 10, 14, 0.02);
      if (walls >= 0) {
        const auto axis = static_cast<std::size_t>(walls);
        p.faces[axis] = two_sided_faces(p.extents().extent(walls), 2, 1.5);
        close(p, walls);
        p.sides[axis][1].velocity[0] = 0.3;
      }
      p.bulk_velocity[0] = 0.4;
      if (walls != 2) p.bulk_velocity[2] = -0.2;
      const Options options = {.method = {.scheme = scheme}};
      if (!is_supported(p, options) || (walls != 1 && is_slow_to_begin(GetParam()))) continue;
      const State<double> begin = beginning(p);
      std::array<double, 3> force{};
      const auto got = advanced<double>(p, options, begin, 3, GetParam(), &force);
      if (!is_root()) continue;
      Solver<double> host(p, options);  // the reference keeps no velocities
      host.set(begin);
      for (int step = 0; step < 3; ++step) host.step(dt);
      State<double> expected(p.extents());
      host.get(expected);
      const core::Verdict verdict = verify(p, expected, got, 3);
      EXPECT_TRUE(verdict.passed) << walls << ": " << verdict.error << " > " << verdict.tolerance << ", "
                                  << verdict.oracle;
      // Means of some 1700 velocities of order 1, rounded to 2e-13 of it, over a step of 0.01, in three stages.
      for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(force[d], host.force()[d], 1e-10) << walls << ", force " << d;
      if (walls >= 0) {
        EXPECT_GT(std::abs(force[0]), 1e-3) << walls << ": friction at the walls";
      }
    }
}

TEST_P(DistributedFlowGpu, RepeatsItsBits) {
  Problem p = box(32, 24, 28, 0.01);
  close(p, 2);
  if (!is_supported(p, {})) GTEST_SKIP() << "more ranks than planes";
  const State<double> begin = beginning(p);
  const core::Stream stream;
  DistributedGpuSolver<double> solver(ranks(), p, {}, GetParam());
  solver.scatter(is_root() ? &begin : nullptr, stream);
  State<double> first(p.extents()), second(p.extents());
  for (State<double>* end : {&first, &second}) {
    solver.restore(stream);
    solver.run(dt, 3, stream);
    solver.run(dt, 4, stream);
    solver.gather(is_root() ? end : nullptr, stream);
  }
  solver.check(stream);
  for (std::size_t c = 0; c < 3; ++c)
    EXPECT_EQ(std::memcmp(first.velocity[c].data(), second.velocity[c].data(), first.velocity[c].bytes()), 0) << c;
  EXPECT_EQ(std::memcmp(first.pressure.data(), second.pressure.data(), first.pressure.bytes()), 0);
}

// The last rank makes a step less than the others.
TEST_P(DistributedFlowGpu, TellsThatARankDoesNotCome) {
  if (GetParam() != Transport::peer || ranks().size() == 1) GTEST_SKIP() << "the host waits, or there is no other rank";
  const Problem p = box(12, 10, 64 * ranks().size(), 0.01);
  const State<double> begin = beginning(p);
  const core::Stream stream;
  DistributedGpuSolver<double> solver(ranks(), p, {}, GetParam());
  solver.scatter(is_root() ? &begin : nullptr, stream);
  const bool is_last = ranks().rank() == ranks().size() - 1;
  solver.run(dt, is_last ? 1 : 2, stream);
  if (is_last)
    solver.check(stream);
  else
    EXPECT_THROW(solver.check(stream), core::DeviceError);
  ranks().barrier();
}

TEST_P(DistributedFlowGpu, RefusesWhatItCannotDo) {
  const Problem p = box(8, 8, 8, 0.1);
  const auto refused = [&](const Problem& problem, const Options& options) {
    EXPECT_THROW(DistributedGpuSolver<double>(ranks(), problem, options, GetParam()), std::invalid_argument);
  };
  refused(p, {.pressure = Pressure::conjugate_gradients});
  Problem other = p;
  add_cube(other, 1, 1, 1, 2);
  refused(other, {});
  DistributedGpuSolver<double> solver(ranks(), p, {}, GetParam());
  const core::Stream stream;
  EXPECT_THROW(solver.run(0, 1, stream), std::invalid_argument);
  const State<double> wrong({8, 8, 9});
  EXPECT_THROW(solver.scatter(is_root() ? &wrong : nullptr, stream), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Transports, DistributedFlowGpu, testing::ValuesIn(comm::transports()), transport_name);

}  // namespace
}  // namespace speedwell::incompressible_flow
