// The tiles of arrays of 256^3 points that are transformed in two passes over memory. The middle axis is cut in two:
// index 16 j + r, frequency k + 16 l. The first pass takes x, and of the middle axis j to k; the second r to l, and z.
#pragma once

#include "speedwell/apps/fft/gpu/cluster_tile.hpp"

namespace speedwell::fft::gpu {

/// Sixteen rows of a plane, 16 apart. Axis 0 is x, axis 1 is j.
struct RowsTile {
  static constexpr int log_blocks = 0, rounds = 3;
  static constexpr int axis_bit[] = {0, 8}, axis_log[] = {8, 4};
  static constexpr Round round[] = {
      {{}, {0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11}, {{1, 4, 0}}, 1},
      {{}, {0, 1, 2, 3, 8, 9, 10, 11}, {4, 5, 6, 7}, {{0, 4, 0}}, 1},
      {{}, {4, 5, 6, 7, 8, 9, 10, 11}, {0, 1, 2, 3}, {{0, 4, 0}}, 1},
  };
};

/// Eight columns of planes that run across these. Axis 0 numbers the columns, axis 1 is z, axis 2 is r. A warp's points
/// all go to one block, and those of different warps to different blocks: where all write to the same one, that takes
/// half as long again.
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
