// Exchange of the populations that cross the faces and edges of tiles, for one lattice in place (in_place.hpp): five of
// nineteen of each distribution beside a face, one beside an edge. Before an odd step they are copied from the sites
// that they leave into the halo of the neighbours, which read them there. The step overwrites these same slots with the
// populations in the opposite direction, which go back to the sites' owners before the next even step.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "speedwell/apps/binary_fluid/ranks/distributed_tile.hpp"
#include "speedwell/comm/pending_requests.hpp"

namespace speedwell::binary_fluid {

/// S is the storage type.
template <class S>
class PopulationExchange {
 public:
  enum class Direction { to_halo, to_owner };

  /// Slot q of a site is at q * stride + TileBox::site(). Tags of messages are `tag` to tag + 26.
  PopulationExchange(const comm::Communicator& ranks, const Problem& problem, const comm::Decomposition& division,
                     std::int64_t stride, int tag);

  /// Collective among neighbours. Copies the populations that are sent from the lattices f and g, and starts messages.
  void start(Direction direction, const S* f, const S* g);
  /// Lets MPI move messages on.
  void progress();
  /// Waits for the messages, and copies the populations that have arrived into the lattices.
  void finish(S* f, S* g);
  /// Whether an exchange has been started and not finished.
  bool under_way() const { return !pending_.empty(); }
  /// Seconds spent in start(), progress() and finish() of all exchanges.
  double seconds() const { return seconds_; }
  /// Bytes that go to other ranks in an exchange, in either direction.
  std::int64_t sent_bytes() const { return static_cast<std::int64_t>(outgoing_.size() * sizeof(S)); }

 private:
  /// One slot of the sites of a box.
  struct Part {
    int slot;
    Sites sites;
  };
  struct Message {
    int rank, tag, opposite_tag;
    std::vector<Part> own, halo;                       // sites of this rank that the neighbour reads, and the reverse
    std::size_t own_at, own_size, halo_at, halo_size;  // offsets and sizes in a buffer of all messages, in populations
  };

  /// Calls act(index in a field, sites) for the rows of the parts, in order.
  template <class Act>
  void for_rows(const std::vector<Part>& parts, const Act& act) const;
  std::int64_t sites_in(const std::vector<Part>& parts) const;

  const comm::Communicator& ranks_;
  TileBox box_;
  std::int64_t stride_;
  std::vector<Message> messages_;
  std::vector<S> outgoing_, arriving_;
  comm::PendingRequests pending_;
  Direction direction_ = Direction::to_halo;
  double seconds_ = 0;
};

}  // namespace speedwell::binary_fluid
