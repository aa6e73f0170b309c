// Cores, nodes and caches: from /sys, or from hwloc if the build has it. CMake chooses the file that defines
// read_topology().
#pragma once

#include <filesystem>
#include <vector>

#include "speedwell/machine/machine.hpp"

namespace speedwell::machine {

/// The parts of the machine that contain at least one of a set of hardware threads.
struct Topology {
  int sockets = 1;
  int numa_nodes = 1;
  int cores = 1;
  std::vector<Cache> caches;  // data and unified, smallest level first; `shared_by` counts cores of the set
};

/// From <root>/sys/devices/system. `cpus` are the hardware threads of interest. Missing files have defaults: one
/// socket, one node, a core for each hardware thread, no caches.
Topology sysfs_topology(const std::filesystem::path& root, const std::vector<int>& cpus);

/// The topology of this machine, by the best method of this build.
Topology read_topology(const std::vector<int>& cpus);

}  // namespace speedwell::machine
