// A flow on ranks has the bits of the solver of one process: every kind of edge and mesh, solids, strain, both pressure
// solvers, both schemes and both kinds of diffusion, in both precisions.
#include "speedwell/apps/incompressible_flow/distributed.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "speedwell/core/error.hpp"
#include "tests/apps/incompressible_flow/cases.hpp"
#include "tests/apps/incompressible_flow/same_statistics.hpp"
#include "tests/support/ranks.hpp"

namespace speedwell::incompressible_flow {
namespace {

using test::is_root;
using test::ranks;

constexpr double dt = 0.01;

template <class T>
void expect_same_bits(const State<T>& expected, const State<T>& got) {
  const char* names[] = {"u", "v", "w"};
  for (std::size_t c = 0; c < 3; ++c)
    EXPECT_EQ(std::memcmp(expected.velocity[c].data(), got.velocity[c].data(), got.velocity[c].bytes()), 0) << names[c];
  EXPECT_EQ(std::memcmp(expected.pressure.data(), got.pressure.data(), got.pressure.bytes()), 0) << "pressure";
  EXPECT_EQ(expected.time, got.time);
  EXPECT_EQ(expected.step, got.step);
}

// The first rank computes what one process does, and compares.
template <class T>
void expect_bits_of_one_process(const Problem& p, const Options& options, const State<double>& begin, int steps = 2) {
  const State<T> first = converted<T>(begin);
  if (planes_to_divide(p, options) < ranks().size()) {
    EXPECT_THROW(DistributedSolver<T>(ranks(), p, options), std::invalid_argument);
    return;
  }
  DistributedSolver<T> several(ranks(), p, options);
  SCOPED_TRACE(several.division_text() + ", " + several.choice().reason);
  several.scatter(is_root() ? &first : nullptr);
  const double rate_before = several.convection_rate();
  for (int s = 0; s < steps; ++s) {
    if (s == steps - 1) several.keep_velocity();
    several.step(dt);
  }
  const double rate_after = several.convection_rate();
  const Statistics statistics = several.statistics();
  const VelocityChange change = several.velocity_change();
  const std::vector<CellValue> cells = some_cells(p.extents());
  const std::vector<T> values = several.values(cells);
  EXPECT_GE(several.exchange_seconds(), 0);
  if (!is_root()) {
    EXPECT_TRUE(values.empty());
    several.gather(nullptr);
    return;
  }
  State<T> got(p.extents()), expected(p.extents());
  several.gather(&got);
  Solver<T> one(p, options);
  one.set(first);
  EXPECT_EQ(one.convection_rate(), rate_before);
  State<T> before(p.extents());
  for (int s = 0; s < steps; ++s) {
    if (s == steps - 1) one.get(before);
    one.step(dt);
  }
  EXPECT_EQ(one.convection_rate(), rate_after);
  expect_same_bits(statistics, one.statistics(), "statistics");
  EXPECT_EQ(one.pressure_iterations(), several.pressure_iterations());
  EXPECT_EQ(one.diffusion_iterations(), several.diffusion_iterations());
  EXPECT_EQ(one.force(), several.force());
  one.get(expected);
  expect_same_bits(expected, got);
  EXPECT_EQ(values, values_of(expected, cells));
  EXPECT_EQ(change.steadiness(expected.time - before.time), steadiness(before, expected));
  const double ghost = std::is_same_v<T, float> ? std::numeric_limits<T>::epsilon() : 0;
  const Problem now = p.strain ? at_time(p, expected.time) : p;
  expect_close(statistics, statistics_of(now, expected), p.extents(), ghost, "statistics of the collected flow");
}

TEST(DistributedFlow, HasTheBitsOfOneProcess) {
  for (const Case& c : cases()) {
    const State<double> begin = beginning(c.problem);
    for (const Method& method :
         {Method{Scheme::w3, Diffusion::explicit_steps}, Method{Scheme::s3, Diffusion::explicit_steps},
          Method{Scheme::w3, Diffusion::trapezoidal}, Method{Scheme::s3, Diffusion::trapezoidal}})
      for (const Pressure pressure : {Pressure::automatic, Pressure::conjugate_gradients}) {
        const bool is_default = method.scheme == Scheme::w3 && method.diffusion == Diffusion::explicit_steps;
        if (pressure == Pressure::conjugate_gradients && !is_default) continue;
        SCOPED_TRACE(c.name + ", scheme " + std::to_string(static_cast<int>(method.scheme)) + ", diffusion " +
                     std::to_string(static_cast<int>(method.diffusion)));
        // Solutions that are far from exact show as much, in fewer iterations.
        const bool iterates = choose(c.problem, pressure).pressure == Pressure::conjugate_gradients;
        const Options options = {
            .method = method, .pressure = pressure, .tolerance = iterates ? 1e-3 : 0.0, .threads = 1};
        expect_bits_of_one_process<double>(c.problem, options, begin, iterates ? 1 : 2);
        if (is_default && pressure == Pressure::automatic) expect_bits_of_one_process<float>(c.problem, options, begin);
      }
  }
}

TEST(DistributedFlow, HasTheBitsOfOneProcessWithStrain) {
  Problem p = box(8, 10, 12, 0.02);
  p.strain = Strain{.rates = {0.5, -0.25, -0.25}, .begin = 0.005, .end = 0.05};
  for (const Scheme scheme : {Scheme::w3, Scheme::s3})
    expect_bits_of_one_process<double>(p, {.method = {.scheme = scheme}, .threads = 1}, beginning(p), 3);
}

TEST(DistributedFlow, HasTheBitsOfOneProcessWithABulkVelocity) {
  Problem p = box(8, 9, 10, 0.02);
  p.faces[1] = two_sided_faces(9, 2, 1.5);
  close(p, 1);
  p.bulk_velocity = {1.0, {}, 0.25};
  for (const Scheme scheme : {Scheme::w3, Scheme::s3})
    expect_bits_of_one_process<double>(p, {.method = {.scheme = scheme}, .threads = 1}, beginning(p), 3);
}

// So many planes that one process keeps right-hand sides and pressures in them, and modes travel in several pieces.
TEST(DistributedFlow, HasTheBitsOfOneProcessInALongBox) {
  for (int walls = -1; walls < 3; ++walls) {
    Problem p = block(30, 32, 98, 1, 1, 3, 0.01);
    if (walls == 1) p = block(30, 98, 32, 1, 3, 1, 0.01);
    if (walls == 1) p.faces[1] = two_sided_faces(98, 3, 1.3);
    if (walls >= 0) close(p, walls);
    SCOPED_TRACE(walls);
    expect_bits_of_one_process<double>(p, {.threads = 1}, beginning(p), 1);
  }
  Problem p = box(1, 1, 1, 0.02);
  p.faces = {random_faces(40, 2, 1), random_faces(36, 2, 2), random_faces(64, 2, 3)};
  expect_bits_of_one_process<double>(p, {.threads = 1}, beginning(p), 1);
  Problem cubes = box(24, 28, 30, 0.02);
  add_cube(cubes, 3, 4, 8, 6);
  add_cube(cubes, 14, 10, 15, 5);
  add_cube(cubes, 20, 20, 25, 8);
  expect_bits_of_one_process<double>(cubes, {.tolerance = 1e-3, .threads = 1}, beginning(cubes), 1);
}

TEST(DistributedFlow, HasTheSameBitsOnAnyNumberOfThreads) {
  Problem p = box(40, 30, 24, 0.01);
  const State<double> begin = beginning(p);
  expect_bits_of_one_process<double>(p, {.threads = 2}, begin);
  add_cube(p, 5, 5, 5, 6);
  expect_bits_of_one_process<double>(p, {.tolerance = 1e-3, .threads = 2}, begin, 1);
}

// A flow that is collected, distributed again, and measured in between continues as one that is not.
TEST(DistributedFlow, ContinuesFromAStateWithTheSameBits) {
  for (const Diffusion diffusion : {Diffusion::explicit_steps, Diffusion::trapezoidal}) {
    Problem p = box(12, 10, 9, 0.02);
    close(p, 2);
    const Options options = {.method = {.diffusion = diffusion}, .threads = 1};
    State<double> begin = beginning(p), end(p.extents());
    DistributedSolver<double> straight(ranks(), p, options), resumed(ranks(), p, options);
    straight.scatter(is_root() ? &begin : nullptr);
    for (int s = 0; s < 4; ++s) straight.step(dt);
    resumed.scatter(is_root() ? &begin : nullptr);
    resumed.step(dt);
    resumed.step(dt);
    resumed.gather(is_root() ? &begin : nullptr);
    DistributedSolver<double> again(ranks(), p, options);
    again.scatter(is_root() ? &begin : nullptr);
    EXPECT_GT(again.convection_rate(), 0);
    again.step(dt);
    again.step(dt);
    straight.gather(is_root() ? &end : nullptr);
    again.gather(is_root() ? &begin : nullptr);
    if (is_root()) expect_same_bits(end, begin);
  }
}

TEST(DistributedFlow, AFlowThatIsNotFiniteIsSeenOnEveryRank) {
  const Problem p = box(8, 8, 8, 0.1);
  State<double> s(p.extents());
  DistributedSolver<double> flow(ranks(), p);
  flow.scatter(is_root() ? &s : nullptr);
  EXPECT_EQ(flow.convection_rate(), 0);
  EXPECT_THROW(flow.velocity_change(), std::logic_error);
  flow.keep_velocity();
  EXPECT_EQ(flow.velocity_change().steadiness(dt), 0);
  s.velocity[1][77] = NAN;
  flow.scatter(is_root() ? &s : nullptr);
  EXPECT_TRUE(std::isnan(flow.convection_rate()));
  EXPECT_TRUE(std::isnan(flow.velocity_change().change));
  EXPECT_TRUE(std::isnan(flow.velocity_change().steadiness(dt)));
  EXPECT_EQ(flow.statistics().divergence, HUGE_VAL);
}

TEST(DistributedFlow, RefusesOnAllRanksWhatItCannotDo) {
  const Problem p = box(4, 4, 4, 0.1);
  const auto refused = [](auto make) { EXPECT_THROW(make(), std::invalid_argument); };
  refused([&] { DistributedSolver<double>(ranks(), p, {.tolerance = 1}); });
  DistributedSolver<double> flow(ranks(), p);
  refused([&] { flow.step(0); });
  const State<double> other({4, 4, 5});
  refused([&] { flow.scatter(is_root() ? &other : nullptr); });
  Problem solids = p;
  add_cube(solids, 0, 0, 0, 1);
  refused([&] { DistributedSolver<double>(ranks(), solids, {.pressure = Pressure::direct}); });
  // Conjugate gradients that do not converge fail on every rank.
  Problem cubes = box(8, 8, 8, 0.1);
  add_cube(cubes, 2, 2, 2, 3);
  const State<double> begin = beginning(cubes);
  DistributedSolver<double> impatient(ranks(), cubes, {.max_iterations = 1});
  impatient.scatter(is_root() ? &begin : nullptr);
  EXPECT_THROW(impatient.step(dt), core::DeviceError);
}

}  // namespace
}  // namespace speedwell::incompressible_flow
