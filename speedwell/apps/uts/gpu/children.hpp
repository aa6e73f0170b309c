// The child rule in device code.
#pragma once

#include <cstdint>

#include "speedwell/apps/uts/gpu/launch.hpp"

namespace speedwell::uts::device {

/// The part of the child rule that depends on the depth alone: it can be loaded before the node's value is known.
struct RowOfDepth {
  int4 row;
  float per_bit;
};

/// Sets `table_ended` if the table has no row for this depth, or the depth no longer fits into 32 bits.
__device__ inline RowOfDepth row_of(const Rule& rule, unsigned depth, bool& table_ended) {
  if (depth == 0xffffffffu || (depth >= rule.count && rule.unbounded)) table_ended = true;
  const Row* const row = rule.rows + min(depth, rule.count - 1);
  return {__ldg(reinterpret_cast<const int4*>(&row->row)), __ldg(&row->per_bit)};
}

/// ChildRule::children(): an estimate by the logarithm, corrected by comparisons of integers.
__device__ inline unsigned children_of(const Rule& rule, const RowOfDepth& depth, std::uint32_t value) {
  const int4 row = depth.row;
  const auto first = static_cast<std::uint32_t>(row.x), width = static_cast<std::uint32_t>(row.y);
  if (value - first >= width) return 0;
  if (row.w < 0) return static_cast<unsigned>(row.z);
  const std::uint32_t* const thresholds = rule.graded + row.w;
  const float bits = 31 - __log2f(static_cast<float>(ChildRule::values - value));
  int more = max(0, min(static_cast<int>(bits * depth.per_bit) - 1, row.z - 1));
  while (more > 0 && __ldg(thresholds + more - 1) > value) --more;
  while (more < row.z - 1 && __ldg(thresholds + more) <= value) ++more;
  return static_cast<unsigned>(1 + more);
}

}  // namespace speedwell::uts::device
