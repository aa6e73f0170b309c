// What a container or a batch system lets this process use: control groups, versions 1 and 2.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace speedwell::machine {

/// The strictest limit of the process's own group and of every group above it; empty where there is none.
struct CgroupLimits {
  std::optional<double> cpus;  // processor time per time: 1.5 is one and a half hardware threads
  std::optional<std::int64_t> memory_bytes;
  std::optional<std::int64_t> memory_available;  // what is left below the limit, counting file pages that can go
};

/// Reads <root>/proc/self/cgroup and <root>/sys/fs/cgroup.
CgroupLimits cgroup_limits(const std::filesystem::path& root);

}  // namespace speedwell::machine
