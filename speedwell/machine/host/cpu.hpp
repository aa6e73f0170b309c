// What detect() (machine.hpp) says of the host: processor, memory and operating system.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "speedwell/machine/machine.hpp"

namespace speedwell::machine {

/// The processor's name in the text of /proc/cpuinfo, or "unknown".
std::string cpu_name(std::string_view cpuinfo);
/// The instruction sets that numerical code chooses between, on Arm all features, in the order of `cpuinfo`, the text
/// of /proc/cpuinfo; empty if it names none.
std::vector<std::string> instruction_sets(std::string_view cpuinfo);

struct Topology;
/// The properties of the host for a process that may run on the hardware threads `cpus`, which have this topology, from
/// <root>/proc and the control groups under `root`: threads, cores and memory are at most what these allow.
Cpu describe_cpu(const std::filesystem::path& root, const std::vector<int>& cpus, const Topology& topology);
/// The properties of this machine for a job that may run on the hardware threads `cpus`.
Cpu detect_cpu(const std::vector<int>& cpus);
/// The same for this process: on allowed_cpus().
Cpu detect_cpu();
/// Bytes of memory that can be allocated: MemAvailable in <root>/proc/meminfo, or what the control groups leave if that
/// is less; 0 if neither can be read.
std::int64_t available_bytes(const std::filesystem::path& root);

/// The name of the distribution in <root>/etc/os-release, or "Linux".
std::string os_name(const std::filesystem::path& root);

}  // namespace speedwell::machine
