// The operands of all GPU variants of EP and their entry points; gpu_solver.hpp has the buffers and copies. Included by
// CUDA sources only.
#pragma once

#include <cstdint>
#include <string_view>

#include "speedwell/apps/npb/ep/device_result.hpp"
#include "speedwell/apps/npb/ep/ep.hpp"
#include "speedwell/apps/npb/ep/gpu/pair.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::npb::ep {

/// All pointers are to device memory.
struct Operands {
  // The pairs first ... first + pairs - 1 of the benchmark's sequence. The variants before the best one take 0 for
  // `first`.
  std::int64_t first = 0;
  std::int64_t pairs = 0;
  const Segment* table = nullptr;  // segments(), segment_count of them
  // One per block, overwritten; there are max_blocks_per_multiprocessor for each multiprocessor.
  DeviceResult* partials = nullptr;
  DeviceResult* result = nullptr;  // overwritten
  int multiprocessors = 0;         // multiprocessors of the device
  int shared_bytes = 0;            // bytes of shared memory of a multiprocessor
};

/// The maximum number of blocks that a variant launches for each multiprocessor.
constexpr int max_blocks_per_multiprocessor = 16;

/// Enqueues EP for the operands on `stream`: the pairs, their sums and counts, and the reduction to *result. Every GPU
/// variant is a function of this type. Throws core::DeviceError if a launch fails.
using Launch = void(const Operands& p, const core::Stream& stream);

/// The best variant: kernel.hpp has the kernel, and cuda.cu chooses its shape. For the same pairs the bits of the sums
/// depend only on the number of multiprocessors; the error of a deviate is at most 5e-14, or 5e-14 of the pair's radius
/// if that is above 1. Throws std::invalid_argument if a thread would have 2^32 pairs or more.
void launch(const Operands& p, const core::Stream& stream);

/// The function of the variant of this name in ladder.hpp. Throws std::logic_error for another name.
Launch* function_of(std::string_view step);

}  // namespace speedwell::npb::ep
