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

}  // namespace
}  // namespace speedwell::machine
