// A parallel loop with dynamic scheduling whose body may throw.
#pragma once

#include <cstdint>
#include <exception>

#include "speedwell/core/parts.hpp"

namespace speedwell::ssca1 {

/// Calls item(k) for k in 0 … count - 1 on `threads` threads (0: OpenMP's default) in any order; then rethrows one of
/// the exceptions, if there are any.
template <class Item>
void for_each_item(std::int64_t count, int threads, const Item& item) {
  const auto useful = static_cast<int>(std::clamp<std::int64_t>(count, 1, core::resolve_threads(threads)));
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic, 1) num_threads(useful)
  for (std::int64_t k = 0; k < count; ++k) {
    try {
      item(k);
    } catch (...) {
#pragma omp critical(speedwell_ssca1_failure)
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace speedwell::ssca1
