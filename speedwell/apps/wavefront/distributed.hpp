// The distributed sweep: the pipelined decomposition of Koch, Baker and Alcouffe (1992). The grid is divided in x and y
// among the ranks. A rank sweeps its block in pipeline chunks: it receives the west and north faces of a chunk, sweeps
// the chunk on one core, and sends the east and south faces while it sweeps the next one. A chunk is either a z chunk,
// which consists of some cells along z of all rows, or, where the grid is divided along x only, a row chunk, which
// consists of cells of one group of rows that fills a vector (row_chunks.hpp). Row chunks leave few vectors partly
// empty and make the next rank wait less. All divisions give the same bits as every other variant. Where all ranks are
// on one host, faces go through memory that they share, else in messages.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "speedwell/apps/wavefront/problem.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/comm/decomposition.hpp"
#include "speedwell/core/simd/isa.hpp"

namespace speedwell::wavefront {

/// The division of the grid among ranks in x and y, `ranks_x` of them along x (0: chosen). Throws
/// std::invalid_argument.
comm::Decomposition division_of(const Extents& whole, int ranks, int ranks_x = 0);

struct DistributedOptions {
  int ranks_x = 0;                   // ranks along x; 0: automatic
  std::int64_t z_chunk = 0;          // length of a z chunk in cells; 0: automatic
  std::int64_t row_chunk = 0;        // minimum length of a row chunk in steps, requires all ranks along x; 0: automatic
  core::Isa isa = core::best_isa();  // std::invalid_argument if the processor does not have it
};

/// Number of ranks along x and length of the pipeline chunks: `z_chunk` cells, or, if that is 0, `row_chunk` steps.
struct Pipeline {
  int px = 1;
  std::int64_t z_chunk = 0, row_chunk = 0;
};
/// The fastest pipeline among those that the options permit, by a cost model of kernel steps and messages. `lanes` is
/// the number of rows that the kernel sweeps together; `shares_memory`: faces go through shared memory. Throws
/// std::invalid_argument for invalid options, and if the grid cannot be divided among the ranks.
Pipeline chosen_pipeline(const Extents& whole, int ranks, int lanes, int element_bytes, std::int64_t loops,
                         const DistributedOptions& options = {}, bool shares_memory = false);

struct SharedFaces;  // ranks/shared_faces.hpp

/// One rank's part of a distributed sweep. All members are collective; `whole` is read or written on rank 0 only.
template <class T>
class DistributedSweep {
 public:
  /// Throws std::invalid_argument for an invalid recurrence or extents, for more ranks than the planes and rows can be
  /// divided among, and for chunks whose faces exceed 2^30 bytes. `ranks` must outlive the object.
  DistributedSweep(const comm::Communicator& ranks, const Extents& whole, const Recurrence<T>& recurrence,
                   const Direction& direction = {}, const DistributedOptions& options = {});

  const comm::Decomposition& division() const { return division_; }
  const Pipeline& pipeline() const { return pipeline_; }
  /// Whether faces go through shared memory: see comm::SharedMemory::allocate().
  bool shares_memory() const { return shared_ != nullptr; }
  /// The rank's block of the grid: its cells, and the inflow planes at the boundary of the grid.
  Grid<T>& block() { return block_; }

  /// Distributes the blocks of `whole` to the ranks.
  void scatter(const Grid<T>* whole);
  /// Performs one sweep of the distributed grid, in place.
  void sweep();
  /// Collects the cells of all blocks in `whole`.
  void gather(Grid<T>* whole) const;

 private:
  template <class Inflow, class Outflow>
  void sweep_z_chunks(Inflow& west, Inflow& north, Outflow& east, Outflow& south);
  template <class Inflow, class Outflow>
  void sweep_row_chunks(Inflow& west, Outflow& east);

  /// Cells of the largest face of a chunk, of all ranks, that goes along x (0) or y (1).
  std::int64_t max_face(int axis) const;
  std::shared_ptr<SharedFaces> share_faces() const;
  Extents extents_of(int rank) const;
  /// The rank at the given offset from another in the direction of the sweep.
  std::optional<int> neighbour(int rank, int further_x, int further_y) const;
  /// Calls move(offset in the whole grid, offset in the block, count) for the cells of each plane of a rank's block.
  template <class Move>
  void each_plane(int rank, const Move& move) const;

  const comm::Communicator& ranks_;
  Extents whole_;
  Recurrence<T> recurrence_;
  Direction direction_;
  core::Isa isa_;
  Pipeline pipeline_;
  comm::Decomposition division_;
  Grid<T> block_;
  std::shared_ptr<SharedFaces> shared_;  // null: in messages
};

}  // namespace speedwell::wavefront
