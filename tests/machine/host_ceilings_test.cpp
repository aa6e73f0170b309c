#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/core/error.hpp"
#include "speedwell/machine/host/cpu.hpp"
#include "speedwell/machine/host/host_kernels.hpp"
#include "speedwell/machine/host/host_plan.hpp"
#include "speedwell/machine/sampling.hpp"

namespace speedwell::machine {
namespace {

constexpr std::int64_t MiB = std::int64_t{1} << 20;
constexpr std::int64_t GiB = std::int64_t{1} << 30;

Cpu sixteen_cores() {
  Cpu cpu;
  cpu.cores = cpu.threads = 16;
  cpu.caches = {{1, 48 << 10, 1, 16}, {2, 2 * MiB, 1, 16}, {3, 105 * MiB, 16, 1}};
  return cpu;
}

TEST(CeilingWords, EveryCeilingOfThisHostHasThem) {
  for (const Ceiling& c : measure_host(1, Effort::quick).entries) EXPECT_NE(words_of_ceiling(c.name), "") << c.name;
  EXPECT_EQ(words_of_ceiling("host.core.triad"), "one core: triad bandwidth (reads + writes)");
  EXPECT_EQ(words_of_ceiling("gpu.l2.copy"), "GPU: level 2 cache, copy bandwidth (reads + writes)");
  EXPECT_EQ(words_of_ceiling("gpu.launch_sync"), "GPU: launch and wait for an empty kernel");
  for (const char* mover : {"copy", "load", "store"})
    for (const char* suffix : {"", "_both"})
      EXPECT_EQ(words_of_ceiling(std::string("link.") + mover + suffix).find("between two GPUs: "), 0u) << mover;
  EXPECT_EQ(words_of_ceiling("link.flag"), "between two GPUs: round trip of a flag");
  EXPECT_EQ(words_of_ceiling("link.all_reduce"), "between two GPUs: all-reduce of one double");
  EXPECT_EQ(words_of_ceiling("gpu.link.duplex.pinned"), "GPU: both directions at once, sum");
  EXPECT_EQ(words_of_ceiling("gpu.something"), "");
}

TEST(HostPlan, MemoryIsFourTimesTheLastCache) {
  const HostPlan plan = plan_host(sixteen_cores(), 128 * GiB, 16, Effort::thorough);
  const std::int64_t bytes = 8 * plan.elements_per_thread * plan.threads;
  EXPECT_LE(bytes, 420 * MiB);
  EXPECT_GT(bytes, 419 * MiB);
  EXPECT_EQ(plan.elements_per_thread % (6 * host_kernel_grain), 0);
  const std::int64_t one = 8 * plan.elements_per_thread * plan.parts_one_thread;
  EXPECT_GE(one, 256 * MiB);
  EXPECT_LE(one, bytes);
}

TEST(HostPlan, AVirtualMachinesHugeCacheDoesNotTakeAllMemoryOrTime) {
  Cpu cpu;
  cpu.cores = cpu.threads = 2;
  cpu.caches = {{1, 48 << 10, 1, 2}, {2, 2 * MiB, 1, 2}, {3, 480 * MiB, 2, 1}};
  const HostPlan thorough = plan_host(cpu, 4 * GiB, 2, Effort::thorough);
  EXPECT_LE(8 * thorough.elements_per_thread * 2, GiB / 2);
  const HostPlan quick = plan_host(cpu, 23 * GiB, 2, Effort::quick);
  EXPECT_LE(8 * quick.elements_per_thread * 2, 256 * MiB);
  EXPECT_NE(quick.note(quick.elements_per_thread * 2).find("less than 4 x 480 MiB"), std::string::npos);
  ASSERT_EQ(quick.caches.size(), 3u);
  EXPECT_LE(24 * quick.caches[2].elements_per_array, 8 * MiB);
}

TEST(HostPlan, ThreadsShareCaches) {
  Cpu cpu = sixteen_cores();
  cpu.threads = 32;
  const HostPlan plan = plan_host(cpu, 128 * GiB, 32, Effort::quick);
  ASSERT_FALSE(plan.caches.empty());
  EXPECT_LE(24 * plan.caches[0].elements_per_array, 24 << 10);  // two threads on each L1
  const HostPlan one = plan_host(cpu, 128 * GiB, 1, Effort::quick);
  EXPECT_LE(24 * one.caches[0].elements_per_array, 48 << 10);
}

TEST(HostPlan, ALevelHardlyLargerThanTheOneBelowIsLeftOut) {
  Cpu cpu = sixteen_cores();
  cpu.caches[2].bytes = 32 * MiB;  // 2 MiB a thread, over 2 MiB of L2
  const HostPlan plan = plan_host(cpu, 128 * GiB, 16, Effort::quick);
  ASSERT_EQ(plan.caches.size(), 2u);
  EXPECT_EQ(plan.caches[1].level, 2);
  EXPECT_TRUE(plan_host(Cpu{}, GiB, 1, Effort::quick).caches.empty());
}

TEST(HostPlan, LittleMemoryIsHalvedAndNoneIsAnError) {
  const HostPlan plan = plan_host(sixteen_cores(), 100 * MiB, 16, Effort::quick);
  EXPECT_LE(8 * plan.elements_per_thread * 16, 50 * MiB);
  EXPECT_GT(plan.elements_per_thread, 0);
  EXPECT_THROW(plan_host(sixteen_cores(), 0, 16, Effort::quick), std::bad_alloc);
}

TEST(Sampling, ACeilingIsTheMedianOfItsBestSamples) {
  const Ceiling few = make_ceiling("a", "GB/s", {3, 1, 2});
  EXPECT_EQ(few.value, 2);
  EXPECT_EQ(few.low, 1);
  EXPECT_EQ(few.high, 3);
  const Ceiling many = make_ceiling("a", "GB/s", {1, 2, 100, 101, 102, 99, 98, 7, 50});
  EXPECT_EQ(many.value, 100) << "other work on the machine makes samples worse, never better";
  EXPECT_EQ(many.low, 98);
  EXPECT_EQ(many.high, 102);
  EXPECT_FALSE(is_stable(many));
  EXPECT_TRUE(is_stable(make_ceiling("a", "GB/s", {1, 100, 100.5, 101, 99, 99.5})));
  EXPECT_EQ(make_ceiling("a", "us", {9, 2, 3, 2, 2.5, 2.5, 8}).value, 2.5) << "of latencies the small ones are best";
}

TEST(Sampling, ContinuesUntilTheBestAgree) {
  int taken = 0;
  const auto settling = [&] { return ++taken < 30 ? 50.0 + taken : 100.0; };
  const auto samples = take_samples(Effort::quick, settling);
  EXPECT_GE(samples.size(), 34u);
  EXPECT_TRUE(agree(samples, false));
  EXPECT_LE(take_samples(Effort::quick, [] { return 1.0; }).size(),
            static_cast<std::size_t>(sample_count(Effort::quick)));
}

TEST(Sampling, ARateThatIsNoPositiveNumberIsAnError) {
  EXPECT_THROW(make_ceiling("a", "GB/s", {1, 0, 2}), core::DeviceError);
  EXPECT_THROW(make_ceiling("a", "GB/s", {INFINITY}), core::DeviceError);
  EXPECT_THROW(make_ceiling("a", "GB/s", {NAN}), core::DeviceError);
  EXPECT_THROW(make_ceiling("a", "GB/s", {}), std::invalid_argument);
}

const Ceilings& quick() {
  static const Ceilings ceilings = measure_host(detect_cpu().threads, Effort::quick);
  return ceilings;
}

TEST(HostCeilings, EveryOneIsThereOnceWithItsUnitAndInterval) {
  const std::vector<std::pair<std::string, std::string>> expected = {{"host.read", "GB/s"},
                                                                     {"host.write", "GB/s"},
                                                                     {"host.copy", "GB/s"},
                                                                     {"host.triad", "GB/s"},
                                                                     {"host.core.read", "GB/s"},
                                                                     {"host.core.write", "GB/s"},
                                                                     {"host.core.copy", "GB/s"},
                                                                     {"host.core.triad", "GB/s"},
                                                                     {"host.fma.f64", "GFLOP/s"},
                                                                     {"host.fma.f32", "GFLOP/s"},
                                                                     {"host.integer", "Gop/s"},
                                                                     {"host.core.fma.f64", "GFLOP/s"},
                                                                     {"host.core.fma.f32", "GFLOP/s"},
                                                                     {"host.core.integer", "Gop/s"}};
  for (const auto& [name, unit] : expected) {
    SCOPED_TRACE(name);
    const Ceiling* found = nullptr;
    int times = 0;
    for (const Ceiling& c : quick().entries)
      if (c.name == name) found = &c, ++times;
    ASSERT_EQ(times, 1);
    EXPECT_EQ(found->unit, unit);
    EXPECT_TRUE(std::isfinite(found->value) && found->value > 0);
    EXPECT_LE(found->low, found->value);
    EXPECT_GE(found->high, found->value);
    EXPECT_GE(found->samples.size(), 3u);  // 7, unless the machine is busy
    EXPECT_FALSE(found->note.empty());
  }
  EXPECT_EQ(quick().find("host.nothing"), std::nullopt);
}

// The fastest sample: another program on the same cores can make any one slower, and the median of a busy machine says
// nothing about the code.
double best(const std::string& name) {
  for (const Ceiling& c : quick().entries)
    if (c.name == name) return *std::max_element(c.samples.begin(), c.samples.end());
  return 0;
}

constexpr bool sanitized = SPEEDWELL_SANITIZED;

// The load of a machine that has more to do than cores to do it, where nothing holds of times; else 0.
double load_of_taken_cores() {
  double load = 0;
  return getloadavg(&load, 1) == 1 && load > detect_cpu().threads ? load : 0;
}

TEST(HostCeilings, OneThreadHasPlausibleRatios) {
  if (sanitized) GTEST_SKIP() << "a sanitizer slows every kernel down differently";
  if (const double load = load_of_taken_cores(); load > 0) GTEST_SKIP() << "the cores are taken: load " << load;
  // Reading moves half of what copying does, and no processor copies at more than twice the rate at which it reads.
  EXPECT_GE(best("host.core.read"), 0.4 * best("host.core.copy"));
  // An f32 vector has twice the lanes of an f64 one.
  EXPECT_GT(best("host.core.fma.f32"), 1.4 * best("host.core.fma.f64"));
  EXPECT_LT(best("host.core.fma.f32"), 2.6 * best("host.core.fma.f64"));
}

TEST(HostCeilings, OneThreadIsNotFasterThanAll) {
  if (sanitized) GTEST_SKIP() << "a sanitizer slows every kernel down differently";
  if (const double load = load_of_taken_cores(); load > 0) GTEST_SKIP() << "the cores are taken: load " << load;
  for (const char* kind : {"read", "write", "copy", "triad", "fma.f64", "fma.f32", "integer"})
    // On a shared machine another process may take one of two cores for as long as a sample lasts, which halves what
    // all threads together do: 2, and a quarter for the rest of the noise.
    EXPECT_LE(best(std::string("host.core.") + kind), 2.5 * best(std::string("host.") + kind)) << kind;
  if (best("host.l1.triad") > 0) {
    EXPECT_GT(best("host.l1.triad"), best("host.triad"));
  }
}

TEST(HostCeilings, AQuickMeasurementIsQuick) {
  const int threads = detect_cpu().threads;
  const std::clock_t begin = std::clock();
  measure_host(threads, Effort::quick);
  // Processor time of each thread, which other programs do not lengthen; about 1 s of the clock on 2 idle cores.
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / threads, 3);
}

TEST(HostCeilings, NoThreadsIsAnError) {
  EXPECT_THROW(measure_host(0, Effort::quick), std::invalid_argument);
  EXPECT_THROW(measure_host(-1, Effort::quick), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::machine
