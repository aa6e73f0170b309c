// What every GPU variant of EP is given, and their functions. Included by CUDA sources alone; gpu_solver.hpp puts the
// buffers and copies around them.
#pragma once

#include <cstdint>
#include <string_view>

#include "speedwell/apps/npb/ep/ep.hpp"
#include "speedwell/apps/npb/ep/gpu/pair.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::npb::ep {

/// A Result in device memory, where std::array is none.
struct DeviceResult {
  double sums[2];
  unsigned long long counts[annuli];
};

/// All pointers are to device memory.
struct Operands {
  std::int64_t pairs = 0;
  const Segment* table = nullptr;    // segments()
  DeviceResult* partials = nullptr;  // most_blocks(), overwritten
  DeviceResult* result = nullptr;    // overwritten
  int multiprocessors = 0;           // of the device
  int shared_bytes = 0;              // of a multiprocessor
};

constexpr int most_blocks_of_multiprocessor = 16;

/// Enqueues the whole of EP on `stream`. Every GPU variant is one function of this type.
using Launch = void(const Operands& p, const core::Stream& stream);

/// The best. The bits of the sums depend on the number of multiprocessors and on nothing else; a deviate is wrong by at
/// most 5e-14, or 5e-14 of the pair's radius where that is above 1.
void launch(const Operands& p, const core::Stream& stream);

/// The function of the row of this name in ladder.hpp. Throws std::logic_error for another name.
Launch* function_of(std::string_view step);

}  // namespace speedwell::npb::ep
