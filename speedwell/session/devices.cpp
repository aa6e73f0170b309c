#include "speedwell/session/devices.hpp"

#include <fmt/format.h>

#include "speedwell/comm/devices.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/process/failure.hpp"
#include "speedwell/process/ranks.hpp"
#include "speedwell/session/launch.hpp"

namespace speedwell::session {

std::vector<int> gpus_of_process(const RunOptions& options, const machine::Machine& machine) {
  std::vector<int> devices = devices_of(options.devices, machine);
  const int ranks = process::rank_count();
  if (options.gpus.empty()) return ranks > 1 ? std::vector<int>{} : devices;
  const int wanted = gpu_option(options.gpus);
  if (ranks > 1) {
    if (wanted != 0 && wanted != ranks)
      throw process::UsageError(fmt::format("--gpus {}, and the launcher has started {}", options.gpus, ranks),
                                "on ranks each has a GPU: --gpus all");
    std::vector<comm::VisibleDevice> visible;
    for (const int device : devices)
      if (const machine::Gpu* const gpu = machine::find_gpu(machine, device))
        visible.push_back({gpu->index, gpu->name, gpu->uuid});
    return {comm::devices_of_ranks(*process::ranks(), visible, machine.gpu_reason, options.oversubscribe).device};
  }
  if (const int count = machine_gpus(options.devices); wanted > count)
    throw process::UsageError(fmt::format("--gpus {}: {} here", wanted, core::there_are(count, "GPU")), "");
  if (wanted != 0) devices.resize(static_cast<std::size_t>(wanted));
  return devices;
}

std::string devices_text(const std::vector<int>& devices, int threads, const machine::Machine& machine) {
  const int ranks = process::rank_count();
  std::string text = ranks > 1 ? fmt::format("{} ranks, each on ", ranks) : "";
  if (devices.empty()) return text + fmt::format("{} of {}", core::counted(threads, "thread"), machine.cpu.name);
  if (devices.size() > 1) text += fmt::format("{} x ", devices.size());
  const machine::Gpu* const gpu = machine::find_gpu(machine, devices.front());
  return text + (gpu ? gpu->name : "GPU");
}

}  // namespace speedwell::session
