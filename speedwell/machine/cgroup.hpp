// Limits of a container or a batch system: control groups, versions 1 and 2.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace speedwell::machine {

/// The strictest limit of the process's group and of all its parents; empty if there is none.
struct CgroupLimits {
  std::optional<double> cpus;  // processor time per time: 1.5 is one and a half hardware threads
  std::optional<std::int64_t> memory_bytes;
  std::optional<std::int64_t> memory_available;  // remaining below the limit, including reclaimable file pages
};

/// Reads <root>/proc/self/cgroup and <root>/sys/fs/cgroup.
CgroupLimits cgroup_limits(const std::filesystem::path& root);

}  // namespace speedwell::machine
