// The ceilings of the host, of a GPU and of the link between two GPUs in one measurement, and what was measured.
#include <fmt/format.h>

#include "speedwell/core/units.hpp"
#include "speedwell/machine/ceilings.hpp"
#include "speedwell/machine/host/binding.hpp"
#include "speedwell/machine/machine.hpp"

namespace speedwell::machine {

Ceilings measure_all(int threads, const std::vector<int>& devices, Effort effort) {
  bind_team(threads);
  Ceilings all = measure_host(threads, effort);
  const auto add = [&](const Ceilings& more) {
    all.entries.insert(all.entries.end(), more.entries.begin(), more.entries.end());
  };
  if (!devices.empty()) add(measure_gpu(devices.front(), effort));
  if (!link_missing(devices)) add(measure_link(devices, effort));
  return all;
}

std::string describe_all(const Machine& machine, int threads, const std::vector<int>& devices) {
  std::string text = fmt::format("host: {} on {} of {}\n", core::counted(threads, "thread"),
                                 core::counted(machine.cpu.cores, "core"), machine.cpu.name);
  if (machine.gpus.empty()) return text + "gpu: none: " + machine.gpu_reason + "\n";
  if (devices.empty()) return text;
  const auto first = static_cast<std::size_t>(devices.front());
  text += fmt::format("gpu {}: {}\n", first, machine.gpus.at(first).name);
  if (!link_missing(devices)) text += "link: " + describe_link(devices) + "\n";
  return text;
}

}  // namespace speedwell::machine
