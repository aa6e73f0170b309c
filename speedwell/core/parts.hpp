// Division of an array among threads: contiguous parts that begin on page boundaries. Initialisation, computation and
// verification all use the same division, so that on a NUMA machine every thread works on its own node.
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#ifdef _OPENMP
#include <omp.h>
#endif

namespace speedwell::core {

/// `threads`, or OpenMP's default where it is 0. Throws std::invalid_argument if it is negative.
inline int resolve_threads(int threads) {
  if (threads < 0) throw std::invalid_argument("a negative number of threads");
#ifdef _OPENMP
  return threads > 0 ? threads : omp_get_max_threads();
#else
  return 1;
#endif
}

/// Calls part(begin, end) on each of `threads` threads (0: OpenMP's default) for its part of n items of item_bytes,
/// unless the part is empty. Fewer threads are used if a part would be shorter than min_bytes, for which starting a
/// thread costs more than its work. `part` must not throw.
template <class Part>
void parallel_for(std::size_t n, std::size_t item_bytes, int threads, const Part& part, std::size_t min_bytes = 16384) {
  if (n == 0) return;
  const std::size_t granule = std::max<std::size_t>(4096 / item_bytes, 1);  // items
  const std::size_t useful = std::max<std::size_t>(n / std::max<std::size_t>(min_bytes / item_bytes, 1), 1);
  const auto count =
      static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(resolve_threads(threads)), useful));
  if (count == 1) {
    part(std::size_t{0}, n);
    return;
  }
  const std::size_t granules = (n + granule - 1) / granule;
#ifdef _OPENMP
#pragma omp parallel num_threads(count)
  {
    const auto rank = static_cast<std::size_t>(omp_get_thread_num());
    const auto ranks = static_cast<std::size_t>(omp_get_num_threads());
    const std::size_t begin = std::min(n, granules * rank / ranks * granule);
    const std::size_t end = std::min(n, granules * (rank + 1) / ranks * granule);
    if (begin < end) part(begin, end);
  }
#else
  part(std::size_t{0}, n);
#endif
}

}  // namespace speedwell::core
