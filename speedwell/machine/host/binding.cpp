#include "speedwell/machine/host/binding.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <utility>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "speedwell/machine/machine.hpp"

namespace speedwell::machine {

#ifdef _OPENMP
namespace {

bool is_bound_by_user() {
  for (const char* name : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"})
    if (std::getenv(name)) return true;
  return false;
}

// Lets the calling thread run on these hardware threads only, at least one of which exists; whether the system did so.
bool set_affinity(const std::vector<int>& cpus) {
  const int bits = *std::max_element(cpus.begin(), cpus.end()) + 1;
  cpu_set_t* set = CPU_ALLOC(bits);
  if (!set) return false;
  const std::size_t bytes = CPU_ALLOC_SIZE(bits);
  CPU_ZERO_S(bytes, set);
  for (const int cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), bytes, set);
  const bool done = sched_setaffinity(0, bytes, set) == 0;
  CPU_FREE(set);
  return done;
}

}  // namespace

bool bind_team(int threads) {
  if (is_bound_by_user()) return false;
  const std::vector<int> cpus = allowed_cpus();
  const auto all = static_cast<int>(cpus.size());
  if (threads < 2 || threads > all) return false;
  std::atomic<bool> bound{true};
#pragma omp parallel num_threads(threads)
  {
    const int thread = omp_get_thread_num();
    if (thread > 0) {
      const auto position = static_cast<std::size_t>(static_cast<long>(thread) * all / threads);
      if (!set_affinity({cpus[position]})) bound = false;
    }
  }
  return bound;
}

WiderTeam::WiderTeam(const std::vector<int>& cpus, int threads) {
  if (is_bound_by_user()) return;
  std::vector<int> previous = allowed_cpus();
  if (std::includes(previous.begin(), previous.end(), cpus.begin(), cpus.end()) || !set_affinity(cpus)) return;
  previous_cpus_ = std::move(previous);
  previous_threads_ = omp_get_max_threads();
  omp_set_num_threads(std::max(1, threads));
}

WiderTeam::~WiderTeam() {
  if (!is_wider()) return;
  omp_set_num_threads(previous_threads_);
  set_affinity(previous_cpus_);
}
#else
bool bind_team(int) { return false; }

WiderTeam::WiderTeam(const std::vector<int>&, int) {}
WiderTeam::~WiderTeam() = default;
#endif

}  // namespace speedwell::machine
