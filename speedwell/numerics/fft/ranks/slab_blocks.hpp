// The division of an array among GPUs before and after an exchange between slabs: what each sends to each. A slab is
// seen as [first][second][inner]: a rank has some planes, numbers along the first axis, before the exchange of a
// forward transform, and some layers, numbers along the second axis, after it. Host code.
#pragma once

#include <cstdint>
#include <vector>

#include "speedwell/comm/parts.hpp"

namespace speedwell::fft::gpu {

/// Rows of `run` contiguous points each that go from this rank's slab to that of another. Offsets and pitches, the
/// distances between rows, are in points.
struct SlabBlock {
  std::int64_t rows = 0, run = 0;
  std::int64_t from = 0, from_pitch = 0;  // in the slab of the sender
  std::int64_t to = 0, to_pitch = 0;      // in the slab of the receiver
  std::int64_t points() const { return rows * run; }
};

/// For each rank what it sends to every rank and what it receives from every rank in an exchange.
struct SlabBlocks {
  std::vector<SlabBlock> sent, received;
};

/// An array [first][second][inner] that `ranks` ranks divide along its first or its second axis.
struct SlabDivision {
  std::int64_t first = 1, second = 1, inner = 1;
  int ranks = 1;

  comm::Range planes_of(int rank) const { return comm::part_of(first, ranks, rank); }
  comm::Range layers_of(int rank) const { return comm::part_of(second, ranks, rank); }
  std::int64_t array_points(int rank) const { return planes_of(rank).size() * second * inner; }
  std::int64_t spectrum_points(int rank) const { return first * layers_of(rank).size() * inner; }
  /// The largest number of points of a slab: the first rank has the largest parts.
  std::int64_t largest_slab() const;
  /// Points that `rank` sends to others in an exchange.
  std::int64_t points_sent(int rank, bool backward) const;

  /// Forward: what rank `sender` has of `planes`, counted from its first one, and rank `receiver` wants of them.
  SlabBlock forward_block(int sender, int receiver, comm::Range planes) const;
  /// Backward: what rank `sender` has of `layers`, counted from its first one, and rank `receiver` wants of them.
  SlabBlock backward_block(int sender, int receiver, comm::Range layers) const;
  SlabBlock block(bool backward, int sender, int receiver, comm::Range range) const {
    return backward ? backward_block(sender, receiver, range) : forward_block(sender, receiver, range);
  }
  /// What `rank` sends and receives of whole slabs.
  SlabBlocks all_blocks(int rank, bool backward) const;

  /// Where a plane is: the rank that has it, and its number there.
  struct PlaneOwner {
    int rank;
    std::int64_t index;
  };
  /// The owners of all planes, in their order.
  std::vector<PlaneOwner> plane_owners() const;
};

}  // namespace speedwell::fft::gpu
