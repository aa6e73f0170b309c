// The tiles of arrays of 256^3 points that are transformed in two passes over memory. The middle axis is split: index
// 16 j + r, frequency k + 16 l. The first pass transforms x, and j to k of the middle axis; the second pass r to l, and
// z.
#pragma once

#include "speedwell/numerics/fft/gpu/device/cluster_tile.hpp"

namespace speedwell::fft::gpu {

/// Sixteen rows of a plane with a stride of 16 rows. Axis 0 is x, axis 1 is j.
struct RowsTile {
  static constexpr int log_blocks = 0, rounds = 3;
  static constexpr int axis_bit[] = {0, 8}, axis_log[] = {8, 4};
  static constexpr Round round[] = {
      {{}, {0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11}, {{1, 4, 0}}, 1},
      {{}, {0, 1, 2, 3, 8, 9, 10, 11}, {4, 5, 6, 7}, {{0, 4, 0}}, 1},
      {{}, {4, 5, 6, 7, 8, 9, 10, 11}, {0, 1, 2, 3}, {{0, 4, 0}}, 1},
  };
};

/// Eight columns of planes orthogonal to those of the first pass. Axis 0 numbers the columns, axis 1 is z, axis 2 is r.
/// The points of a warp are all sent to one block, and those of different warps to different blocks: if all warps write
/// to the same block, the exchange takes 1.5 times as long.
struct ColumnsTile {
  static constexpr int log_blocks = 3, rounds = 3;
  static constexpr int axis_bit[] = {0, 3, 11}, axis_log[] = {3, 8, 4};
  static constexpr Round round[] = {
      {{11, 12, 13}, {0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 14}, {{1, 3, 0}, {2, 1, 3}}, 2},
      {{11, 12, 13}, {0, 1, 2, 3, 14, 8, 9, 10}, {4, 5, 6, 7}, {{1, 4, 0}}, 1},
      {{8, 9, 10}, {0, 1, 2, 4, 5, 6, 7, 14}, {3, 11, 12, 13}, {{1, 1, 0}, {2, 3, 1}}, 2},
  };
};

}  // namespace speedwell::fft::gpu
