// The index of the calling thread in its team and the size of the team, also in builds without OpenMP.
#pragma once

#ifdef _OPENMP
#include <omp.h>
#endif

namespace speedwell::core {

/// A thread of an OpenMP team: its index and the number of threads.
struct TeamMember {
  int index = 0, size = 1;
};

/// The calling thread; outside of parallel regions, and without OpenMP, the only one of its team.
inline TeamMember team_member() {
#ifdef _OPENMP
  return {omp_get_thread_num(), omp_get_num_threads()};
#else
  return {};
#endif
}

}  // namespace speedwell::core
