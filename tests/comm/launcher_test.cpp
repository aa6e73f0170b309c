// Properties of a launch that are known before MPI_Init.
#include <gtest/gtest.h>

#include <cstdlib>

#include "speedwell/comm/environment.hpp"
#include "speedwell/comm/placement.hpp"

namespace speedwell::comm {
namespace {

class Launcher : public testing::Test {
 protected:
  Launcher() { forget(); }
  ~Launcher() override { forget(); }
  static void forget() {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) unsetenv(name);
  }
};

TEST_F(Launcher, NoneWithoutItsVariables) { EXPECT_EQ(launcher_ranks(), std::nullopt); }

TEST_F(Launcher, EachIsKnownByItsVariable) {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    setenv(name, "12", 1);
    EXPECT_EQ(launcher_ranks(), 12) << name;
    unsetenv(name);
  }
}

TEST_F(Launcher, WhatIsNoCountIsNotOne) {
  for (const char* value : {"", "many", "0", "-3"}) {
    setenv("PMI_SIZE", value, 1);
    EXPECT_EQ(launcher_ranks(), std::nullopt) << value;
  }
}

TEST(Host, HasAName) { EXPECT_FALSE(host_name().empty()); }

}  // namespace
}  // namespace speedwell::comm
