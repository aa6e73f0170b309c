#include "speedwell/machine/host/host_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "speedwell/core/units.hpp"
#include "speedwell/machine/host/host_kernels.hpp"

namespace speedwell::machine {
namespace {

constexpr std::int64_t MiB = std::int64_t{1} << 20;
constexpr std::int64_t grain = 6 * host_kernel_grain;  // halves and thirds are multiples of the kernels' grain

std::vector<HostPlan::CacheLevel> plan_caches(const Cpu& cpu, int threads) {
  std::vector<HostPlan::CacheLevel> levels;
  std::int64_t below = 0;  // a thread's share of the lower level
  for (int level = 1; level <= 3; ++level) {
    std::int64_t bytes = 0;
    int instances = 0;
    for (const Cache& cache : cpu.caches)  // there are two sizes if there are two kinds of cores
      if (cache.level == level) bytes += cache.bytes * cache.instances, instances += cache.instances;
    if (instances == 0) continue;
    const std::int64_t share = bytes / std::max(threads, instances);
    std::int64_t use = share * 3 / 4;
    // A large last-level cache is not filled: that takes time without more information, and a virtual machine may have
    // only a small part of the cache.
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

  const std::int64_t min_bytes = std::min(256 * MiB, available_bytes / 2);
  // With this size per thread a quick pass takes about 10 ms on any machine.
  const std::int64_t timely = effort == Effort::quick ? 128 * MiB * threads : INT64_MAX;
  const std::int64_t wanted = std::min({4 * plan.last_level_bytes, available_bytes / 8, timely});
  const std::int64_t bytes = std::max(wanted, min_bytes);
  plan.elements_per_thread = bytes / 8 / threads / grain * grain;
  if (plan.elements_per_thread == 0) throw std::bad_alloc();
  // To save time, one thread processes the parts of only as many threads as are needed for the minimum size.
  const std::int64_t parts = (min_bytes / 8 + plan.elements_per_thread - 1) / plan.elements_per_thread;
  plan.parts_one_thread = static_cast<int>(std::min<std::int64_t>(parts, threads));
  return plan;
}

}  // namespace speedwell::machine
