// Variants on several GPUs, run by the ranks of a launch on a machine that is made up: which device each rank is given,
// what the outcome and its record say, and what is refused.
#include <cmath>

#include "speedwell/harness/records/record.hpp"
#include "tests/harness/experiments.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/toy_ranks.hpp"

namespace speedwell::harness {
namespace {

// The sensors of a GPU that tells nothing.
class NoSensors : public machine::Sensors {
 public:
  machine::Reading read() override { return {}; }
  std::string energy_source() const override { return "none"; }
};

class SeveralGpus : public Experiments {
 protected:
  SeveralGpus() {
    for (const char* name : {"gpu.copy", "gpu.fma.f64"})
      ceilings_.entries.push_back({name, 1e4, "GB/s", 1e4, 1e4, {1e4}});
    toy_.prepare_rank = test::no_toy_data;
    const auto nothing = [](const comm::Communicator&) {};
    toy_.variants.push_back(test::toy_on_ranks("multi", Backend::multi, 2, nothing));
    toy_.variants.push_back(test::toy_on_ranks("multi-wrong", Backend::multi, 3, nothing));
    // NaN everywhere, which is what is left where a rank computes nothing.
    toy_.variants.push_back(test::toy_on_ranks("multi-nan", Backend::multi, std::nan(""), nothing));
    measurement_.energy = true;
  }
  void set_gpus(int count) {
    machine_.gpus.clear();
    measurement_.devices.clear();
    for (int g = 0; g < count; ++g) {
      machine_.gpus.push_back({.index = g, .name = "NVIDIA T", .uuid = "GPU-" + std::to_string(g)});
      measurement_.devices.push_back(g);
    }
  }
  Outcome run_multi(const std::string& variant) {
    const RankDevicesOrReason devices = devices_of_ranks(ranks_, machine_, measurement_);
    ExecutionEnvironment here = environment();
    here.ranks = &ranks_;
    here.gpu_sensors = &sensors_of_gpu_;
    here.rank_devices = &devices;
    const auto all = problems(toy_, find_size(toy_, "test"), {}, 1);
    return run_experiment(toy_, all.front(), select_variants(toy_, variant), measurement_, here).front();
  }

  const comm::Communicator& ranks_ = test::ranks();
  const std::size_t count_ = static_cast<std::size_t>(ranks_.size());
  NoSensors sensors_of_gpu_;
};

TEST_F(SeveralGpus, AreDrivenByARankEach) {
  set_gpus(8);
  const Outcome o = run_multi("multi");
  ASSERT_EQ(o.status, Status::passed) << o.reason;
  EXPECT_EQ(o.device, DeviceKind::gpu);
  EXPECT_EQ(o.gpu, ranks_.rank());
  EXPECT_EQ(o.gpus, ranks_.size());
  EXPECT_EQ(o.threads, 1);
  ASSERT_EQ(o.placement.size(), count_);
  for (std::size_t r = 0; r < count_; ++r) EXPECT_EQ(o.placement[r].gpu, "GPU-" + std::to_string(r));
  EXPECT_EQ(device_name(o, machine_), count_ == 1 ? "one NVIDIA T" : std::to_string(count_) + " x NVIDIA T");
  EXPECT_EQ(o.energy_reason == "not measured on ranks", count_ > 1) << o.energy_reason;
  if (ranks_.rank() > 0) return;
  ASSERT_TRUE(o.limit.limit) << o.limit.reason;
  EXPECT_EQ(o.limit.limit->ceiling, "gpu.copy");
  EXPECT_DOUBLE_EQ(o.limit.limit->ceiling_value, 1e4 * static_cast<double>(count_));
  const Json record = record_of(o, machine_);
  EXPECT_EQ(record["variant"]["backend"], "multi");
  EXPECT_EQ(record["device"]["kind"], "gpu");
  EXPECT_TRUE(record["device"]["threads"].is_null());
  EXPECT_EQ(record["ranks"]["count"], count_);
  EXPECT_EQ(record["ranks"]["placement"].back()["gpu"], "GPU-" + std::to_string(count_ - 1));
  EXPECT_EQ(record["choices"]["device"], "0");
}

TEST_F(SeveralGpus, TakeTheOrderOfTheList) {
  set_gpus(8);
  std::reverse(measurement_.devices.begin(), measurement_.devices.end());
  EXPECT_EQ(run_multi("multi").gpu, 7 - ranks_.rank());
}

TEST_F(SeveralGpus, AreSharedOnlyIfThatIsMeant) {
  set_gpus(1);
  measurement_.share_devices = true;
  const Outcome o = run_multi("multi");
  EXPECT_EQ(o.status, Status::passed) << o.reason;
  EXPECT_EQ(o.gpus, 1);
  EXPECT_EQ(o.gpu, 0);
  EXPECT_EQ(device_name(o, machine_), (count_ == 1 ? "" : std::to_string(count_) + " ranks on ") + "one NVIDIA T");
  if (count_ == 1) return;
  EXPECT_FALSE(o.device_bytes);
  measurement_.share_devices = false;
  const Outcome refused = run_multi("multi");
  EXPECT_EQ(refused.status, Status::skipped);
  EXPECT_NE(refused.reason.find(", which has 1 GPU"), std::string::npos) << refused.reason;
}

TEST_F(SeveralGpus, FailTogether) {
  set_gpus(8);
  EXPECT_EQ(run_multi("multi-wrong").status, Status::failed);
  EXPECT_EQ(run_multi("multi-nan").status, Status::failed);
}

TEST_F(SeveralGpus, AreMissedWithTheReason) {
  set_gpus(0);
  EXPECT_EQ(run_multi("multi").status, Status::skipped);
  EXPECT_EQ(run_multi("multi").reason, "no GPU in this test");
  set_gpus(2);
  measurement_.devices.clear();
  EXPECT_EQ(run_multi("multi").reason, "no GPU is to be used (--devices none)");
  set_gpus(static_cast<int>(count_));
  machine_.gpus.back().name = "NVIDIA U";
  if (count_ == 1) return;
  EXPECT_EQ(run_multi("multi").reason.substr(0, 24), "GPUs of different models");
}

}  // namespace
}  // namespace speedwell::harness
