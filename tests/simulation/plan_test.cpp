// The text of a plan, and plans that need too much memory.
#include "speedwell/simulation/plan.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "speedwell/core/error.hpp"

namespace speedwell::simulation {
namespace {

RunPlan plan_of_a_cavity() {
  RunPlan plan;
  plan.what = "64 x 64 cells, explicit";
  plan.bytes = 1 << 20;
  plan.steps = "100";
  plan.measured = "not estimated";
  plan.files = {{"file of fields", "files of fields", 1, 1024},
                {"checkpoint", "checkpoints", 2, 2048},
                {"probe", "probes", 0, 8}};
  return plan;
}

TEST(RunPlan, IsDescribedInFiveLines) {
  RunPlan plan = plan_of_a_cavity();
  EXPECT_EQ(plan_text(plan, std::numeric_limits<double>::infinity()),
            "64 x 64 cells, explicit\nsteps:  100\ntime:   not estimated\nmemory: 1 MiB needed\n"
            "output: about 5 KiB: 1 file of fields of 1 KiB, 2 checkpoints of 2 KiB\n");
  plan.seconds = 0.5;
  EXPECT_NE(plan_text(plan, 2 << 20).find("time:   less than a second, not"), std::string::npos);
  EXPECT_NE(plan_text(plan, 2 << 20).find("needed, 2 MiB available\n"), std::string::npos);
  plan.gpu_bytes = 3 << 20;
  EXPECT_NE(plan_text(plan, 2 << 20).find("needed, 2 MiB available; 3 MiB of each GPU\n"), std::string::npos);
}

TEST(RunPlan, ThatNeedsMoreMemoryThanThereIsIsUnavailable) {
  SimulationOptions options;
  EXPECT_NO_THROW(require_memory(options, plan_of_a_cavity()));
  options.available_bytes = 1 << 10;
  EXPECT_THROW(require_memory(options, plan_of_a_cavity()), core::Unavailable);
}

}  // namespace
}  // namespace speedwell::simulation
