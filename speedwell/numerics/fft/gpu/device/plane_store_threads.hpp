// The size of the blocks that transform columns and store the results over a link in the memory of other GPUs.
#pragma once

#include <algorithm>
#include <cstdint>

#include "speedwell/numerics/fft/gpu/device/block.hpp"

namespace speedwell::fft::gpu {

/// Threads of a block for columns of 2^log_n points: enough that it transforms as many neighbouring columns as fill 128
/// bytes, because shorter stores waste bandwidth of the link. At least column_threads, and at most resident_threads,
/// where long columns leave no room for so many.
template <class T>
constexpr int plane_store_threads(int log_n) {
  constexpr int columns = 128 / static_cast<int>(2 * sizeof(T));
  return std::clamp(columns * threads_per_line(log_n), column_threads<T>, resident_threads<T>);
}

/// Bytes of shared memory of such a block, for columns that more than one thread transforms.
template <class T>
constexpr std::int64_t plane_store_shared_bytes(int log_n) {
  const int columns = plane_store_threads<T>(log_n) / threads_per_line(log_n);
  return std::int64_t{columns} * padded(1 << log_n) * 2 * std::int64_t{sizeof(T)};
}

}  // namespace speedwell::fft::gpu
