// A loop on all threads that may throw.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <mutex>

namespace speedwell::database_search {

/// Runs work(i) for 0 <= i < count on all threads and throws the first exception afterwards: none may leave the region.
template <class Work>
void parallel(std::size_t count, int threads, Work work) {
  std::exception_ptr first;
  std::mutex mutex;
  const int needed = static_cast<int>(std::clamp<std::size_t>(count, 1, static_cast<std::size_t>(threads)));
#pragma omp parallel for schedule(dynamic) num_threads(needed)
  for (std::size_t i = 0; i < count; ++i) {
    try {
      work(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace speedwell::database_search
