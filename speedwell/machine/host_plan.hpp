// How much memory the host's ceilings walk over: pure arithmetic on what the machine is, so that it can be tested.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "speedwell/machine/ceilings.hpp"
#include "speedwell/machine/machine.hpp"

namespace speedwell::machine {

struct HostPlan {
  struct CacheLevel {
    int level = 1;
    std::int64_t elements_per_array = 0;  // of doubles; three arrays a thread
  };
  int threads = 1;
  std::int64_t elements_per_thread = 0;  // of doubles; a multiple of what halves, thirds and the kernels need
  int parts_one_thread = 1;              // how many threads' elements one thread alone walks over
  std::int64_t last_level_bytes = 0;
  std::vector<CacheLevel> caches;

  /// The working set of `elements`, and a warning if part of it may have stayed in the last-level cache.
  std::string note(std::int64_t elements) const;
};

/// Memory: four times the last-level cache, within an eighth of `available_bytes` and what `effort` has time for, and
/// 256 MiB at least (half of what is available, should that be less). Caches: three quarters of a thread's share of
/// each of the levels 1 to 3, and for the last not more than clearly misses the level below.
HostPlan plan_host(const Cpu& cpu, std::int64_t available_bytes, int threads, Effort effort);

}  // namespace speedwell::machine
