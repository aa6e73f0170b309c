// Options of the GPU variants. Does not depend on CUDA.
#pragma once

namespace speedwell::wavefront {

/// Options of variant `cuda`. Zeros select automatic values.
struct TileOptions {
  int planes = 0;  // planes along x of a tile: 1 … 16
  int cells = 0;   // cells along z that a thread processes per step: 1, 2 or, in single precision, 4
  int blocks = 0;  // maximum number of resident thread blocks; any number completes the sweep
  /// Seconds without progress of any tile after which the sweep is aborted.
  double timeout = 2;
  /// For tests: index, in the order of execution, of a tile that never sends its faces. -1: none.
  int withheld_tile = -1;
};

struct GpuOptions {
  int block = 0;  // edge length of a block, for all variants between cuda-naive and cuda: 8, 16 or 32; 0: automatic
  TileOptions tiles;
};

}  // namespace speedwell::wavefront
