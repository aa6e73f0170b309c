#pragma once

#include <cstdint>

namespace speedwell::wavefront {

/// Cells along one axis of the grid, or of one of its planes, in the order of the sweep.
struct Axis {
  std::int64_t count, step;  // step: signed stride in memory
  std::int64_t begin;        // offset of its first cell
  Axis(std::int64_t cells, std::int64_t stride, bool down)
      : count(cells), step(down ? -stride : stride), begin(down ? (cells - 1) * stride : 0) {}
  std::int64_t at(std::int64_t n) const { return begin + n * step; }
};

}  // namespace speedwell::wavefront
