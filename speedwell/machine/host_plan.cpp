#include "speedwell/machine/host_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "speedwell/core/units.hpp"
#include "speedwell/machine/host_kernels.hpp"

namespace speedwell::machine {
namespace {

constexpr std::int64_t MiB = std::int64_t{1} << 20;
constexpr std::int64_t grain = 6 * host_kernel_grain;  // halves and thirds are multiples of the kernels' grain

std::vector<HostPlan::CacheLevel> plan_caches(const Cpu& cpu, int threads) {
  std::vector<HostPlan::CacheLevel> levels;
  std::int64_t below = 0;  // a thread's share of the level below
  for (int level = 1; level <= 3; ++level) {
    std::int64_t bytes = 0;
    int instances = 0;
    for (const Cache& cache : cpu.caches)  // cores of two kinds have caches of two sizes
      if (cache.level == level) bytes += cache.bytes * cache.instances, instances += cache.instances;
    if (instances == 0) continue;
    const std::int64_t share = bytes / std::max(threads, instances);
    std::int64_t use = share * 3 / 4;
    // A large last level is not filled: it takes time and shows nothing more, and a virtual machine may see a cache of
    // which it has little.
    if (level == 3) use = std::min(use, std::max(4 * below, 4 * MiB));
    if (use >= below * 3 / 2) {
      const std::int64_t elements = use / 24 / host_kernel_grain * host_kernel_grain;
      if (elements > 0) levels.push_back({level, elements});
    }
    below = share;
  }
  return levels;
}

}  // namespace

std::string HostPlan::note(std::int64_t elements) const {
  const std::int64_t bytes = 8 * elements;
  std::string text = core::format_bytes(static_cast<double>(bytes)) + " working set";
  if (bytes < 4 * last_level_bytes)
    text += fmt::format(" (less than 4 x {} of cache)", core::format_bytes(static_cast<double>(last_level_bytes)));
  return text;
}

HostPlan plan_host(const Cpu& cpu, std::int64_t available_bytes, int threads, Effort effort) {
  HostPlan plan;
  plan.threads = threads;
  plan.last_level_bytes = cpu.last_level_cache_bytes();
  plan.caches = plan_caches(cpu, threads);

  const std::int64_t least = std::min(256 * MiB, available_bytes / 2);
  // A quick pass takes about 10 ms whatever the machine, if each thread has its share of this to walk over.
  const std::int64_t timely = effort == Effort::quick ? 128 * MiB * threads : INT64_MAX;
  const std::int64_t wanted = std::min({4 * plan.last_level_bytes, available_bytes / 8, timely});
  const std::int64_t bytes = std::max(wanted, least);
  plan.elements_per_thread = bytes / 8 / threads / grain * grain;
  if (plan.elements_per_thread == 0) throw std::bad_alloc();
  // One thread walks over some threads' parts, for time's sake: over as few as make the least.
  const std::int64_t parts = (least / 8 + plan.elements_per_thread - 1) / plan.elements_per_thread;
  plan.parts_one_thread = static_cast<int>(std::min<std::int64_t>(parts, threads));
  return plan;
}

}  // namespace speedwell::machine
