// The GPUs of a process without ranks, and how they are described.
#include "speedwell/session/devices.hpp"

#include <gtest/gtest.h>

#include "speedwell/process/failure.hpp"

namespace speedwell::session {
namespace {

machine::Machine two_gpus() {
  machine::Machine machine;
  machine.cpu.name = "CPU";
  machine.gpus.resize(2);
  machine.gpus[0].name = machine.gpus[1].name = "NVIDIA H200";
  machine.gpus[1].index = 1;
  return machine;
}

TEST(SessionDevices, AreThoseThatDevicesLeaves) {
  RunOptions options;
  options.devices = "all";
  EXPECT_EQ(gpus_of_process(options, two_gpus()), (std::vector<int>{0, 1}));
  options.devices = "1";
  EXPECT_EQ(gpus_of_process(options, two_gpus()), (std::vector<int>{1}));
  options.devices = "none";
  EXPECT_TRUE(gpus_of_process(options, two_gpus()).empty());
  options.gpus = "some";
  EXPECT_THROW(gpus_of_process(options, two_gpus()), process::UsageError);
}

TEST(SessionDevices, AreDescribedWithTheirNumber) {
  EXPECT_EQ(devices_text({}, 1, two_gpus()), "1 thread of CPU");
  EXPECT_EQ(devices_text({}, 2, two_gpus()), "2 threads of CPU");
  EXPECT_EQ(devices_text({1}, 2, two_gpus()), "NVIDIA H200");
  EXPECT_EQ(devices_text({0, 1}, 2, two_gpus()), "2 x NVIDIA H200");
  EXPECT_EQ(devices_text({7}, 2, two_gpus()), "GPU");
}

}  // namespace
}  // namespace speedwell::session
