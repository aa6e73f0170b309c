#include "speedwell/machine/topology.hpp"

namespace speedwell::machine {

Topology read_topology(const std::vector<int>& cpus) { return sysfs_topology("/", cpus); }

}  // namespace speedwell::machine
