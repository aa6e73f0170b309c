// The topology by hwloc, which handles machines that /sys describes badly: firmware bugs, caches by CPUID, other
// processors.
#include <hwloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <type_traits>
#include <utility>

#include "speedwell/machine/host/topology.hpp"

namespace speedwell::machine {
namespace {

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
struct Free {
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Handle = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, Destroy>;
using Bitmap = std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, Free>;

// hwloc crashes if an allocation fails. It needs some hundred kilobytes; it is not called unless many times that is
// available.
bool has_room() {
  constexpr std::size_t bytes = std::size_t{16} << 20;
  void* room = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return room != MAP_FAILED && munmap(room, bytes) == 0;
}

Handle load() {
  if (!has_room()) return nullptr;
  // Suppresses messages of hwloc about missing information, for example without /sys.
  setenv("HWLOC_HIDE_ERRORS", "2", 0);
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  Handle topology(raw);
  // Devices are not needed, and their detection takes most of the time.
  hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  return hwloc_topology_load(raw) == 0 ? std::move(topology) : nullptr;
}

}  // namespace

Topology read_topology(const std::vector<int>& cpus) {
  const Handle loaded = load();
  const Bitmap set(loaded ? hwloc_bitmap_alloc() : nullptr);
  if (!loaded || !set) return sysfs_topology("/", cpus);
  hwloc_topology_t topology = loaded.get();
  for (const int cpu : cpus) hwloc_bitmap_set(set.get(), static_cast<unsigned>(cpu));

  const auto touched = [&](hwloc_obj_type_t type) {  // objects of one type that hold one of `cpus`
    std::vector<hwloc_obj_t> objects;
    for (hwloc_obj_t o = hwloc_get_next_obj_by_type(topology, type, nullptr); o;
         o = hwloc_get_next_obj_by_type(topology, type, o))
      if (o->cpuset && hwloc_bitmap_intersects(o->cpuset, set.get())) objects.push_back(o);
    return objects;
  };
  const auto at_least_one = [](std::size_t count) { return std::max<int>(1, static_cast<int>(count)); };

  Topology result;
  const auto cores = touched(HWLOC_OBJ_CORE);
  result.sockets = at_least_one(touched(HWLOC_OBJ_PACKAGE).size());
  result.numa_nodes = at_least_one(touched(HWLOC_OBJ_NUMANODE).size());
  result.cores = cores.empty() ? at_least_one(cpus.size()) : at_least_one(cores.size());

  std::map<std::pair<int, std::int64_t>, Cache> caches;
  for (const auto type : {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE})
    for (const hwloc_obj_t o : touched(type)) {
      const auto& attributes = o->attr->cache;
      if (attributes.size == 0) continue;
      const auto bytes = static_cast<std::int64_t>(attributes.size);
      const int level = static_cast<int>(attributes.depth);
      Cache& cache =
          caches.try_emplace({level, bytes}, Cache{.level = level, .bytes = bytes, .shared_by = 1, .instances = 0})
              .first->second;
      ++cache.instances;
      int sharers = 0;
      for (const hwloc_obj_t core : cores) sharers += hwloc_bitmap_intersects(core->cpuset, o->cpuset) ? 1 : 0;
      cache.shared_by = std::max(cache.shared_by, sharers);
    }
  for (const auto& [kind, cache] : caches) result.caches.push_back(cache);
  return result;
}

}  // namespace speedwell::machine
