// The number of the calling thread, also in builds without OpenMP.
#pragma once

#ifdef _OPENMP
#include <omp.h>
#endif

namespace speedwell::core {

/// The index of the calling thread in its OpenMP team; 0 without OpenMP.
inline int thread_index() {
#ifdef _OPENMP
  return omp_get_thread_num();
#else
  return 0;
#endif
}

}  // namespace speedwell::core
