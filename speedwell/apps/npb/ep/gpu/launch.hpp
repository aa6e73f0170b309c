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
  std::int64_t first = 0;  // pairs before those to be computed; the best variant only, 0 for the others
  std::int64_t pairs = 0;
  const Segment* table = nullptr;    // segments()
  DeviceResult* partials = nullptr;  // one per block, overwritten
  DeviceResult* result = nullptr;    // overwritten
  int multiprocessors = 0;           // multiprocessors of the device
  int shared_bytes = 0;              // shared memory of a multiprocessor
};

constexpr int max_blocks_per_multiprocessor = 16;

/// Enqueues all of EP on `stream`. Every GPU variant is a function of this type.
using Launch = void(const Operands& p, const core::Stream& stream);

/// The best variant. The bits of the sums depend only on the number of multiprocessors; the error of a deviate is at
/// most 5e-14, or 5e-14 of the pair's radius if that is above 1.
void launch(const Operands& p, const core::Stream& stream);

/// The function of the variant of this name in ladder.hpp. Throws std::logic_error for another name.
Launch* function_of(std::string_view step);

}  // namespace speedwell::npb::ep
