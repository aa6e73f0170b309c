// The sweep on ranks: the pipelined decomposition of Koch, Baker and Alcouffe (1992). The grid is divided in x and y; a
// rank sweeps its columns piece by piece: it receives the west and north faces of a piece, sweeps it on one core, and
// sends the east and south faces on while it goes to the next. A piece is a chunk along z of all rows; or, where the
// grid is divided along x alone, a stretch of a vector's rows, which leaves hardly a vector partly empty and little to
// wait for. The bits are those of every other variant.
#pragma once

#include <cstdint>
#include <optional>

#include "speedwell/apps/wavefront/problem.hpp"
#include "speedwell/comm/cartesian2d.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/core/isa.hpp"

namespace speedwell::wavefront {

struct DistributedOptions {
  int ranks_x = 0;                   // ranks along x; 0: chosen
  std::int64_t chunk = 0;            // cells along z of all rows between messages; 0: chosen
  std::int64_t stretch = 0;          // steps of a vector's rows between messages, with all ranks along x; 0: chosen
  core::Isa isa = core::best_isa();  // std::invalid_argument if the processor does not have it
};

/// Ranks along x, and the pieces of each: of `chunk` cells along z, or with 0 of `stretch` steps (stretches.hpp).
struct Pipeline {
  int px = 1;
  std::int64_t chunk = 0, stretch = 0;
};
/// The one that ends first of those that the options leave open, by what steps of the kernel and messages cost.
/// `lanes`: rows that the kernel sweeps side by side. Throws std::invalid_argument for options that are not possible,
/// and where the grid cannot be divided among the ranks.
Pipeline chosen_pipeline(const Extents& whole, int ranks, int lanes, int element_bytes, std::int64_t loops,
                         const DistributedOptions& options = {});

/// One rank's part of a sweep. All of it is collective; `whole` is looked at on rank 0 alone.
template <class T>
class DistributedSweep {
 public:
  /// Throws std::invalid_argument for a recurrence or extents that are not valid, for more ranks than the planes and
  /// rows can be divided among, and for pieces whose faces pass 2^30 bytes. `ranks` outlives the object.
  DistributedSweep(const comm::Communicator& ranks, const Extents& whole, const Recurrence<T>& recurrence,
                   const Direction& direction = {}, const DistributedOptions& options = {});

  const comm::Cartesian2d& division() const { return division_; }
  const Pipeline& pipeline() const { return pipeline_; }
  /// This rank's part of the grid: the cells, and what lies before them where no other rank does.
  Grid<T>& block() { return block_; }

  /// Gives every rank its block of `whole`.
  void scatter(const Grid<T>* whole);
  /// Replaces the cells by their new values.
  void sweep();
  /// Puts the cells of all blocks into `whole`.
  void gather(Grid<T>* whole) const;

 private:
  void sweep_chunks();
  void sweep_stretches();

  Extents extents_of(int rank) const;
  /// The rank so many further in the sweep's direction.
  std::optional<int> neighbour(int further_x, int further_y) const;
  /// Calls move(first in the whole grid, first in the block, count) for the cells of each plane of a rank's block.
  template <class Move>
  void each_plane(int rank, const Move& move) const;

  const comm::Communicator& ranks_;
  Extents whole_;
  Recurrence<T> recurrence_;
  Direction direction_;
  core::Isa isa_;
  Pipeline pipeline_;
  comm::Cartesian2d division_;
  Grid<T> block_;
};

}  // namespace speedwell::wavefront
