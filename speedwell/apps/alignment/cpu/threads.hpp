// Threads of the CPU's aligners.
#pragma once

#include <stdexcept>

#if defined(_OPENMP)
#include <omp.h>
#endif

#include "speedwell/core/thread_index.hpp"

namespace speedwell::alignment {

/// 0: all that OpenMP has here, which within a parallel region is one.
inline int thread_count(int wanted) {
  if (wanted < 0) throw std::invalid_argument("a negative number of threads");
#if defined(_OPENMP)
  if (omp_in_parallel()) return 1;
  return wanted > 0 ? wanted : omp_get_max_threads();
#else
  return 1;
#endif
}

using core::thread_index;

}  // namespace speedwell::alignment
