// Each message of a distributed step is needed, and a fault in it is found.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "speedwell/apps/binary_fluid/binary_fluid.hpp"
#include "speedwell/apps/binary_fluid/distributed.hpp"
#include "tests/apps/binary_fluid/distributed_problems.hpp"
#include "tests/apps/binary_fluid/planted_faults.hpp"
#include "tests/support/ranks.hpp"

namespace speedwell::binary_fluid {
namespace {

using test::is_root;
using test::ranks;

void expect_faults_to_be_found(const Problem& problem, const std::array<int, 3>& along) {
  const State start = initial(problem, {.phi0 = 0.1, .noise = 0.5, .stirring = 0.02});
  const auto advanced = [&](test_faults::Kind kind, int tag) {
    test_faults::plant(kind, tag);
    DistributedFluid fluid(ranks(), problem, Precision::f64, along);
    fluid.scatter(is_root() ? &start : nullptr);
    fluid.run(problem.steps);
    State state;
    fluid.gather(is_root() ? &state : nullptr);
    return state;
  };
  test_faults::expect_to_be_found(
      advanced, std::to_string(along[0]) + " x " + std::to_string(along[1]) + " x " + std::to_string(along[2]));
}

void expect_faults_to_be_found(const Problem& problem) {
  const int n = ranks().size();
  if (n == 1) return;  // no messages
  const test::InMessages in_messages;
  if (n == 8) return expect_faults_to_be_found(problem, {2, 2, 2});
  expect_faults_to_be_found(problem, {1, 1, n});
  if (n % 2 == 0 && n > 2) expect_faults_to_be_found(problem, {1, 2, n / 2});
}

constexpr Extents extents{9, 8, 10};

TEST(FaultsOfTheHalo, AreFoundInMoments) {
  for (const Stencil stencil : {Stencil::seven, Stencil::twenty_seven}) {
    Problem p{.extents = extents, .steps = 5};
    p.scheme.stencil = stencil;
    expect_faults_to_be_found(p);
  }
}

TEST(FaultsOfTheHalo, AreFoundInOneLattice) {
  for (const bool walls : {false, true}) {
    Problem p{.extents = extents, .steps = 8};
    p.scheme.collision = Collision::trt;
    p.axes[1].walls = walls;
    expect_faults_to_be_found(p);
  }
}

TEST(FaultsOfTheHalo, AreFoundWithLayers) { expect_faults_to_be_found(with_layers(extents, 6, Stencil::seven)); }

}  // namespace
}  // namespace speedwell::binary_fluid
