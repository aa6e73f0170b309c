#include "speedwell/harness/measurement/sensor_watch.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

namespace speedwell::harness {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// Sensors as slow as NVML's or slower, whose values follow a script.
class Scripted : public machine::Sensors {
 public:
  machine::Reading read() override {
    std::this_thread::sleep_for(5ms);
    machine::Reading reading;
    reading.clock_MHz = clock;
    reading.temperature_C = 40;
    reading.throttled = throttled.load();
    ++readings;
    return reading;
  }
  std::string energy_source() const override { return "none"; }

  std::atomic<int> clock{1000}, readings{0};
  std::atomic<bool> throttled{false};
};

void wait_for_reading(const Scripted& sensors, int readings) {
  const auto patience = Clock::now() + 20s;
  while (sensors.readings < readings && Clock::now() < patience) std::this_thread::sleep_for(1ms);
  ASSERT_GE(sensors.readings, readings);
}

TEST(SensorWatch, SeesTheRangeOfAPass) {
  Scripted sensors;
  SensorWatch watch(&sensors);
  watch.begin();
  wait_for_reading(sensors, 1);
  sensors.clock = 1500;
  wait_for_reading(sensors, 3);
  const auto seen = watch.end();
  ASSERT_TRUE(seen.clock_MHz && seen.temperature_C);
  EXPECT_EQ(*seen.clock_MHz, std::pair(1000, 1500));
  EXPECT_EQ(*seen.temperature_C, std::pair(40, 40));
}

TEST(SensorWatch, APassThatIsShorterThanAReadingHasTheLastOne) {
  Scripted sensors;
  SensorWatch watch(&sensors);
  watch.begin();
  wait_for_reading(sensors, 2);
  watch.end();
  const auto begin = Clock::now();
  watch.begin();
  const auto seen = watch.end();
  EXPECT_LT(Clock::now() - begin, 4s);  // it waits for no reading
  ASSERT_TRUE(seen.clock_MHz);
  EXPECT_EQ(*seen.clock_MHz, std::pair(1000, 1000));
}

TEST(SensorWatch, TellsOfThrottlingAndOfItsEnd) {
  Scripted sensors;
  SensorWatch watch(&sensors);
  EXPECT_FALSE(watch.throttled());
  sensors.throttled = true;
  watch.begin();
  wait_for_reading(sensors, 2);
  EXPECT_TRUE(watch.throttled());
  sensors.throttled = false;
  wait_for_reading(sensors, sensors.readings + 2);
  EXPECT_FALSE(watch.throttled());
  watch.end();
}

TEST(SensorWatch, ReadsNothingBetweenPasses) {
  Scripted sensors;
  SensorWatch watch(&sensors);
  watch.begin();
  wait_for_reading(sensors, 1);
  watch.end();
  std::this_thread::sleep_for(30ms);  // a reading that had begun may end
  const int before = sensors.readings;
  std::this_thread::sleep_for(300ms);
  EXPECT_LE(sensors.readings, before + 1);
}

TEST(SensorWatch, WithoutSensorsNothingIsSeen) {
  SensorWatch watch(nullptr);
  watch.begin();
  const auto seen = watch.end();
  EXPECT_FALSE(seen.clock_MHz || seen.temperature_C || watch.throttled() || watch.read().energy_J);
}

}  // namespace
}  // namespace speedwell::harness
