#include "speedwell/machine/binding.hpp"

#include <sched.h>

#include <atomic>
#include <cstdlib>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "speedwell/machine/machine.hpp"

namespace speedwell::machine {

bool bind_team(int threads) {
#ifdef _OPENMP
  for (const char* name : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"})
    if (std::getenv(name)) return false;
  const std::vector<int> cpus = allowed_cpus();
  const auto all = static_cast<int>(cpus.size());
  if (threads < 2 || threads > all) return false;
  std::atomic<bool> bound{true};
#pragma omp parallel num_threads(threads)
  {
    const int thread = omp_get_thread_num();
    if (thread > 0) {
      const auto position = static_cast<std::size_t>(static_cast<long>(thread) * all / threads);
      cpu_set_t* set = CPU_ALLOC(cpus[position] + 1);
      const std::size_t bytes = CPU_ALLOC_SIZE(cpus[position] + 1);
      if (set) {
        CPU_ZERO_S(bytes, set);
        CPU_SET_S(static_cast<std::size_t>(cpus[position]), bytes, set);
      }
      if (!set || sched_setaffinity(0, bytes, set) != 0) bound = false;
      if (set) CPU_FREE(set);
    }
  }
  return bound;
#else
  (void)threads;
  return false;
#endif
}

}  // namespace speedwell::machine
