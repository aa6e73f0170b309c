#include "speedwell/process/threads.hpp"

#include <gtest/gtest.h>
#include <sched.h>

namespace speedwell::process {
namespace {

int first_processor() {
  cpu_set_t all;
  EXPECT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  int cpu = 0;
  while (!CPU_ISSET(cpu, &all)) ++cpu;
  return cpu;
}

TEST(Threads, BeginOnTheFirstProcessorAndMayLeaveIt) {
  cpu_set_t before, after;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  // The system may move the thread at any time, so that one attempt of many has to succeed.
  bool moved = false;
  for (int attempt = 0; attempt < 100 && !moved; ++attempt) {
    begin_on_first_processor();
    moved = sched_getcpu() == first_processor();
  }
  EXPECT_TRUE(moved);
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

}  // namespace
}  // namespace speedwell::process
