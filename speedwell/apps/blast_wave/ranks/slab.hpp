// Slab: the points that one rank has of a periodic box, and what it exchanges with the others. Slabs are contiguous in
// memory order, so that nothing is packed: z is outermost, and neighbours along it have a halo of whole planes in
// common. They consist of tiles and not of planes. Of 65 planes on 16 ranks some had 5, a quarter more than the mean;
// and tiles are what is summed, so that sums have the bits of one process. A box on one process is one slab without a
// halo.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "speedwell/apps/blast_wave/cpu/pairwise_sums.hpp"
#include "speedwell/apps/blast_wave/cpu/tiles.hpp"
#include "speedwell/apps/blast_wave/problem.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/comm/parts.hpp"
#include "speedwell/comm/pending_requests.hpp"

namespace speedwell::blast_wave {

/// Planes of points that a step reads on each side of a slab: fourth differences reach two points. A rank has as many
/// itself, so that the halo is its two neighbours'.
constexpr int halo_planes = 2;

/// The points of rank `rank`, in memory order: as many tiles of 32 points as the others, or one fewer.
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
  /// Global numbers of the slab's points.
  const comm::Range& points() const { return points_; }
  int count() const { return static_cast<int>(points_.size()); }
  /// Points in a plane of constant z.
  int plane() const { return plane_; }
  /// The mesh of the slab's planes with halo_planes on each side, whose first own point is mesh().origin. `stride` has
  /// room for a whole tile that begins at the last point.
  const TileMesh& mesh() const { return mesh_; }
  /// Tiles of the slab, the last of which may have fewer than 32 points; those that read a plane of another slab are
  /// not in inner_tiles().
  int tiles() const { return tiles_; }
  comm::Range inner_tiles() const;

  /// Starts to fill `planes` planes of the halo of five variables, mesh().stride apart. Own points may be read until
  /// finish(). Without other ranks these functions do nothing.
  void start(double* field, int planes);
  /// Lets MPI move points on.
  void progress();
  /// Waits until the halo is filled.
  void finish();

  /// Collective. The sums of all tiles of the box: the first `count` of five numbers a tile, which are overwritten.
  void sum(std::span<double> tiles, std::size_t count, double* result);
  /// Collective. The maximum over the ranks; a NaN is ignored.
  double maximum(double value);
  /// Collective. The minimum over the ranks.
  std::int64_t minimum(std::int64_t value);
  /// Collective. Replaces values by those of the rank that has the point.
  void broadcast_from_owner(std::int64_t point, std::span<double> values);

  /// Seconds that this rank has spent in transfers and sums, not hidden by computation.
  double seconds() const { return seconds_; }

 private:
  Slab(const Extents& extents, int ranks, int rank);

  Extents extents_;
  comm::Range points_;
  int plane_, tiles_, rank_;
  TileMesh mesh_{};
  PairwiseSums sums_;
  std::optional<comm::Communicator> ranks_;  // of its own, so that its messages meet no others
  comm::PendingRequests pending_;            // waited for by the destructor
  std::vector<double> sent_, received_;
  double seconds_ = 0;
};

}  // namespace speedwell::blast_wave
