// ModeTranspose: moves modes between slabs of planes, which transforms along the first two axes need, and lines along
// the third axis, which tridiagonal systems need. Planes travel in pieces, hidden behind the transforms of others:
//   for each piece p:  transform its planes;  move.send(p, planes);
//   solve the systems of the rows of this rank in move.lines();  move.send_back();
//   for each piece p:  move.receive(p, planes);  transform its planes back;
#pragma once

#include <cstddef>
#include <vector>

#include "speedwell/apps/incompressible_flow/ranks/slab.hpp"
#include "speedwell/comm/pending_requests.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::incompressible_flow {

template <class T>
class ModeTranspose {
 public:
  /// rows[r]: the rows of planes that rank r has as lines, each row of 0 … height - 1 once. `row_size`: elements of a
  /// row. `slab` must be divided and outlive the object.
  ModeTranspose(Slab& slab, std::vector<std::vector<int>> rows, int height, std::ptrdiff_t row_size);

  int pieces() const { return pieces_; }
  /// Planes of a piece, as indices within the slab.
  comm::Range piece(int p) const { return piece_of(slab_->ranks().rank(), p); }

  /// Every rank calls it for every piece, in order. `planes` is the first plane of the slab: rows in order.
  void send(int p, const T* planes);
  /// Waits. The rows of this rank, of all planes of the box: row `row` of plane k begins at at(k, row).
  void lines();
  T* at(int k, int row) {
    return lines_.data() +
           (static_cast<std::ptrdiff_t>(k) * my_rows() + position_[static_cast<std::size_t>(row)]) * row_;
  }
  /// Starts to send the lines to the slabs of their planes.
  void send_back();
  /// Waits for a piece. Every rank calls it for every piece, in order.
  void receive(int p, T* planes);

 private:
  comm::Range piece_of(int rank, int p) const { return comm::part_of(slab_->planes_of(rank).size(), pieces_, p); }
  std::ptrdiff_t my_rows() const { return rows_count(slab_->ranks().rank()); }
  std::ptrdiff_t rows_count(int rank) const {
    return static_cast<std::ptrdiff_t>(rows_[static_cast<std::size_t>(rank)].size());
  }
  /// The part of the buffer for rows of a rank, from plane k of the slab on.
  T* part(int rank, std::int64_t k) {
    return buffer_.data() + offset_[static_cast<std::size_t>(rank)] + k * rows_count(rank) * row_;
  }
  /// Lines of this rank from plane k of the slab of a rank on.
  T* lines_from(int rank, std::int64_t k) {
    return lines_.data() + (slab_->planes_of(rank).begin + k) * my_rows() * row_;
  }
  void receive_lines();

  Slab* slab_;
  std::vector<std::vector<int>> rows_;
  std::vector<int> position_;  // of each row among this rank's
  std::ptrdiff_t row_;
  int pieces_;
  std::vector<std::ptrdiff_t> offset_;
  core::HostBuffer<T> lines_, buffer_;
  comm::PendingRequests sent_, received_;
  std::vector<comm::PendingRequests> returned_;  // by piece
};

extern template class ModeTranspose<float>;
extern template class ModeTranspose<double>;

}  // namespace speedwell::incompressible_flow
