// The part of a flow that a rank has on a GPU, which ranks may share. All ranks run the tests together.
#include <gtest/gtest.h>

#include "speedwell/simulation/flow/flow_part.hpp"
#include "tests/simulation/flow_part_sequence.hpp"
#include "tests/support/device_ranks.hpp"

namespace speedwell::simulation {
namespace {

TEST(FlowPartOnGpus, DiffersFromTheWholeFlowByRounding) {
  if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
  // Velocities are of about 1. Each of three steps rounds some hundred terms of up to 8^2, as widths are at least 1/8,
  // to 2^-53: 1e-12 in all. The pressure is a potential of velocities over a third of a time step of 0.01. What a
  // missing plane would change is larger than 1e-3.
  FlowPartSequence(flow_part_on_gpu<double>,
                   {.velocity = 1e-11, .pressure = 1e-8, .force = 1e-13, .has_saved_pressure = false})
      .run();
}

// The force differs by three differences of means over a time step of 0.01.
TEST(FlowPartOnGpus, KeepsTheVelocitiesOfTheWholeFlow) {
  if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
  FlowPartSequence(flow_part_on_gpu<double>,
                   {.velocity = 1e-11, .pressure = 1e-8, .force = 3e-9, .has_saved_pressure = false},
                   FlowPartSequence::moving_wall, FlowPartSequence::kept)
      .run();
}

TEST(FlowPartOnGpus, MovesTheMeshOfTheWholeFlow) {
  if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
  FlowPartSequence(flow_part_on_gpu<double>,
                   {.velocity = 1e-11, .pressure = 1e-8, .force = 1e-13, .has_saved_pressure = false}, "", "",
                   FlowPartSequence::strain)
      .run();
}

// Iterations end at ten roundings of the right-hand side.
TEST(FlowPartOnGpus, DiffusesImplicitlyAsTheWholeFlow) {
  if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
  FlowPartSequence(flow_part_on_gpu<double>, {.velocity = 1e-11, .pressure = 1e-8, .force = 1e-13},
                   FlowPartSequence::moving_wall, "", FlowPartSequence::implicit)
      .run();
}

}  // namespace
}  // namespace speedwell::simulation
