// Results on a machine without a GPU, or of a build without CUDA.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace speedwell::machine
