// The machines of the made-up records: what their devices reach.
#pragma once

#include <string>

namespace speedwell::harness::samples {

struct Device {
  std::string kind;                 // "core", "cores" or "gpu"
  double bandwidth, rate, latency;  // GB/s, Gop/s, seconds
};
/// `big`: of the machine with the GPU.
Device device(const std::string& kind, bool big);

inline const std::string no_gpu = "no GPU: the driver is not loaded";

}  // namespace speedwell::harness::samples
