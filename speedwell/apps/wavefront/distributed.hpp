// The sweep on ranks: the pipelined decomposition of Koch, Baker and Alcouffe (1992). The grid is divided in x and y; a
// rank sweeps its columns chunk by chunk along z: it receives the west and north faces of a chunk, sweeps it on one
// core, and sends the east and south faces on while it goes to the next. The bits are those of every other variant.
#pragma once

#include <cstdint>

#include "speedwell/apps/wavefront/problem.hpp"
#include "speedwell/comm/cartesian2d.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/core/isa.hpp"

namespace speedwell::wavefront {

struct DistributedOptions {
  int ranks_x = 0;                   // ranks along x; 0: chosen
  std::int64_t chunk = 0;            // cells along z between messages; 0: chosen
  core::Isa isa = core::best_isa();  // std::invalid_argument if the processor does not have it
};

/// The chunk for which the pipeline of px x py ranks ends first, by what steps of the kernel and messages cost.
/// `block`: the largest of a rank. `lanes`: rows that the kernel sweeps side by side.
std::int64_t chosen_chunk(const Extents& block, int px, int py, int lanes, std::int64_t loops);

/// One rank's part of a sweep. All of it is collective; `whole` is looked at on rank 0 alone.
template <class T>
class DistributedSweep {
 public:
  /// Throws std::invalid_argument for a recurrence or extents that are not valid, for more ranks than the planes and
  /// rows can be divided among, and for a chunk whose faces pass 2^30 bytes. `ranks` outlives the object.
  DistributedSweep(const comm::Communicator& ranks, const Extents& whole, const Recurrence<T>& recurrence,
                   const Direction& direction = {}, const DistributedOptions& options = {});

  const comm::Cartesian2d& division() const { return division_; }
  std::int64_t chunk() const { return chunk_; }
  /// This rank's part of the grid: the cells, and what lies before them where no other rank does.
  Grid<T>& block() { return block_; }

  /// Gives every rank its block of `whole`.
  void scatter(const Grid<T>* whole);
  /// Replaces the cells by their new values.
  void sweep();
  /// Puts the cells of all blocks into `whole`.
  void gather(Grid<T>* whole) const;

 private:
  Extents extents_of(int rank) const;
  /// Calls move(first in the whole grid, first in the block, count) for the cells of each plane of a rank's block.
  template <class Move>
  void each_plane(int rank, const Move& move) const;

  const comm::Communicator& ranks_;
  Extents whole_;
  Recurrence<T> recurrence_;
  Direction direction_;
  core::Isa isa_;
  comm::Cartesian2d division_;
  Grid<T> block_;
  std::int64_t chunk_;
};

}  // namespace speedwell::wavefront
