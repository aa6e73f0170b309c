#include <gtest/gtest.h>

#include "speedwell/core/error.hpp"
#include "speedwell/machine/gpu/nvml.hpp"
#include "speedwell/machine/host/host_sensors.hpp"
#include "speedwell/machine/host/rapl.hpp"
#include "tree.hpp"

namespace speedwell::machine {
namespace {

constexpr const char* package0 = "sys/class/powercap/intel-rapl:0/";
constexpr const char* package1 = "sys/class/powercap/intel-rapl:1/";

void set_energy(Tree& tree, const std::string& package, const std::string& microjoules) {
  tree.file(package + "energy_uj", microjoules + "\n");
}

void two_packages(Tree& tree) {
  tree.file(std::string(package0) + "name", "package-0\n").file(std::string(package0) + "max_energy_range_uj", "999\n");
  tree.file(std::string(package1) + "name", "package-1\n")
      .file(std::string(package1) + "max_energy_range_uj", "9999999\n");
  set_energy(tree, package0, "900");
  set_energy(tree, package1, "5000000");
  // Counters that must not be included: a part of a package, the platform, the same counter under another path.
  tree.file("sys/class/powercap/intel-rapl:0:0/name", "core\n")
      .file("sys/class/powercap/intel-rapl:0:0/energy_uj", "7\n");
  tree.file("sys/class/powercap/intel-rapl:2/name", "psys\n").file("sys/class/powercap/intel-rapl:2/energy_uj", "7\n");
  tree.file("sys/class/powercap/intel-rapl-mmio:0/name", "package-0\n");
}

TEST(Rapl, EnergyIsTheSumOverPackagesSinceTheStart) {
  Tree tree;
  two_packages(tree);
  Rapl rapl(tree.root());
  EXPECT_EQ(rapl.reason(), "");
  EXPECT_DOUBLE_EQ(rapl.energy_J().value(), 0);
  set_energy(tree, package0, "950");
  set_energy(tree, package1, "7000000");
  EXPECT_DOUBLE_EQ(rapl.energy_J().value(), 2.000050);
}

TEST(Rapl, ACounterMayWrapAround) {
  Tree tree;
  two_packages(tree);
  Rapl rapl(tree.root());
  set_energy(tree, package0, "100");  // 900 … 999, 0 … 100: 200 steps
  EXPECT_DOUBLE_EQ(rapl.energy_J().value(), 200e-6);
  set_energy(tree, package0, "99");  // once more: 999 steps
  EXPECT_DOUBLE_EQ(rapl.energy_J().value(), 1199e-6);
}

TEST(Rapl, WhatCannotBeReadIsEmptyAndSaysWhy) {
  Tree tree;
  Rapl none(tree.root());
  EXPECT_FALSE(none.energy_J());
  EXPECT_NE(none.reason().find("no package energy counter"), std::string::npos) << none.reason();

  tree.file(std::string(package0) + "name", "package-0\n");  // and no counter that can be read
  Rapl unreadable(tree.root());
  EXPECT_FALSE(unreadable.energy_J());
  EXPECT_NE(unreadable.reason().find("cannot be read"), std::string::npos) << unreadable.reason();
}

TEST(Rapl, ACounterThatVanishesGivesNothingAndNotZero) {
  Tree tree;
  two_packages(tree);
  Rapl rapl(tree.root());
  std::filesystem::remove(tree.root() / package1 / "energy_uj");
  EXPECT_FALSE(rapl.energy_J());
}

TEST(HostSensors, TheyReadEnergyTemperatureAndThrottling) {
  Tree tree;
  two_packages(tree);
  tree.file("sys/class/thermal/thermal_zone0/type", "acpitz\n").file("sys/class/thermal/thermal_zone0/temp", "99000\n");
  tree.file("sys/class/thermal/thermal_zone1/type", "x86_pkg_temp\n")
      .file("sys/class/thermal/thermal_zone1/temp", "41500\n");
  const std::string counter = "sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count";
  tree.file(counter, "3\n").file("sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n");
  const auto sensors = host_sensors(tree.root());
  EXPECT_EQ(sensors->energy_source(), "RAPL package");
  Reading reading = sensors->read();
  EXPECT_EQ(reading.temperature_C, 41);
  EXPECT_EQ(reading.throttled, false);
  EXPECT_TRUE(reading.energy_J);
  EXPECT_FALSE(reading.clock_MHz);
  tree.file(counter, "4\n");
  EXPECT_EQ(sensors->read().throttled, true);
  EXPECT_EQ(sensors->read().throttled, false);
}

TEST(HostSensors, OnABareMachineEverythingIsEmpty) {
  Tree tree;
  const auto sensors = host_sensors(tree.root());
  const Reading reading = sensors->read();
  EXPECT_FALSE(reading.clock_MHz || reading.temperature_C || reading.throttled || reading.energy_J);
  EXPECT_NE(sensors->energy_source(), "RAPL package");
  EXPECT_FALSE(sensors->energy_source().empty());
}

TEST(Nvml, WithoutTheLibraryEverythingIsEmptyAndSaysWhy) {
  const auto nvml = Nvml::open("libspeedwell-no-such-library.so.1");
  EXPECT_NE(nvml->reason().find("cannot be opened"), std::string::npos) << nvml->reason();
  EXPECT_FALSE(nvml->driver_version());
  EXPECT_FALSE(nvml->find("GPU-00000000-0000-0000-0000-000000000000", "0000:01:00.0"));
}

TEST(Nvml, AnotherLibraryIsNotTakenForNvml) {
  const auto nvml = Nvml::open("libm.so.6");
  EXPECT_NE(nvml->reason().find("nvmlInit_v2"), std::string::npos) << nvml->reason();
  EXPECT_FALSE(nvml->driver_version());
}

// fake_nvml.cpp is written from NVML's reference; its values are in the comments there.
class FakeNvml : public testing::Test {
 protected:
  void SetUp() override {
    unsetenv("FAKE_NVML_REASONS");
    unsetenv("FAKE_NVML_INIT");
    unsetenv("FAKE_NVML_P2P");
  }
  void TearDown() override { SetUp(); }
};

TEST_F(FakeNvml, UnitsAreConverted) {
  const auto nvml = Nvml::open(SPEEDWELL_FAKE_NVML);
  ASSERT_EQ(nvml->reason(), "");
  EXPECT_EQ(nvml->driver_version(), "580.65.06");
  const auto gpu = nvml->find("GPU-1", "");
  ASSERT_TRUE(gpu);
  EXPECT_EQ(gpu->ecc(), true);
  EXPECT_DOUBLE_EQ(gpu->power_limit_W().value(), 700);
  EXPECT_EQ(gpu->clock_max_MHz(), 1980);
  EXPECT_EQ(gpu->clock_MHz(), 1755);
  EXPECT_EQ(gpu->link_generation(), 5);
  EXPECT_EQ(gpu->temperature_C(), 41);
  EXPECT_DOUBLE_EQ(gpu->energy_J().value(), 123456.789);
  EXPECT_FALSE(gpu->link_width());  // which this GPU does not support
}

TEST_F(FakeNvml, NvlinkConnectsTwoGpusIfItsStatusIsOk) {
  const auto nvml = Nvml::open(SPEEDWELL_FAKE_NVML);
  const auto one = nvml->find("GPU-1", ""), other = nvml->find("", "0000:1b:00.0");
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->nvlink_to(*other), true);
  setenv("FAKE_NVML_P2P", "5", 1);  // NVML_P2P_STATUS_NOT_SUPPORTED
  EXPECT_EQ(one->nvlink_to(*other), false);
}

TEST_F(FakeNvml, ADeviceIsFoundByItsBusWhereTheUuidIsUnknown) {
  const auto nvml = Nvml::open(SPEEDWELL_FAKE_NVML);
  EXPECT_TRUE(nvml->find("GPU-unknown", "0000:1b:00.0"));
  EXPECT_FALSE(nvml->find("GPU-unknown", "0000:ff:00.0"));
}

TEST_F(FakeNvml, HeatAndPowerThrottleAndIdlenessAndClockSettingsDoNot) {
  const auto nvml = Nvml::open(SPEEDWELL_FAKE_NVML);
  const auto gpu = nvml->find("GPU-1", "");
  ASSERT_TRUE(gpu);
  const auto throttled = [&](const char* mask) {
    setenv("FAKE_NVML_REASONS", mask, 1);
    return gpu->throttled();
  };
  for (const char* mask : {"0x0", "0x1", "0x2", "0x10", "0x100", "0x113"}) EXPECT_EQ(throttled(mask), false) << mask;
  for (const char* mask : {"0x4", "0x8", "0x20", "0x40", "0x80", "0x5"}) EXPECT_EQ(throttled(mask), true) << mask;
}

TEST_F(FakeNvml, ASessionThatCannotStartSaysWhy) {
  setenv("FAKE_NVML_INIT", "9", 1);
  const auto nvml = Nvml::open(SPEEDWELL_FAKE_NVML);
  EXPECT_EQ(nvml->reason(), "NVML: Driver Not Loaded");
  EXPECT_FALSE(nvml->find("GPU-1", ""));
}

}  // namespace
}  // namespace speedwell::machine
