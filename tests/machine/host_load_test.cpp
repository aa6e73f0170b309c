#include "speedwell/machine/host/host_load.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

namespace speedwell::machine {
namespace {

const std::string stat =
    "cpu  400 0 100 1000 0 0 0 50\n"
    "cpu0 100 10 20 700 30 1 2 40 7 0\n"
    "cpu1 300 0 80 200 0 0 0 10 0 0\n"
    "cpu10 1 1 1 1 1 1 1 1 0 0\n"
    "intr 1 2 3\n";

TEST(CpuSeconds, AddsWhatTheNamedThreadsWereBusyAndStolen) {
  const auto first = cpu_seconds(stat, {0}, 100);
  ASSERT_TRUE(first);
  EXPECT_DOUBLE_EQ(first->busy, 1.33) << "user, nice, system, irq, softirq";
  EXPECT_DOUBLE_EQ(first->steal, 0.4);
  const auto both = cpu_seconds(stat, {1, 0}, 100);
  ASSERT_TRUE(both);
  EXPECT_DOUBLE_EQ(both->busy, 5.13);
  EXPECT_DOUBLE_EQ(both->steal, 0.5);
}

TEST(CpuSeconds, SaysNothingOfThreadsThatAreNotListed) {
  EXPECT_FALSE(cpu_seconds(stat, {2}, 100));
  EXPECT_FALSE(cpu_seconds(stat, {0, 2}, 100));
  EXPECT_FALSE(cpu_seconds(stat, {}, 100));
  EXPECT_FALSE(cpu_seconds("", {0}, 100));
  EXPECT_FALSE(cpu_seconds("cpu0 1 2 3\n", {0}, 100)) << "a line that is cut off";
  EXPECT_FALSE(cpu_seconds("cpu0 a b c d e f g h\n", {0}, 100));
}

TEST(HostLoad, TwoIntervalsAreWeightedByTheirLength) {
  HostLoad load{1.0, 0.2, 0.0, 3};
  load += HostLoad{3.0, 0.6, 0.4, 4};
  EXPECT_DOUBLE_EQ(load.window_s, 4.0);
  EXPECT_DOUBLE_EQ(load.others, 0.5);
  EXPECT_DOUBLE_EQ(load.steal, 0.3);
  EXPECT_EQ(load.involuntary_switches, 7);
}

// On one hardware thread: what this process does there is its own, what a child does is another's.
TEST(HostLoadMeter, DistinguishesOtherProcesses) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  int cpu = 0;
  while (!CPU_ISSET(cpu, &before)) ++cpu;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const pid_t child = fork();
  if (child == 0)
    for (;;) {
    }
  HostLoadMeter meter({cpu});
  meter.begin();
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(600)) {
  }
  const auto load = meter.end();
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  sched_setaffinity(0, sizeof before, &before);
  if (!load) GTEST_SKIP() << "this kernel does not tell";
  EXPECT_GE(load->window_s, 0.6);
  // Two that want one thread have half of it each; on a machine that does more, others have more.
  EXPECT_GT(load->others, 0.3);
  EXPECT_GT(load->involuntary_switches, 0);
  EXPECT_LE(load->others + load->steal, 1.1) << "within the kernel's clock of 10 ms";
}

TEST(HostLoadMeter, SaysNothingBeforeItHasBegun) { EXPECT_FALSE(HostLoadMeter().end()); }

}  // namespace
}  // namespace speedwell::machine
