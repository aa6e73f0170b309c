// The slabs of several GPUs: whole planes along z, since a plane is what kernels leave out, send and receive. Plain
// arithmetic, also for builds without CUDA; the slabs of ranks on cores (slab.hpp) consist of tiles instead.
#pragma once

#include <cstdint>

#include "speedwell/apps/blast_wave/gpu_bytes.hpp"
#include "speedwell/apps/blast_wave/point.hpp"
#include "speedwell/comm/parts.hpp"

namespace speedwell::blast_wave {

/// Throws std::invalid_argument if one of the ranks would have fewer than halo_planes planes along z.
void require_planes(const Extents& extents, int ranks);

/// The planes of one rank of several, and the mesh that it computes on: with halo_planes planes more on each side,
/// which are copies of its neighbours'. Indices of points in memory order are of that mesh ("here"), or of the whole
/// box.
class PlaneSlab {
 public:
  /// Numbers of planes of two ranks differ by at most one. Throws as require_planes().
  PlaneSlab(const Problem& problem, int ranks, int rank);

  /// The planes of the whole box that the rank has.
  const comm::Range& planes() const { return planes_; }
  /// The mesh here. Its spacing is that of the whole box.
  const Medium& medium() const { return medium_; }
  /// Points in a plane.
  int plane() const { return medium_.step[2]; }
  /// The rank's own points in the whole box, and how many.
  comm::Range points() const { return {planes_.begin * plane(), planes_.end * plane()}; }
  int count() const { return static_cast<int>(points().size()); }
  /// The index here of the first own point, after the halo.
  int first() const { return halo_planes * plane(); }
  /// The index here of an own point of the whole box.
  int here(std::int64_t point) const { return static_cast<int>(point - points().begin) + first(); }

  /// What is added to the index here of one of this rank's first halo_planes planes to get the index there of its copy
  /// above the planes of `below`, the slab of the rank below.
  int shift_below(const PlaneSlab& below) const { return below.count(); }
  /// The same for its last planes and the copies below those of the rank above, whichever planes that has.
  int shift_above() const { return -count(); }

 private:
  comm::Range planes_;
  Medium medium_;
};

/// Device bytes of DistributedGpuSolver on the rank that has most planes: those of GpuSolver for its slab and halo, and
/// a vector more, since iterations take turns with two vectors v. On one rank those of GpuSolver.
double distributed_gpu_bytes(const Extents& extents, int ranks, int max_steps);

}  // namespace speedwell::blast_wave
