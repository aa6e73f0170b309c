// HaloExchange: fills the halo of a rank's tile, the layers of points around it that belong to its neighbours, in the
// memory of the host. A sweep over distributed fields hides the transfer behind the points that do not read it:
//   exchange.start(fields);  sweep(interior);  exchange.finish(fields);  sweep(rim);
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "speedwell/comm/communicator.hpp"
#include "speedwell/comm/decomposition.hpp"
#include "speedwell/comm/pending_requests.hpp"

namespace speedwell::comm {

/// The part of the halo that is filled: the layers beside the faces of the tile, those beside its edges too, or all of
/// it. A 7-point stencil needs the faces, D3Q19 the edges, a 27-point stencil the corners.
enum class HaloShape { faces, edges, corners };

/// The layout of a tile with its halo, and the regions that travel: plain arithmetic, for the host and for devices.
/// Along axis a the local extent is tile.extent(a) + 2 halo[a]; the first own point has index halo[a].
class HaloLayout {
 public:
  /// A box of local indices.
  struct Region {
    std::array<Range, 3> ranges;
    std::int64_t size() const { return ranges[0].size() * ranges[1].size() * ranges[2].size(); }
  };
  /// A message to a neighbour and the one that comes from it in the same direction.
  struct Message {
    std::array<int, 3> direction;
    int rank;             // of the neighbour; may be this rank
    Region sent;          // own points that the neighbour needs
    Region received;      // the part of the halo that its points fill
    std::int64_t offset;  // of the message in a buffer that holds all messages of one field, in elements
  };

  HaloLayout(const Decomposition& decomposition, int rank, HaloShape shape);

  /// Points along each axis, the halo included.
  const std::array<std::int64_t, 3>& extents() const { return extents_; }
  std::int64_t size() const { return extents_[0] * extents_[1] * extents_[2]; }
  /// The tile's own points, as local indices.
  const Region& own() const { return own_; }
  /// Those of them that read no point of the halo: own() without halo[a] layers on each side along axis a that has a
  /// neighbour. May be empty.
  const Region& interior() const { return interior_; }
  /// own() without interior(), in at most six boxes that do not overlap.
  const std::vector<Region>& rim() const { return rim_; }
  const std::vector<Message>& messages() const { return messages_; }
  /// Elements of one field that a buffer of all messages holds; what is sent and what is received have one size.
  std::int64_t buffer_size() const { return buffer_size_; }
  /// Elements of one field that go to other ranks.
  std::int64_t sent_to_others() const { return sent_to_others_; }

 private:
  std::array<std::int64_t, 3> extents_{};
  Region own_, interior_;
  std::vector<Region> rim_;
  std::vector<Message> messages_;
  std::int64_t buffer_size_ = 0, sent_to_others_ = 0;
};

/// Element is any trivially copyable type; instantiated for float and double.
template <class Element>
class HaloExchange {
 public:
  /// For `fields` fields at a time, which travel in one message to each neighbour. `ranks` must outlive the exchange;
  /// its size is the decomposition's, else throws std::invalid_argument. Tags of messages are `tag` to tag + 26.
  HaloExchange(const Communicator& ranks, const Decomposition& decomposition, HaloShape shape, int fields, int tag = 0);
  /// The same for fields of several adjacent elements per point: elements[f] of field f, as vectors in an array of
  /// structures have. Throws std::invalid_argument for a number below 1, too.
  HaloExchange(const Communicator& ranks, const Decomposition& decomposition, HaloShape shape,
               std::vector<int> elements, int tag = 0);
  ~HaloExchange();
  HaloExchange(HaloExchange&&) noexcept;
  HaloExchange& operator=(HaloExchange&&) = delete;

  const HaloLayout& layout() const { return layout_; }
  /// Collective among neighbours. Copies what they need out of the fields, each layout().size() points, and starts the
  /// transfer. The fields may be read until finish(), and own points be overwritten.
  void start(std::span<Element* const> fields);
  /// Lets MPI move messages on: to be called now and then while other work is done.
  void progress();
  /// Waits, and fills the halo of the fields. Parts of it beyond an end that is not periodic are left as they are.
  void finish(std::span<Element* const> fields);
  /// Time in start(), progress() and finish() since the construction: what the transfer costs this rank beside its
  /// work.
  double seconds() const { return seconds_; }
  /// start() and finish().
  void exchange(std::span<Element* const> fields) {
    start(fields);
    finish(fields);
  }

 private:
  const Communicator& ranks_;
  HaloLayout layout_;
  std::vector<int> elements_;  // per point, of each field
  std::int64_t all_elements_;  // per point, of all fields
  int tag_;
  double seconds_ = 0;
  std::vector<Element> sent_, received_;
  PendingRequests pending_;
};

}  // namespace speedwell::comm
