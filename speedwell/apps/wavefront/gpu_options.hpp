// What a caller may choose of the GPU variants. Knows no CUDA.
#pragma once

namespace speedwell::wavefront {

/// Of `cuda`. Zeros: chosen for the problem.
struct TileOptions {
  int planes = 0;  // along x, each a warp's: 1 … 16
  int cells = 0;   // along z that a thread takes at a time: 1, 2 or, in single precision, 4
  int blocks = 0;  // at most so many at a time; any number finishes
  /// Seconds without progress anywhere in the grid after which a sweep gives up.
  double patience = 2;
  /// For tests: a tile (in the order in which they are begun) that never hands on its faces. -1: none.
  int withheld = -1;
};

struct GpuOptions {
  int block = 0;  // cells along each edge of a block of the ladder's steps after the first: 8, 16 or 32; 0: chosen
  TileOptions tiles;
};

}  // namespace speedwell::wavefront
