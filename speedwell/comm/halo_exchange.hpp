// HaloExchange: fills the halo of a rank's tile, the layers of points around it that belong to its neighbours, in the
// memory of the host. A sweep over distributed fields hides the transfer behind the points that do not read it:
//   exchange.start(fields);  sweep(interior);  exchange.finish(fields);  sweep(rim);
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "speedwell/comm/communicator.hpp"
#include "speedwell/comm/decomposition.hpp"
#include "speedwell/comm/halo_layout.hpp"
#include "speedwell/comm/pending_requests.hpp"
#include "speedwell/comm/shared_channels.hpp"

namespace speedwell::comm {

struct HaloOptions {
  int tag = 0;                // messages have the tags from this one to tag + 26
  bool shared_memory = true;  // ranks of one host write into the memory of the receiver, without messages
};

/// Element is any trivially copyable type; instantiated for float and double.
template <class Element>
class HaloExchange {
 public:
  /// Collective. For `fields` fields at a time, which travel in one message to each neighbour. `ranks` must outlive the
  /// exchange; its size is the decomposition's, else throws std::invalid_argument.
  HaloExchange(const Communicator& ranks, const Decomposition& decomposition, HaloShape shape, int fields,
               const HaloOptions& options = {});
  /// The same for fields of several adjacent elements per point: elements[f] of field f, as vectors in an array of
  /// structures have. Throws std::invalid_argument for a number below 1, too.
  HaloExchange(const Communicator& ranks, const Decomposition& decomposition, HaloShape shape,
               std::vector<int> elements, const HaloOptions& options = {});
  ~HaloExchange();
  HaloExchange(HaloExchange&&) noexcept;
  HaloExchange& operator=(HaloExchange&&) = delete;

  const HaloLayout& layout() const { return layout_; }
  bool in_shared_memory() const { return channels_.has_value(); }
  /// Collective among neighbours. Copies what they need out of the fields, each layout().size() points, and starts the
  /// transfer. The fields may be read until finish(), and own points be overwritten.
  void start(std::span<Element* const> fields);
  /// Lets MPI move messages on: to be called now and then while other work is done. In shared memory there is nothing
  /// to do.
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
  void create_channels(const Decomposition& decomposition, HaloShape shape);
  /// Copies a region of the fields to a message, and a message to a region.
  void pack(std::span<Element* const> fields, const HaloLayout::Region& region, Element* message) const;
  void unpack(const Element* message, const HaloLayout::Region& region, std::span<Element* const> fields) const;
  std::size_t elements_of(const HaloLayout::Message& message) const {
    return static_cast<std::size_t>(message.sent.size() * all_elements_);
  }
  std::span<Element> part(std::vector<Element>& buffer, const HaloLayout::Message& message) const {
    return std::span(buffer).subspan(static_cast<std::size_t>(message.offset * all_elements_), elements_of(message));
  }

  const Communicator& ranks_;
  HaloLayout layout_;
  std::vector<int> elements_;  // per point, of each field
  std::int64_t all_elements_;  // per point, of all fields
  int tag_;
  double seconds_ = 0;
  std::optional<SharedChannels> channels_;
  std::vector<std::size_t> sending_, receiving_;  // the channel of each message, if there are channels
  std::vector<Element> sent_, received_;          // the messages of MPI, and those to itself
  PendingRequests pending_;
};

}  // namespace speedwell::comm
