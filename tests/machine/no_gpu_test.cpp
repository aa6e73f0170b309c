// Results on a machine without a GPU, or of a build without CUDA.
#include <gtest/gtest.h>

#include <vector>

#include "speedwell/core/error.hpp"
#include "speedwell/machine/ceilings.hpp"
#include "speedwell/machine/machine.hpp"

namespace speedwell::machine {
namespace {

TEST(WithoutAGpu, EverythingAboutGpusIsUnavailableAndHasAReason) {
  const Machine machine = detect();
  const int absent = static_cast<int>(machine.gpus.size());  // the first number that no GPU has
  EXPECT_THROW(measure_gpu(absent, Effort::quick), core::Unavailable);
  EXPECT_THROW(available_device_bytes(absent), core::Unavailable);
  EXPECT_THROW(gpu_sensors(absent), core::Unavailable);
  EXPECT_THROW(measure_gpu(-1, Effort::quick), core::Unavailable);
}

TEST(WithoutAGpu, ALinkNeedsTwoGpus) {
  const int absent = static_cast<int>(detect().gpus.size());
  for (const std::vector<int>& devices :
       {std::vector<int>{}, std::vector<int>{0}, std::vector<int>{absent, absent + 1}, std::vector<int>{0, -1}}) {
    EXPECT_TRUE(link_missing(devices)) << devices.size();
    EXPECT_THROW(measure_link(devices, Effort::quick), core::Unavailable) << devices.size();
  }
}

TEST(WithoutAGpu, ItsReasonIsDescribed) {
  Machine machine;
  machine.cpu.cores = 8;
  machine.cpu.name = "CPU";
  machine.gpu_reason = "no driver";
  EXPECT_EQ(describe_all(machine, 4, {}), "host: 4 threads on 8 cores of CPU\ngpu: none: no driver\n");
  machine.cpu.cores = 1;
  EXPECT_EQ(describe_all(machine, 1, {}), "host: 1 thread on 1 core of CPU\ngpu: none: no driver\n");
  machine.cpu.cores = 8;
  machine.gpus.resize(1);
  EXPECT_EQ(describe_all(machine, 4, {}), "host: 4 threads on 8 cores of CPU\n");
  machine.gpus[0].name = "NVIDIA H200";
  EXPECT_EQ(describe_all(machine, 4, {0}), "host: 4 threads on 8 cores of CPU\ngpu 0: NVIDIA H200\n");
}

}  // namespace
}  // namespace speedwell::machine
