// A segment of the stream, generated in vectors, counted and stored by the region of the table that each update is in.
#pragma once

#include <cstdint>

#include "speedwell/core/simd/isa.hpp"

namespace speedwell::gups {

/// Consecutive words of the stream, of which vectors generate eight parts of `steps` words each at the same time, and
/// up to seven behind those. A word depends on the one before it: alone, each would wait for the last.
struct Segment {
  static constexpr int lanes = 8;
  std::uint64_t before[lanes] = {};  // the word before each part
  std::uint64_t steps = 0;
  std::uint64_t before_rest = 0, rest = 0;  // the word before those behind the parts, and their number
};

/// Words first + 1 ... last of the stream.
Segment segment_of(std::uint64_t first, std::uint64_t last);

/// The regions of a table: that of update x is (x & mask) >> shift.
struct Regions {
  std::uint64_t mask = 0;
  int shift = 0;
};

/// Kernels over a segment. The order of its updates is not that of the stream.
struct SortKernels {
  /// Adds the number of updates in each region to counts[region].
  void (*count)(const Segment& segment, const Regions& regions, std::uint64_t* counts);
  /// Stores each update x at sorted[cursors[region]++].
  void (*sort)(const Segment& segment, const Regions& regions, std::uint64_t* cursors, std::uint64_t* sorted);
};

/// Kernels for `isa`, which the processor must support; those of the baseline if the build has no others.
SortKernels sort_kernels(core::Isa isa);

}  // namespace speedwell::gups
