// How an array is divided among threads: contiguous parts that begin on page boundaries of the array. Filling,
// computing and checking all divide alike, so that on a machine with several memories every thread works in its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#ifdef _OPENMP
#include <omp.h>
#endif

namespace speedwell::stream {

/// OpenMP's default where `threads` is 0. Throws std::invalid_argument if it is negative.
inline int resolve_threads(int threads) {
  if (threads < 0) throw std::invalid_argument("stream: a negative number of threads");
#ifdef _OPENMP
  return threads > 0 ? threads : omp_get_max_threads();
#else
  return 1;
#endif
}

/// Calls part(begin, end) on each thread for its part of n items of item_bytes. Fewer threads than asked for when a
/// part would be below 16 KiB, where starting a thread costs more than its work.
template <class Part>
void for_each_part(std::size_t n, std::size_t item_bytes, int threads, const Part& part) {
  constexpr std::size_t page = 4096, least = 16384;
  const std::size_t granule = std::max<std::size_t>(page / item_bytes, 1);  // items
  const std::size_t useful = std::max<std::size_t>(n / std::max<std::size_t>(least / item_bytes, 1), 1);
  const auto count =
      static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(resolve_threads(threads)), useful));
  if (count == 1) {
    part(std::size_t{0}, n);
    return;
  }
  const std::size_t granules = (n + granule - 1) / granule;
#ifdef _OPENMP
#pragma omp parallel num_threads(count)
#endif
  {
#ifdef _OPENMP
    const auto rank = static_cast<std::size_t>(omp_get_thread_num()),
               ranks = static_cast<std::size_t>(omp_get_num_threads());
#else
    const std::size_t rank = 0, ranks = 1;
#endif
    const std::size_t begin = std::min(n, granules * rank / ranks * granule);
    const std::size_t end = std::min(n, granules * (rank + 1) / ranks * granule);
    if (begin < end) part(begin, end);
  }
}

}  // namespace speedwell::stream
