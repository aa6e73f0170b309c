#include "speedwell/harness/measurement/limits.hpp"

#include <gtest/gtest.h>

namespace speedwell::harness {
namespace {

class Limits : public testing::Test {
 protected:
  Limits() {
    machine_.cpu.caches = {{1, 32 << 10, 1, 4}, {2, 1 << 20, 1, 4}, {3, 16 << 20, 4, 1}};
    machine::Gpu gpu;
    gpu.l2_bytes = 50 << 20;
    machine_.gpus = {gpu};
    add("host.read", 100), add("host.copy", 90), add("host.triad", 95), add("host.write", 80),
        add("host.l1.triad", 4000);
    add("host.l3.triad", 400), add("host.fma.f64", 1000), add("gpu.read", 4500), add("gpu.copy", 4300),
        add("gpu.triad", 4400);
    add("gpu.write", 4700), add("gpu.l2.read", 9000), add("gpu.l2.copy", 5000), add("gpu.link.up.pinned", 55);
  }
  void add(const char* name, double value) { ceilings_.entries.push_back({name, value, "", value, value, {value}}); }
  LimitOrReason limit(const Work& work, DeviceKind kind) { return limit_of(work, kind, machine_, 0, ceilings_); }

  machine::Machine machine_;
  machine::Ceilings ceilings_;
};

TEST_F(Limits, TheBandwidthIsThatOfTheNearestTraffic) {
  const double big = 1e12;
  EXPECT_EQ(limit({.bytes_read = 1e9, .working_set = big}, DeviceKind::gpu).limit->ceiling, "gpu.read");
  EXPECT_EQ(limit({.bytes_read = 2e9, .bytes_written = 1e9, .working_set = big}, DeviceKind::gpu).limit->ceiling,
            "gpu.triad");
  EXPECT_EQ(limit({.bytes_read = 1e9, .bytes_written = 1e9, .working_set = big}, DeviceKind::gpu).limit->ceiling,
            "gpu.copy");
  EXPECT_EQ(limit({.bytes_written = 1e9, .working_set = big}, DeviceKind::gpu).limit->ceiling, "gpu.write");
}

TEST_F(Limits, SeveralGpusHaveTheirRatesAndCachesTogether) {
  const auto on = [&](const Work& work, int gpus) {
    return limit_of(work, DeviceKind::gpu, machine_, 0, ceilings_, gpus);
  };
  const Work large{.bytes_read = 9e9, .working_set = 1e12};
  EXPECT_DOUBLE_EQ(on(large, 2).limit->seconds, on(large, 1).limit->seconds / 2);
  EXPECT_EQ(on(large, 2).limit->ceiling, "gpu.read");
  EXPECT_DOUBLE_EQ(on(large, 2).limit->ceiling_value, 9000);
  const Work near_two{.bytes_read = 9e9, .working_set = 150 << 20};
  EXPECT_EQ(on(near_two, 1).limit->bound, "memory");
  EXPECT_EQ(on(near_two, 2).limit->bound, "cache");
  EXPECT_FALSE(cache_resident({.working_set = 300 << 20}, DeviceKind::gpu, machine_, 0));
  EXPECT_TRUE(cache_resident({.working_set = 300 << 20}, DeviceKind::gpu, machine_, 0, 2));
}

TEST_F(Limits, TheLargerOfBytesAndOperationsBounds) {
  const auto memory = limit({.operations = 1e9, .arithmetic = Arithmetic::f64, .bytes_read = 1e9, .working_set = 1e12},
                            DeviceKind::cores);
  EXPECT_EQ(memory.limit->bound, "memory");
  EXPECT_DOUBLE_EQ(memory.limit->seconds, 0.01);
  const auto arithmetic = limit(
      {.operations = 1e12, .arithmetic = Arithmetic::f64, .bytes_read = 1e9, .working_set = 1e12}, DeviceKind::cores);
  EXPECT_EQ(arithmetic.limit->bound, "arithmetic");
  EXPECT_DOUBLE_EQ(arithmetic.limit->seconds, 1);
}

TEST_F(Limits, ASmallWorkingSetIsHeldAgainstTheCacheThatHoldsIt) {
  EXPECT_EQ(limit({.bytes_read = 1e6, .working_set = 1e6}, DeviceKind::gpu).limit->ceiling, "gpu.l2.read");
  EXPECT_EQ(limit({.bytes_read = 1e4, .working_set = 1e4}, DeviceKind::cores).limit->ceiling, "host.l1.triad");
  EXPECT_EQ(limit({.bytes_read = 1e7, .working_set = 1e7}, DeviceKind::cores).limit->ceiling, "host.l3.triad");
  EXPECT_TRUE(cache_resident({.working_set = 6e7}, DeviceKind::cores, machine_, 0));
  EXPECT_FALSE(cache_resident({.working_set = 7e7}, DeviceKind::cores, machine_, 0));
}

TEST_F(Limits, NearTheSizeOfACacheOnlyWhatCannotStayInItComesFromMemory) {
  const double l2 = 50 << 20, bytes = 1e9;
  const auto of = [&](double times) {
    return *limit({.bytes_read = bytes, .working_set = times * l2}, DeviceKind::gpu).limit;
  };
  EXPECT_EQ(of(1).ceiling, "gpu.l2.read");
  EXPECT_EQ(of(1.5).ceiling, "gpu.l2.read") << "a third through memory takes less time than all through the cache";
  EXPECT_EQ(of(3).ceiling, "gpu.read");
  EXPECT_DOUBLE_EQ(of(3).seconds, bytes * 2 / 3 / 4500e9);
  EXPECT_EQ(of(3).bound, "memory");
  EXPECT_DOUBLE_EQ(of(4.1).seconds, bytes / 4500e9);
  double before = 0;
  for (double times = 0.1; times < 10; times *= 1.1) {
    EXPECT_GE(of(times).seconds, before) << times;
    before = of(times).seconds;
  }
}

TEST_F(Limits, TheHostLinkBoundsWhatCrossesIt) {
  const auto l = limit({.bytes_read = 55e9, .over_link = true}, DeviceKind::gpu);
  EXPECT_EQ(l.limit->bound, "link");
  EXPECT_DOUBLE_EQ(l.limit->seconds, 1);
}

TEST_F(Limits, WorkThatNoCeilingBoundsGivesItsReason) {
  const auto none =
      limit({.bytes_read = 1e9, .working_set = 1e12, .no_limit = "waits for messages"}, DeviceKind::cores);
  EXPECT_FALSE(none.limit);
  EXPECT_EQ(none.reason, "waits for messages");
}

TEST_F(Limits, BetweenTwoGpusTheFastestMoverIsTheLimitOfEachDirection) {
  EXPECT_EQ(limit({.bytes_written = 4e9, .over_link = true, .between_gpus = true}, DeviceKind::gpu).reason,
            "the ceiling link.copy (between two GPUs: copy engine) was not measured");
  add("link.copy", 350), add("link.load", 300), add("link.store", 400);
  add("link.copy_both", 320), add("link.store_both", 310);
  const auto one_way = limit({.bytes_written = 4e9, .over_link = true, .between_gpus = true}, DeviceKind::gpu);
  ASSERT_TRUE(one_way.limit);
  EXPECT_EQ(one_way.limit->ceiling, "link.store");
  EXPECT_EQ(one_way.limit->bound, "link");
  EXPECT_NEAR(one_way.limit->seconds, 0.01, 1e-12);
  const auto both =
      limit({.bytes_read = 3.2e9, .bytes_written = 3.2e9, .over_link = true, .between_gpus = true}, DeviceKind::gpu);
  ASSERT_TRUE(both.limit);
  EXPECT_EQ(both.limit->ceiling, "link.copy_both");
  EXPECT_NEAR(both.limit->seconds, 0.01, 1e-12) << "per direction, not their sum";
}

TEST_F(Limits, ALimitThatTheMeasurementBeatsByMoreThanTwoPercentIsWithheld) {
  const Work work = {.bytes_read = 1e9, .working_set = 1e12};  // 10 ms at 100 GB/s
  auto believed = limit(work, DeviceKind::cores);
  withhold_if_exceeded(believed, 0.00985);
  EXPECT_TRUE(believed.limit) << "1.5 % is noise";
  auto slightly = limit(work, DeviceKind::cores);
  withhold_if_exceeded(slightly, 0.00978);
  EXPECT_FALSE(slightly.limit) << "2.2 % is not";
  auto withheld = limit(work, DeviceKind::cores);
  withhold_if_exceeded(withheld, 0.0090);
  EXPECT_FALSE(withheld.limit);
  EXPECT_NE(withheld.reason.find("90 % of what host.read"), std::string::npos) << withheld.reason;
}

TEST_F(Limits, ACeilingThatWasNotStableGivesNoLimit) {
  for (machine::Ceiling& c : ceilings_.entries)
    if (c.name == "host.read") c.low = 95, c.high = 101;
  const auto none = limit({.bytes_read = 1e9, .working_set = 1e12}, DeviceKind::cores);
  EXPECT_FALSE(none.limit);
  EXPECT_EQ(none.reason, "the ceiling host.read was not stable: 95 to 101 ");
}

TEST_F(Limits, AMissingCeilingIsAReasonNotAZero) {
  const auto none = limit({.operations = 1, .arithmetic = Arithmetic::f32, .bytes_read = 1e9, .working_set = 1e12},
                          DeviceKind::cores);
  EXPECT_FALSE(none.limit);
  EXPECT_EQ(none.reason, "the ceiling host.fma.f32 (all cores: multiply-add, single precision) was not measured");
  EXPECT_FALSE(limit({}, DeviceKind::gpu).limit);
}

}  // namespace
}  // namespace speedwell::harness
