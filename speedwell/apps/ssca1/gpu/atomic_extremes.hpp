// Minimum and maximum in memory that the threads of a block share: atomic on a GPU, and on the host, where tests run
// the kernels' work with several threads.
#pragma once

#include <atomic>
#include <cstdint>

#include "speedwell/core/host_device.hpp"

namespace speedwell::ssca1::atomic_extremes {

/// Makes *to the minimum of it and `value`.
SPEEDWELL_HD
inline void lower(std::int32_t* to, std::int32_t value) {
#ifdef __CUDA_ARCH__
  atomicMin(to, value);
#else
  const std::atomic_ref shared(*to);
  for (std::int32_t now = shared; value < now && !shared.compare_exchange_weak(now, value);) {
  }
#endif
}

/// Makes *to the maximum of it and `value`.
SPEEDWELL_HD
inline void raise(std::int32_t* to, std::int32_t value) {
#ifdef __CUDA_ARCH__
  atomicMax(to, value);
#else
  const std::atomic_ref shared(*to);
  for (std::int32_t now = shared; value > now && !shared.compare_exchange_weak(now, value);) {
  }
#endif
}

}  // namespace speedwell::ssca1::atomic_extremes
