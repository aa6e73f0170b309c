// Slab: the points that one rank has of a periodic box, and what it exchanges with the others. Slabs are contiguous in
// memory order, so that messages need no packing: z is outermost, and the halo on each side is whole planes of the
// neighbour along z. Slabs consist of tiles of 32 points and not of planes, for two reasons. Loads differ by one tile:
// of 65 planes on 16 ranks one rank would have 5, a quarter more than the mean. And reductions add tiles, so that they
// have the bits of one process. A box on one process is one slab without a halo.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "speedwell/apps/blast_wave/cpu/pairwise_sums.hpp"
#include "speedwell/apps/blast_wave/cpu/tiles.hpp"
#include "speedwell/apps/blast_wave/point.hpp"
#include "speedwell/apps/blast_wave/problem.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/comm/parts.hpp"
#include "speedwell/comm/pending_requests.hpp"

namespace speedwell::blast_wave {

/// The range of the points of rank `rank`, in memory order. Numbers of tiles of two ranks differ by at most one; the
/// last tile of the box may have fewer than 32 points.
comm::Range points_of_rank(const Extents& extents, int ranks, int rank);
/// Throws std::invalid_argument if a rank would have fewer points than halo_planes planes.
void require_divisible(const Extents& extents, int ranks);

class Slab {
 public:
  /// The whole box, on one process.
  explicit Slab(const Extents& extents);
  /// Collective. Throws as require_divisible().
  Slab(const comm::Communicator& ranks, const Extents& extents);
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;

  bool is_divided() const { return ranks_.has_value(); }
  /// Indices of the slab's points in the whole box, in memory order.
  const comm::Range& points() const { return points_; }
  int count() const { return static_cast<int>(points_.size()); }
  /// Points in a plane of constant z.
  int plane() const { return plane_; }
  /// The mesh of all planes that have points of the slab, with halo_planes more on each side; the slab's first point is
  /// mesh().origin. `stride` has room for a whole tile that begins at the last point.
  const TileMesh& mesh() const { return mesh_; }
  /// The number of tiles of the slab, the last of which may have fewer than 32 points.
  int tiles() const { return tiles_; }
  /// The tiles for which a product y = A x, which reads one plane on each side, reads no point of another slab.
  comm::Range inner_tiles() const;

  /// Starts to fill `planes` planes (at most halo_planes) on each side of the slab in `field`: five variables,
  /// mesh().stride apart. Until finish() the slab's own points may be read but not written. Without other ranks
  /// start(), progress() and finish() do nothing.
  void start(double* field, int planes);
  /// Lets MPI make progress with the messages that start() began.
  void progress();
  /// Waits until the halo is filled.
  void finish();

  /// Collective. Adds the numbers of all tiles of the box, and stores the sums in `result`, `count` of them. `tiles`
  /// has five numbers for each tile of the slab, of which the first `count` are added; it is overwritten.
  void sum(std::span<double> tiles, std::size_t count, double* result);
  /// Collective. The maximum over the ranks; a NaN is ignored.
  double maximum(double value);
  /// Collective. The minimum over the ranks.
  std::int64_t minimum(std::int64_t value);
  /// Collective. Replaces `values` by those of the rank that has `point`, an index in the whole box.
  void broadcast_from_owner(std::int64_t point, std::span<double> values);

  /// Seconds that this rank has spent in the functions above: the time of communication that no computation hides.
  double seconds() const { return seconds_; }

 private:
  Slab(const Extents& extents, int ranks, int rank);

  Extents extents_;
  comm::Range points_;
  int plane_, tiles_, rank_;
  TileMesh mesh_{};
  PairwiseSums sums_;
  std::optional<comm::Communicator> ranks_;  // a duplicate, so that messages of others cannot match
  comm::PendingRequests pending_;            // waited for by the destructor
  std::vector<double> sent_, received_;
  double seconds_ = 0;
};

}  // namespace speedwell::blast_wave
