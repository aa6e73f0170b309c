// Each message of a step on slabs of several GPUs is needed, and a fault in it is found: with Transport::staged, whose
// messages MPI sends.
#include <gtest/gtest.h>

#include <string>

#include "speedwell/apps/binary_fluid/gpu_distributed.hpp"
#include "speedwell/apps/binary_fluid/initial.hpp"
#include "tests/apps/binary_fluid/distributed_problems.hpp"
#include "tests/apps/binary_fluid/planted_faults.hpp"
#include "tests/support/device_ranks.hpp"

namespace speedwell::binary_fluid {
namespace {

using test::is_root;
using test::ranks;
class FaultsOfTheHaloOfGpus : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
    if (ranks().size() == 1) GTEST_SKIP() << "no messages";
  }
  static void expect_to_be_found(const Problem& problem) {
    const State start = initial(problem, {.phi0 = 0.1, .noise = 0.5, .stirring = 0.02});
    for (const bool overlapped : {true, false}) {
      const auto advanced = [&](test_faults::Kind kind, int tag) {
        test_faults::plant(kind, tag);
        const core::Stream stream;
        DistributedGpuFluid fluid(ranks(), problem, Precision::f64, comm::Transport::staged);
        fluid.scatter(is_root() ? &start : nullptr, stream);
        overlapped ? fluid.run(problem.steps, stream) : fluid.exchange_and_run(problem.steps, stream);
        State state;
        fluid.gather(is_root() ? &state : nullptr, stream);
        return state;
      };
      test_faults::expect_to_be_found(advanced, overlapped ? "overlapped" : "exchange first");
    }
  }
};

constexpr Extents extents{9, 8, 10};

TEST_F(FaultsOfTheHaloOfGpus, AreFoundInMoments) {
  for (const Stencil stencil : {Stencil::seven, Stencil::twenty_seven}) {
    Problem p{.extents = extents, .steps = 5};
    p.scheme.stencil = stencil;
    expect_to_be_found(p);
  }
}

TEST_F(FaultsOfTheHaloOfGpus, AreFoundInOneLattice) {
  for (const bool walls : {false, true}) {
    Problem p{.extents = extents, .steps = 8};
    p.scheme.collision = Collision::trt;
    p.axes[1].walls = p.axes[2].walls = walls;
    expect_to_be_found(p);
  }
}

TEST_F(FaultsOfTheHaloOfGpus, AreFoundWithLayers) { expect_to_be_found(with_layers(extents, 6, Stencil::seven)); }

}  // namespace
}  // namespace speedwell::binary_fluid
