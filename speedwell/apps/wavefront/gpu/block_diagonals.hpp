// Cubic blocks of n^3 cells. The blocks of a diagonal, that is, those with equal sums of indices, are independent of
// each other. Included by CUDA sources only.
#pragma once

#include <algorithm>
#include <cstdint>

#include "speedwell/apps/wavefront/problem.hpp"
#include "speedwell/core/host_device.hpp"

namespace speedwell::wavefront {

/// Number of blocks along each axis.
struct BlockCounts {
  std::int32_t x = 1, y = 1, z = 1;
  BlockCounts() = default;
  BlockCounts(const Extents& e, int n) : x(along(e.nx, n)), y(along(e.ny, n)), z(along(e.nz, n)) {}
  std::int64_t blocks() const { return std::int64_t{x} * y * z; }
  std::int32_t diagonals() const { return x + y + z - 2; }

 private:
  static std::int32_t along(std::int64_t cells, int n) { return static_cast<std::int32_t>((cells + n - 1) / n); }
};

struct Block {
  std::int32_t i, j, k;
};

/// The blocks of one diagonal, enumerated over a rectangle of candidates (i, j), some of which have no block because k
/// is out of range.
struct Diagonal {
  std::int32_t sum, first_i, first_j, count_i, count_j, count_k;

  SPEEDWELL_HD
  Diagonal(const BlockCounts& counts, std::int32_t d) : sum(d), count_k(counts.z) {
    const auto first = [&](std::int32_t other) {
      const std::int32_t rest = d - (other - 1) - (counts.z - 1);
      return rest > 0 ? rest : 0;
    };
    const auto last = [&](std::int32_t own) { return d < own - 1 ? d : own - 1; };
    first_i = first(counts.y);
    first_j = first(counts.x);
    count_i = last(counts.x) - first_i + 1;
    count_j = last(counts.y) - first_j + 1;
  }
  SPEEDWELL_HD
  std::int64_t num_candidates() const { return std::int64_t{count_i} * count_j; }
  /// The block of a candidate.
  SPEEDWELL_HD
  Block block(std::int64_t candidate) const {
    const auto i = first_i + static_cast<std::int32_t>(candidate / count_j);
    const auto j = first_j + static_cast<std::int32_t>(candidate % count_j);
    return {i, j, sum - i - j};
  }
  SPEEDWELL_HD
  bool contains(const Block& b) const { return b.k >= 0 && b.k < count_k; }
};

}  // namespace speedwell::wavefront
