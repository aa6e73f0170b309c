// The GPU of a rank, among those that the CUDA runtime shows it. Reading properties creates no CUDA context.
#include <string>
#include <vector>

#include "speedwell/comm/devices.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::comm {

int device_of_rank(const Communicator& ranks, bool shared) {
  std::vector<VisibleDevice> devices;
  int count = 0;
  std::string reason;
  if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess) {
    (void)cudaGetLastError();
    reason = std::string("CUDA: ") + cudaGetErrorString(status);
    count = 0;
  }
  for (int index = 0; index < count; ++index) {
    cudaDeviceProp properties{};
    core::check(cudaGetDeviceProperties(&properties, index));
    const auto* const bytes = reinterpret_cast<const unsigned char*>(properties.uuid.bytes);
    std::string uuid;
    for (int i = 0; i < 16; ++i) uuid += std::to_string(bytes[i]) + ".";
    devices.push_back({index, properties.name, uuid});
  }
  return devices_of_ranks(ranks, devices, reason, shared).device;
}

}  // namespace speedwell::comm
