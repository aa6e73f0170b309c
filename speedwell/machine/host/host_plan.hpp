// Working sets of the host's ceilings: a function of the machine's properties, so that it can be tested.
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
    std::int64_t elements_per_array = 0;  // number of doubles; three arrays per thread
  };
  int threads = 1;
  std::int64_t elements_per_thread = 0;  // number of doubles; a multiple for halves, thirds and the kernels
  int parts_one_thread = 1;              // number of threads whose elements a single thread processes
  std::int64_t last_level_bytes = 0;
  std::vector<CacheLevel> caches;

  /// The working set of `elements`, and a warning if part of it may have stayed in the last-level cache.
  std::string note(std::int64_t elements) const;
};

/// Memory: four times the last-level cache, limited by an eighth of `available_bytes` and by the time of `effort`, and
/// at least 256 MiB (or half of the available memory if that is less). Caches: three quarters of a thread's share of
/// each of the levels 1 to 3, for the last level not more than is needed to miss the level below.
HostPlan plan_host(const Cpu& cpu, std::int64_t available_bytes, int threads, Effort effort);

}  // namespace speedwell::machine
