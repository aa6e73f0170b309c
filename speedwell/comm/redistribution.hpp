// Redistribution: moves a field from one decomposition of its box to another: the transposes of distributed transforms,
// from slabs to slabs along another axis or between pencils, the collection on one rank, and the reading of a field
// that was written by another number of ranks.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "speedwell/comm/communicator.hpp"
#include "speedwell/comm/decomposition.hpp"
#include "speedwell/comm/pending_requests.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::comm {

/// In pieces along one axis, so that a piece can be on its way while others are computed:
///   for each piece p:  compute what p holds;  move.start(p, from);
///   for each piece p:  move.finish(p, to);  compute with it.
/// Element is float, double or std::complex of these. Tiles are row-major without a halo.
template <class Element>
class Redistribution {
 public:
  /// The tile that each rank has and the one that it gets; ranges of global indices, in the same order on all ranks.
  /// Every point that is in a tile of `to` must be in exactly one tile of `from`. `pieces` divides the box along
  /// `axis`. Throws std::invalid_argument for lists of another length than ranks.size(), for an axis other than 0, 1,
  /// 2, and for pieces below 1. `ranks` must outlive the object. Tags of messages are `tag` to tag + pieces - 1.
  Redistribution(const Communicator& ranks, const std::vector<Tile>& from, const std::vector<Tile>& to, int axis = 0,
                 int pieces = 1, int tag = 64);
  /// Between two decompositions of one box.
  Redistribution(const Communicator& ranks, const Decomposition& from, const Decomposition& to, int axis = 0,
                 int pieces = 1, int tag = 64);
  ~Redistribution();
  Redistribution(Redistribution&&) noexcept;
  Redistribution& operator=(Redistribution&&) = delete;

  int pieces() const { return static_cast<int>(pieces_.size()); }
  /// Global indices along the axis that a piece covers.
  Range piece(int index) const;
  /// Bytes that this rank sends to others in all pieces.
  std::int64_t sent_bytes() const;

  /// Copies the points of the piece out of the tile `from`, which may be overwritten afterwards, and starts the
  /// transfer. Every rank calls it for every piece, in the same order.
  void start(int index, std::span<const Element> from);
  /// Lets MPI move messages on.
  void progress();
  /// Waits for the piece, and copies it to its points of the tile `to`.
  void finish(int index, std::span<Element> to);
  /// All pieces together. What is contiguous in both tiles is transferred without a copy on its way, hence `from` and
  /// `to` must not overlap.
  void move(std::span<const Element> from, std::span<Element> to);

 private:
  struct Part {
    int rank;
    Tile tile;            // global indices
    std::int64_t offset;  // in the buffer of the piece
  };
  struct Piece {
    Range range;
    std::vector<Part> sent, received;
    std::int64_t sent_elements = 0, received_elements = 0;
    // Allocated when the first part is copied through them.
    core::HostBuffer<double> sent_buffer, received_buffer;
    PendingRequests pending;
  };
  static Element* buffer_for(core::HostBuffer<double>& buffer, std::int64_t elements);
  void start_directly(int index, std::span<const Element> from, std::span<Element> to);
  void finish_directly(int index, std::span<Element> to);

  const Communicator& ranks_;
  Tile from_, to_;
  int tag_;
  std::vector<Piece> pieces_;
};

}  // namespace speedwell::comm
