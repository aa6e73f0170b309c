// The rule of children, on the device.
#pragma once

#include <cstdint>

#include "speedwell/apps/uts/gpu/launch.hpp"

namespace speedwell::uts::device {

/// What a node's depth says of its children; to be loaded before its value is known.
struct RowOfDepth {
  int4 row;
  float per_bit;
};

/// Sets `lacks` where the table ends above the node, or depths end.
__device__ inline RowOfDepth row_of(const Rule& rule, unsigned depth, bool& lacks) {
  if (depth == 0xffffffffu || (depth >= rule.count && rule.unbounded)) lacks = true;
  const Row* const row = rule.rows + min(depth, rule.count - 1);
  return {__ldg(reinterpret_cast<const int4*>(&row->row)), __ldg(&row->per_bit)};
}

/// ChildRule::children(): a guess by the logarithm, and integers that decide.
__device__ inline unsigned children_of(const Rule& rule, const RowOfDepth& depth, std::uint32_t value) {
  const int4 row = depth.row;
  const auto first = static_cast<std::uint32_t>(row.x), width = static_cast<std::uint32_t>(row.y);
  if (value - first >= width) return 0;
  if (row.w < 0) return static_cast<unsigned>(row.z);
  const std::uint32_t* const least = rule.graded + row.w;
  const float bits = 31 - __log2f(static_cast<float>(ChildRule::values - value));
  int more = max(0, min(static_cast<int>(bits * depth.per_bit) - 1, row.z - 1));
  while (more > 0 && __ldg(least + more - 1) > value) --more;
  while (more < row.z - 1 && __ldg(least + more) <= value) ++more;
  return static_cast<unsigned>(1 + more);
}

}  // namespace speedwell::uts::device
