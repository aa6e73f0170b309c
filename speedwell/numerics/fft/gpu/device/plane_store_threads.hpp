// The size of the blocks that transform columns and store them over a link between GPUs.
#pragma once

#include <algorithm>
#include <cstdint>

#include "speedwell/numerics/fft/gpu/device/block.hpp"

namespace speedwell::fft::gpu {

/// Threads of a block: as many as take columns side by side that fill 128 bytes, if a multiprocessor has so many, since
/// shorter stores waste bandwidth of a link.
template <class T>
constexpr int plane_store_threads(int log_n) {
  constexpr int lines = 128 / static_cast<int>(2 * sizeof(T));
  const int width = (1 << log_n) >> line_radices(log_n).log_points;
  return std::clamp(lines * width, column_threads<T>, resident_threads<T>);
}

/// Bytes of shared memory of such a block, of lines that more than one thread transforms.
template <class T>
constexpr std::int64_t plane_store_shared_bytes(int log_n) {
  const int width = (1 << log_n) >> line_radices(log_n).log_points;
  return std::int64_t{plane_store_threads<T>(log_n) / width} * padded(1 << log_n) * 2 * std::int64_t{sizeof(T)};
}

}  // namespace speedwell::fft::gpu
