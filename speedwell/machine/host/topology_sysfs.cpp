// The topology from the kernel's files: Documentation/ABI/stable/sysfs-devices-system-cpu,
// Documentation/admin-guide/cputopology.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "speedwell/machine/files.hpp"
#include "speedwell/machine/host/topology.hpp"

namespace speedwell::machine {
namespace {

// The `cpus` that a list file names; empty if it cannot be read.
std::set<int> members(const std::filesystem::path& file, const std::set<int>& cpus) {
  std::set<int> found;
  const auto text = read_text(file);
  const auto listed = text ? parse_cpu_list(*text) : std::nullopt;
  if (listed)
    for (const int cpu : *listed)
      if (cpus.count(cpu) > 0) found.insert(cpu);
  return found;
}

// The first of `cpus` on the same core, which identifies the core.
int core_of(const std::filesystem::path& folder, int cpu, const std::set<int>& cpus) {
  for (const char* name : {"core_cpus_list", "thread_siblings_list"})  // the second is the name before kernel 5.3
    if (const auto siblings = members(folder / "topology" / name, cpus); !siblings.empty()) return *siblings.begin();
  return cpu;
}

}  // namespace

Topology sysfs_topology(const std::filesystem::path& root, const std::vector<int>& cpu_list) {
  const std::filesystem::path system = root / "sys/devices/system";
  const std::set<int> cpus(cpu_list.begin(), cpu_list.end());

  std::set<std::int64_t> sockets;
  std::set<int> cores;
  std::map<int, int> core;                                                 // of each hardware thread
  std::map<std::pair<int, std::int64_t>, std::set<std::set<int>>> caches;  // level and size: the sharing sets
  for (const int cpu : cpus) {
    const auto folder = system / "cpu" / ("cpu" + std::to_string(cpu));
    core[cpu] = core_of(folder, cpu, cpus);
    cores.insert(core[cpu]);
    if (const auto socket = read_whole(folder / "topology/physical_package_id")) sockets.insert(*socket);
    for (const auto& index : numbered_entries(folder / "cache", "index")) {
      const auto level = read_whole(index / "level");
      const auto type = read_text(index / "type");
      const auto size = read_text(index / "size");
      const auto bytes = size ? parse_cache_size(*size) : std::nullopt;
      if (!level || !bytes || *bytes == 0 || type == "Instruction") continue;
      std::set<int> sharing = members(index / "shared_cpu_list", cpus);
      if (sharing.empty()) sharing.insert(cpu);
      caches[{static_cast<int>(*level), *bytes}].insert(std::move(sharing));
    }
  }

  Topology topology;
  topology.sockets = std::max<int>(1, static_cast<int>(sockets.size()));
  topology.cores = std::max<int>(1, static_cast<int>(cores.size()));
  int nodes = 0;
  for (const auto& node : numbered_entries(system / "node", "node"))
    if (!members(node / "cpulist", cpus).empty()) ++nodes;
  topology.numa_nodes = std::max(1, nodes);
  for (const auto& [kind, instances] : caches) {
    std::size_t sharers = 1;
    for (const auto& instance : instances) {
      std::set<int> sharing_cores;
      for (const int cpu : instance) sharing_cores.insert(core.at(cpu));
      sharers = std::max(sharers, sharing_cores.size());
    }
    topology.caches.push_back({.level = kind.first,
                               .bytes = kind.second,
                               .shared_by = static_cast<int>(sharers),
                               .instances = static_cast<int>(instances.size())});
  }
  return topology;
}

#ifdef SPEEDWELL_WITHOUT_HWLOC
Topology read_topology(const std::vector<int>& cpus) { return sysfs_topology("/", cpus); }
#endif

}  // namespace speedwell::machine
