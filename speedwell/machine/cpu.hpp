// The host's half of detect().
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "speedwell/machine/machine.hpp"

namespace speedwell::machine {

/// The processor's name in the text of /proc/cpuinfo, or "unknown".
std::string cpu_name(std::string_view cpuinfo);
/// The instruction sets that numerical code chooses between, in the processor's order.
std::vector<std::string> instruction_sets(std::string_view cpuinfo);

struct Topology;
/// The properties of the host from the files under `root`, for the hardware threads `cpus` and a given topology.
Cpu describe_cpu(const std::filesystem::path& root, const std::vector<int>& cpus, const Topology& topology);
/// The properties of this machine for a job that may run on `cpus`, or for this process.
Cpu detect_cpu(const std::vector<int>& cpus);
Cpu detect_cpu();
/// Bytes that can be allocated, from <root>/proc/meminfo and the control groups; 0 if neither can be read.
std::int64_t available_bytes(const std::filesystem::path& root);

/// The name of the distribution in <root>/etc/os-release, or "Linux".
std::string os_name(const std::filesystem::path& root);

}  // namespace speedwell::machine
