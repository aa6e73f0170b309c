// The part of a flow that a rank has on a core, and how the failure of a step on one rank becomes one on all. All ranks
// run the tests together.
#include "speedwell/simulation/flow/flow_part.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "speedwell/core/error.hpp"
#include "speedwell/simulation/ranks.hpp"
#include "tests/simulation/flow_part_sequence.hpp"

namespace speedwell::simulation {
namespace {

using test::ranks;

TEST(FlowPartOnCores, HasTheBitsOfTheWholeFlow) { FlowPartSequence(flow_part_on_core<double>, {}).run(); }

TEST(FlowPartOnCores, HasTheBitsOfTheWholeFlowWhoseVelocitiesAreKept) {
  FlowPartSequence(flow_part_on_core<double>, {}, FlowPartSequence::moving_wall, FlowPartSequence::kept).run();
}

TEST(FlowPartOnCores, HasTheBitsOfTheWholeFlowOnAMovingMesh) {
  FlowPartSequence(flow_part_on_core<double>, {}, "", "", FlowPartSequence::strain).run();
}

TEST(FlowPartOnCores, HasTheBitsOfTheWholeFlowThatDiffusesImplicitly) {
  FlowPartSequence(flow_part_on_core<double>, {}, FlowPartSequence::moving_wall, "", FlowPartSequence::implicit).run();
}

// The message of the core::DeviceError that this rank sees when `failing` alone throws one; "none" without one.
std::string message_with(int failing) {
  try {
    throw_together(ranks(), [&] {
      if (ranks().rank() == failing) throw core::DeviceError("planted");
    });
  } catch (const core::DeviceError& e) {
    return e.what();
  }
  return "none";
}

TEST(ThrowTogether, FailsOnAllRanksOrOnNone) {
  EXPECT_EQ(message_with(-1), "none");
  for (int failing = 0; failing < ranks().size(); ++failing)
    EXPECT_EQ(message_with(failing), ranks().rank() == failing ? "planted" : "another rank failed") << failing;
  EXPECT_EQ(message_with(-1), "none") << "after failures";
}

TEST(ThrowTogether, LetsOtherExceptionsPass) {
  EXPECT_THROW(throw_together(ranks(), [] { throw std::invalid_argument("on all ranks"); }), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::simulation
