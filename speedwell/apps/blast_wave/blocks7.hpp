// Blocks7: a matrix with the structure of the blast wave's systems: a periodic mesh, five unknowns per point, and a 5x5
// block for the point and for each of its six neighbours. krylov::bicgstab() solves systems with it; gpu_blocks7.hpp
// has the same operator on a GPU.
#pragma once

#include <cstddef>
#include <span>

#include "speedwell/apps/blast_wave/problem.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::blast_wave {

/// Neighbours in the order of the blocks.
enum class Neighbour { self, before_x, after_x, before_y, after_y, before_z, after_z };

/// Vectors have variable c of point i + nx (j + ny k) at c * stride() + point; the padding between the last point and
/// the next variable is not read, and is 0 in a product.
class Blocks7 {
 public:
  /// All blocks are 0. Throws std::invalid_argument for an extent below 3, and for 2^31 / 5 points or more.
  explicit Blocks7(const Extents& extents);

  const Extents& extents() const { return extents_; }
  std::size_t stride() const { return stride_; }
  std::size_t vector_size() const { return 5 * stride_; }
  /// Entry (row, column), both below 5, of a point's block for a neighbour.
  double& entry(std::int64_t point, Neighbour neighbour, int row, int column) {
    return blocks_[index(point, neighbour, row, column)];
  }
  double entry(std::int64_t point, Neighbour neighbour, int row, int column) const {
    return blocks_[index(point, neighbour, row, column)];
  }
  /// All entries in tiles: see point.hpp.
  std::span<const double> blocks() const { return blocks_.span(); }

  /// y = A x. `threads`: 0 is OpenMP's default. Throws std::invalid_argument if the size of a vector is
  /// not vector_size().
  void multiply(std::span<const double> x, std::span<double> y, int threads = 0) const;

 private:
  std::size_t index(std::int64_t point, Neighbour neighbour, int row, int column) const;
  Extents extents_;
  std::size_t stride_ = 0;
  core::HostBuffer<double> blocks_;
};

}  // namespace speedwell::blast_wave
