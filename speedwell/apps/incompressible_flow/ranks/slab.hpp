// Slab: the planes along the third axis of a box that one rank has, and what it exchanges with the ranks that have the
// others. A box on one process is one slab of all planes, which exchanges nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "speedwell/comm/communicator.hpp"
#include "speedwell/comm/parts.hpp"
#include "speedwell/comm/pending_requests.hpp"
#include "speedwell/comm/timer.hpp"

namespace speedwell::incompressible_flow {

class Slab {
 public:
  /// All planes of a box.
  explicit Slab(int planes) : planes_(planes), range_{0, planes} {}
  /// Collective. The planes of this rank: slabs differ by at most one plane, the larger ones first. `periodic`: whether
  /// the first plane follows the last one. Throws std::invalid_argument for more ranks than planes.
  Slab(const comm::Communicator& ranks, int planes, bool periodic);
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;

  int first() const { return static_cast<int>(range_.begin); }
  int count() const { return static_cast<int>(range_.size()); }
  int planes() const { return planes_; }  // of the box
  bool is_divided() const { return ranks_.has_value(); }
  const comm::Communicator& ranks() const { return *ranks_; }
  comm::Range planes_of(int rank) const { return comm::part_of(planes_, ranks_->size(), rank); }
  bool has_below() const { return below_.has_value(); }
  bool has_above() const { return above_.has_value(); }

  /// Starts to send the first plane to the slab below and the last plane to the slab above, and to receive theirs: each
  /// plane that is not null, for which all ranks give the same. Planes have `count` elements, and may be read only
  /// until finish(). `tag`, from 0 on, tells fields in transfer at a time apart.
  template <class T>
  void start(const T* first_plane, const T* last_plane, T* from_below, T* from_above, std::size_t count, int tag) {
    const comm::Timer timer(seconds_);
    if (below_ && from_below) pending_.receive(*ranks_, std::span<T>(from_below, count), *below_, 2 * tag);
    if (above_ && from_above) pending_.receive(*ranks_, std::span<T>(from_above, count), *above_, 2 * tag + 1);
    if (above_ && last_plane) pending_.send(*ranks_, std::span<const T>(last_plane, count), *above_, 2 * tag);
    if (below_ && first_plane) pending_.send(*ranks_, std::span<const T>(first_plane, count), *below_, 2 * tag + 1);
  }
  /// Lets MPI move planes on.
  void progress();
  /// Waits for all planes.
  void finish();

  /// Collective. The values of all planes from those of this rank's, `per_plane` of each plane.
  std::vector<double> gather(std::span<const double> mine, std::size_t per_plane = 1);
  /// Collective. The maximum over the ranks; NaN if a value is.
  double maximum(double value);

  /// Seconds that this rank has spent in transfers, not hidden by computation. Others add theirs.
  double& seconds() { return seconds_; }

 private:
  int planes_;
  comm::Range range_;
  std::optional<comm::Communicator> ranks_;  // of its own, so that its messages meet no others
  std::optional<int> below_, above_;
  comm::PendingRequests pending_;  // waited for by the destructor
  double seconds_ = 0;
};

}  // namespace speedwell::incompressible_flow
