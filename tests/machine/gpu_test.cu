#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "speedwell/core/cuda.hpp"
#include "speedwell/machine/ceilings.hpp"
#include "speedwell/machine/machine.hpp"

namespace speedwell::machine {
namespace {

class Gpu0 : public testing::Test {
 protected:
  void SetUp() override {
    if (!core::have_device()) GTEST_SKIP() << "no GPU";
    static const Machine found = detect();
    machine_ = &found;
    if (!found.gpus.at(0).runnable) GTEST_SKIP() << found.gpus[0].not_runnable;
  }
  const Gpu& gpu() const { return machine_->gpus[0]; }
  const Ceilings& quick() const {
    static const Ceilings ceilings = measure_gpu(0, Effort::quick);
    return ceilings;
  }
  double value(const std::string& name) const { return quick().find(name).value_or(0); }
  const Machine* machine_ = nullptr;
};

TEST_F(Gpu0, IsDescribed) {
  EXPECT_EQ(static_cast<int>(machine_->gpus.size()), core::device_count());
  EXPECT_EQ(machine_->gpu_reason, "");
  EXPECT_FALSE(machine_->driver.empty());
  EXPECT_FALSE(gpu().name.empty());
  EXPECT_EQ(gpu().uuid.size(), 40u) << gpu().uuid;  // "GPU-" and 36 characters
  EXPECT_GE(gpu().compute_capability, 80);
  EXPECT_GT(gpu().multiprocessors, 0);
  EXPECT_GT(gpu().l2_bytes, 0);
  const auto available = available_device_bytes(0);
  EXPECT_GT(available, 0);
  EXPECT_LE(available, gpu().memory_bytes);
}

TEST_F(Gpu0, HasSensorsThatAreFreshAndFast) {
  const auto sensors = gpu_sensors(0);
  const Reading first = sensors->read();
  if (first.energy_J) {
    EXPECT_EQ(sensors->energy_source(), "NVML total energy");
    EXPECT_GE(sensors->read().energy_J.value(), *first.energy_J);
  } else {
    EXPECT_NE(sensors->energy_source(), "NVML total energy");
  }
  EXPECT_GT(first.temperature_C.value_or(20), 0);
  EXPECT_LT(first.temperature_C.value_or(20), 120);
  EXPECT_LE(first.clock_MHz.value_or(0), gpu().clock_max_MHz.value_or(100000));
  constexpr int reads = 50;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < reads; ++i) (void)sensors->read();
  const double each = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / reads;
  EXPECT_LT(each, 5e-3) << "a reading must not disturb what is measured";
}

TEST_F(Gpu0, EveryCeilingIsThereAndFinite) {
  std::vector<std::string> names = {"gpu.read",
                                    "gpu.write",
                                    "gpu.copy",
                                    "gpu.triad",
                                    "gpu.l2.read",
                                    "gpu.l2.copy",
                                    "gpu.fma.f64",
                                    "gpu.fma.f32",
                                    "gpu.integer",
                                    "gpu.link.up.pinned",
                                    "gpu.link.down.pinned",
                                    "gpu.link.up.pageable",
                                    "gpu.link.down.pageable",
                                    "gpu.link.duplex.pinned",
                                    "gpu.launch",
                                    "gpu.launch_sync",
                                    "gpu.graph_node",
                                    "gpu.grid_sync"};
  if (gpu().compute_capability >= 90) names.push_back("gpu.dpx");
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const Ceiling* found = nullptr;
    for (const Ceiling& c : quick().entries)
      if (c.name == name) found = &c;
    ASSERT_NE(found, nullptr);
    EXPECT_TRUE(std::isfinite(found->value) && found->value > 0);
    EXPECT_LE(found->low, found->value);
    EXPECT_GE(found->high, found->value);
    EXPECT_GE(found->samples.size(), 7u);
    EXPECT_FALSE(found->unit.empty());
  }
  EXPECT_EQ(quick().entries.size(), names.size());
}

TEST_F(Gpu0, CeilingsAreInSaneRelations) {
  for (const char* kind : {"gpu.read", "gpu.write", "gpu.triad"}) {
    EXPECT_GT(value(kind), 0.8 * value("gpu.copy")) << kind;
    EXPECT_LT(value(kind), 1.4 * value("gpu.copy")) << kind;
  }
  EXPECT_GT(value("gpu.l2.read"), 1.2 * value("gpu.read"));
  EXPECT_GT(value("gpu.l2.copy"), 1.1 * value("gpu.copy"));
  // No more than the lanes there are: 128 f32 lanes a multiprocessor at most, at the highest clock (1 % for its
  // rounding).
  if (gpu().clock_max_MHz) {
    const double f32_peak = 2.0 * 128 * gpu().multiprocessors * *gpu().clock_max_MHz * 1e-3;
    EXPECT_LT(value("gpu.fma.f32"), 1.01 * f32_peak);
    EXPECT_GT(value("gpu.fma.f32"), 0.4 * f32_peak);
    EXPECT_LT(value("gpu.integer"), 1.01 * f32_peak / 2);
  }
  EXPECT_LE(value("gpu.fma.f64"), 1.05 * value("gpu.fma.f32"));
  for (const char* method : {"up", "down"})
    EXPECT_LT(value(std::string("gpu.link.") + method + ".pinned"), value("gpu.read")) << method;
  EXPECT_LT(value("gpu.link.duplex.pinned"), 1.1 * (value("gpu.link.up.pinned") + value("gpu.link.down.pinned")));
  EXPECT_GT(value("gpu.link.duplex.pinned"), 0.8 * value("gpu.link.up.pinned"));
  EXPECT_LT(value("gpu.launch"), value("gpu.launch_sync"));
  EXPECT_LT(value("gpu.graph_node"), value("gpu.launch"));
}

TEST_F(Gpu0, AQuickMeasurementIsFastAndKeepsNoMemory) {
  const auto before = available_device_bytes(0);
  const auto begin = std::chrono::steady_clock::now();
  measure_gpu(0, Effort::quick);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 3);
  EXPECT_GE(available_device_bytes(0), before - (std::int64_t{64} << 20));  // what the driver itself may keep
}

}  // namespace
}  // namespace speedwell::machine
