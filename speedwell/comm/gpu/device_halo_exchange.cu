// DeviceHaloExchange: packing, the four transports, and unpacking. What leaves a rank for a neighbour is one contiguous
// message, with the regions of all fields one after the other.
//
// With Transport::peer the kernel that packs a message stores it into the memory of the neighbour, and then, as a
// release at system scope, the number of the exchange into the neighbour's flag of this message; the kernel that
// unpacks acquires the flag (halo_messages.hpp). There are two buffers for each message, used in turn, so that an
// exchange does not wait until the one before has been unpacked. Two are enough: a rank that packs exchange s + 2 has
// received the messages of s + 1, which its neighbours send after they have unpacked s.
#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>

#include "speedwell/comm/gpu/device_halo_exchange.hpp"
#include "speedwell/comm/gpu/exposed_time.hpp"
#include "speedwell/comm/gpu/halo_messages.hpp"
#include "speedwell/comm/gpu/nccl.hpp"
#include "speedwell/comm/gpu/peer_memory.hpp"
#include "speedwell/comm/gpu/timeout.hpp"
#include "speedwell/comm/gpu/urgent_stream.hpp"
#include "speedwell/comm/pending_requests.hpp"
#include "speedwell/core/cuda_trace.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::comm {
namespace {

using namespace detail;

constexpr int max_blocks = 64;  // thread blocks that copy one message

/// Directions have a component -1, 0 or 1 along each axis; tags are 0 to 26.
std::array<int, 3> opposite(const std::array<int, 3>& d) { return {-d[0], -d[1], -d[2]}; }
int tag_of(const std::array<int, 3>& d) { return ((d[0] + 1) * 3 + d[1] + 1) * 3 + d[2] + 1; }

/// The index of the message of a layout in a direction.
std::size_t message_towards(const HaloLayout& layout, const std::array<int, 3>& direction) {
  for (std::size_t m = 0; m < layout.messages().size(); ++m)
    if (layout.messages()[m].direction == direction) return m;
  throw std::logic_error("a neighbour that sends nothing back");
}

}  // namespace

template <class Element>
struct DeviceHaloExchange<Element>::Impl {
  static_assert(DeviceHaloExchange<Element>::max_fields == detail::max_fields);

  Impl(const Communicator& all, const Decomposition& decomposition, HaloShape shape, std::vector<int> of_fields,
       Transport chosen, int first_tag)
      : ranks(all),
        layout(decomposition, all.rank(), shape),
        elements(std::move(of_fields)),
        per_point(std::accumulate(elements.begin(), elements.end(), std::int64_t{0})),
        transport(chosen),
        tag(first_tag),
        total(static_cast<std::size_t>(layout.buffer_size() * per_point)),
        counters(max_messages + 1),
        waited(2) {
    if (ranks.size() != decomposition.ranks())
      throw std::invalid_argument("a decomposition for " + core::counted(decomposition.ranks(), "rank") + " on " +
                                  std::to_string(ranks.size()));
    if (elements.empty() || elements.size() > static_cast<std::size_t>(max_fields))
      throw std::invalid_argument(std::to_string(elements.size()) + " fields in an exchange; 1 to " +
                                  std::to_string(max_fields));
    for (const int count : elements)
      if (count < 1) throw std::invalid_argument(std::to_string(count) + " elements per point; at least one");
    if (const auto reason = transport_missing(ranks, transport))
      throw core::Unavailable("transport " + std::string(to_string(transport)) + ": " + *reason);
    core::check(cudaMemset(counters.data(), 0, counters.bytes()));
    core::check(cudaMemset(waited.data(), 0, waited.bytes()));
    for (std::size_t i = 0; i < layout.messages().size(); ++i)
      if (layout.messages()[i].rank != ranks.rank()) to_others.push_back(i);
    sent = core::DeviceBuffer<Element>(total);
    if (transport == Transport::peer) {
      begin_peer(decomposition, shape);
    } else {
      received = core::DeviceBuffer<Element>(total);
      if (transport == Transport::staged) {
        host_sent = core::PinnedBuffer<Element>(total);
        host_received = core::PinnedBuffer<Element>(total);
      }
      if (transport == Transport::nccl) nccl.emplace(ranks);
    }
    core::check(cudaDeviceSynchronize());
  }

  /// The offset of a message in a buffer of all messages, and its length, in elements.
  std::int64_t offset(std::size_t message) const { return layout.messages()[message].offset * per_point; }
  std::size_t count(std::size_t message) const {
    return static_cast<std::size_t>(layout.messages()[message].sent.size() * per_point);
  }

  /// A rank's window of peer memory has two buffers of all messages that it receives, then a 64-bit flag for each
  /// message, from max_messages of them, all 0 at first. Messages have the order of the receiver's layout.
  std::size_t flags_offset(std::size_t elements_of_buffer) const {
    return (2 * elements_of_buffer * sizeof(Element) + 255) / 256 * 256;
  }
  /// Computes where each message of this rank goes: to the buffers and the flag that the neighbour has for the message
  /// from the opposite direction. Layouts differ from rank to rank, so that the neighbour's is made here, too.
  void begin_peer(const Decomposition& decomposition, HaloShape shape) {
    window = PeerMemory(ranks, flags_offset(total) + max_messages * sizeof(unsigned long long));
    for (std::size_t i = 0; i < layout.messages().size(); ++i) {
      const HaloLayout::Message& message = layout.messages()[i];
      const HaloLayout there(decomposition, message.rank, shape);
      const std::size_t other = message_towards(there, opposite(message.direction));
      const auto there_total = static_cast<std::size_t>(there.buffer_size() * per_point);
      auto* const base = reinterpret_cast<Element*>(window.of(message.rank));
      for (std::size_t set = 0; set < 2; ++set)
        peer_buffer[set][i] = base + set * there_total + there.messages()[other].offset * per_point;
      peer_flag[i] = reinterpret_cast<unsigned long long*>(window.of(message.rank) + flags_offset(there_total)) + other;
    }
  }

  std::int64_t sent_bytes() const {
    return layout.sent_to_others() * per_point * static_cast<std::int64_t>(sizeof(Element));
  }
  core::DeviceSpan on_communication(const char* name, core::TraceCategory category) const {
    return {name, category, communication.get(), "communication", sent_bytes()};
  }

  /// The part of the kernels' parameters that packing and unpacking have in common. Throws std::invalid_argument for
  /// another number of fields.
  Messages<Element> table(std::span<Element* const> fields) const {
    if (fields.size() != elements.size())
      throw std::invalid_argument(core::counted(fields.size(), "field") + " in an exchange of " +
                                  std::to_string(elements.size()));
    Messages<Element> m;
    m.count = static_cast<int>(layout.messages().size());
    m.fields = static_cast<int>(fields.size());
    for (std::size_t f = 0; f < fields.size(); ++f) {
      m.elements[f] = elements[f];
      m.field[f] = fields[f];
    }
    return m;
  }
  /// The grid of both kernels: thread blocks of a message along x, four elements per thread of the longest message
  /// unless that needs more than max_blocks; messages along y.
  dim3 blocks() const {
    std::int64_t longest = 1;
    for (const auto& message : layout.messages()) longest = std::max(longest, message.sent.size() * per_point);
    const auto wanted = core::blocks_for(longest, threads * 4);
    return dim3(static_cast<unsigned>(std::clamp<std::int64_t>(wanted, 1, max_blocks)),
                static_cast<unsigned>(layout.messages().size()));
  }

  void push(std::span<Element* const> fields, const core::Stream& stream) {
    if (transport != Transport::peer) throw std::logic_error("push() is for transport peer");
    (void)table(fields);  // throws before the number is increased
    if (layout.messages().empty()) return;
    ++number;
    ++pushes;
    pack(fields, stream.get());
  }
  HaloArrival<Element> arrival(const std::array<int, 3>& direction) {
    for (std::size_t i = 0; i < layout.messages().size(); ++i)
      if (layout.messages()[i].direction == direction)
        return {.data = reinterpret_cast<const Element*>(window.own()) + (number % 2) * total + offset(i),
                .flag = reinterpret_cast<const unsigned long long*>(window.own() + flags_offset(total)) + i,
                .number = number,
                .timed_out = timed_out(),
                .waited = waited.data()};
    return {};
  }

  void pack(std::span<Element* const> fields, cudaStream_t on) {
    // No trace span for push(): the event that ends one would come between this kernel and the next, which is launched
    // to overlap with it.
    std::optional<core::DeviceSpan> span;
    if (on == communication.get())
      span.emplace(transport == Transport::peer ? "pack into the neighbours' memory" : "pack halo",
                   core::TraceCategory::halo, on, "communication", sent_bytes());
    Messages<Element> m = table(fields);
    for (std::size_t i = 0; i < layout.messages().size(); ++i) {
      m.box[i] = box_of(layout, layout.messages()[i].sent);
      m.buffer[i] = sent.data() + offset(i);
      if (transport == Transport::peer) {
        m.buffer[i] = peer_buffer[number % 2][i];
        m.flag[i] = peer_flag[i];
      }
    }
    pack_kernel<<<blocks(), threads, 0, on>>>(m, counters.data(), number);
    core::check(cudaGetLastError());
  }
  void unpack(std::span<Element* const> fields) {
    // With Transport::peer the kernel waits for the neighbours first.
    const auto span = on_communication(transport == Transport::peer ? "wait and unpack halo" : "unpack halo",
                                       core::TraceCategory::halo);
    Messages<Element> m = table(fields);
    for (std::size_t i = 0; i < layout.messages().size(); ++i) {
      const HaloLayout::Message& message = layout.messages()[i];
      m.box[i] = box_of(layout, message.received);
      m.buffer[i] = received.data() + offset(i);
      if (transport == Transport::peer) {
        m.buffer[i] = reinterpret_cast<Element*>(window.own()) + (number % 2) * total + offset(i);
        m.flag[i] = reinterpret_cast<unsigned long long*>(window.own() + flags_offset(total)) + i;
      } else if (message.rank == ranks.rank()) {  // a periodic axis of one rank: unpacked from the send buffer
        m.buffer[i] = sent.data() + offset(message_towards(layout, opposite(message.direction)));
      }
    }
    unpack_kernel<<<blocks(), threads, 0, communication.get()>>>(m, timed_out(), number);
    core::check(cudaGetLastError());
  }
  /// The last of the counters, which a kernel sets to 1 if a neighbour's flag did not come in time.
  int* timed_out() const { return reinterpret_cast<int*>(const_cast<unsigned*>(counters.data()) + max_messages); }

  void start(std::span<Element* const> fields, const core::Stream& stream) {
    (void)table(fields);  // throws before anything is enqueued
    if (layout.messages().empty()) return;
    ++number;
    ready.record(stream);
    communication.wait_for(ready);
    pack(fields, communication.get());
    switch (transport) {
      case Transport::staged: {
        const auto span = on_communication("copy halo to the host", core::TraceCategory::copy);
        communication.copy(host_sent.data(), sent.data(), total);
      }
        [[fallthrough]];
      case Transport::gpu_aware:
        communication.record(packed);
        return;
      case Transport::nccl: {
        const auto span = on_communication("NCCL send and receive", core::TraceCategory::communication);
        nccl->begin_group();
        for (const std::size_t i : to_others) {
          const int other = layout.messages()[i].rank;
          nccl->send(sent.data() + offset(i), count(i) * sizeof(Element), other, communication.get());
        }
        // NCCL matches the messages between two ranks by their order. There may be several, as with two ranks on a
        // periodic axis: they are received in the order in which the sender has them, that of its directions.
        for (const std::size_t i : in_order_of_sender()) {
          const int other = layout.messages()[i].rank;
          nccl->receive(received.data() + offset(i), count(i) * sizeof(Element), other, communication.get());
        }
        nccl->end_group();
      }
        [[fallthrough]];
      case Transport::peer:
        unpack(fields);
        communication.record(done);
    }
  }

  /// The messages from others in the order of the directions from which they come, which is the sender's order.
  std::vector<std::size_t> in_order_of_sender() const {
    std::vector<std::size_t> order = to_others;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return opposite(layout.messages()[a].direction) < opposite(layout.messages()[b].direction);
    });
    return order;
  }

  void through_mpi(std::span<Element* const> fields) {
    const core::TraceSpan span("halo through MPI", core::TraceCategory::halo, sent_bytes());
    {
      const core::TraceSpan packing("wait for packing", core::TraceCategory::wait);
      packed.synchronize();
    }
    const bool staged = transport == Transport::staged;
    Element* const from = staged ? host_sent.data() : sent.data();
    Element* const to = staged ? host_received.data() : received.data();
    PendingRequests pending;
    for (const std::size_t i : to_others)
      pending.receive(ranks, std::span<Element>(to + offset(i), count(i)), layout.messages()[i].rank,
                      tag + tag_of(opposite(layout.messages()[i].direction)));
    for (const std::size_t i : to_others)
      pending.send(ranks, std::span<const Element>(from + offset(i), count(i)), layout.messages()[i].rank,
                   tag + tag_of(layout.messages()[i].direction));
    pending.wait_all();
    if (staged) {
      const auto copying = on_communication("copy halo to the device", core::TraceCategory::copy);
      communication.copy(received.data(), to, total);
    }
    unpack(fields);
    communication.record(done);
  }

  void finish(std::span<Element* const> fields, const core::Stream& stream) {
    if (layout.messages().empty()) return;
    exposed.measure(stream, [&] {
      if (transport == Transport::staged || transport == Transport::gpu_aware) through_mpi(fields);
      core::check(cudaStreamWaitEvent(stream.get(), done.get()));
    });
  }

  const Communicator& ranks;
  HaloLayout layout;
  std::vector<int> elements;
  std::int64_t per_point;
  Transport transport;
  int tag;
  std::size_t total;  // elements of all messages
  UrgentStream communication;
  core::Event ready, packed, done;
  ExposedTime exposed;
  core::DeviceBuffer<Element> sent, received;
  core::PinnedBuffer<Element> host_sent, host_received;
  // For each message the blocks that have finished packing, 0 between kernels, and whether a neighbour did not come.
  core::DeviceBuffer<unsigned> counters;
  PeerMemory window;
  Element* peer_buffer[2][max_messages] = {};
  unsigned long long* peer_flag[max_messages] = {};
  std::optional<NcclCommunicator> nccl;
  std::vector<std::size_t> to_others;  // the messages that go to other ranks
  // The nanoseconds that blocks of kernels after push() waited in HaloArrival::wait(), and the number of these waits.
  core::DeviceBuffer<unsigned long long> waited;
  unsigned long long number = 0, pushes = 0;  // exchanges so far, and those of them by push()
};

template <class Element>
DeviceHaloExchange<Element>::DeviceHaloExchange(const Communicator& ranks, const Decomposition& decomposition,
                                                HaloShape shape, int fields, Transport transport, int tag)
    : DeviceHaloExchange(ranks, decomposition, shape,
                         std::vector<int>(static_cast<std::size_t>(std::max(fields, 0)), 1), transport, tag) {}
template <class Element>
DeviceHaloExchange<Element>::DeviceHaloExchange(const Communicator& ranks, const Decomposition& decomposition,
                                                HaloShape shape, std::vector<int> elements, Transport transport,
                                                int tag)
    : impl_(std::make_unique<Impl>(ranks, decomposition, shape, std::move(elements), transport, tag)) {}
template <class Element>
DeviceHaloExchange<Element>::~DeviceHaloExchange() = default;
template <class Element>
DeviceHaloExchange<Element>::DeviceHaloExchange(DeviceHaloExchange&&) noexcept = default;

template <class Element>
const HaloLayout& DeviceHaloExchange<Element>::layout() const {
  return impl_->layout;
}
template <class Element>
Transport DeviceHaloExchange<Element>::transport() const {
  return impl_->transport;
}
template <class Element>
void DeviceHaloExchange<Element>::start(std::span<Element* const> fields, const core::Stream& stream) {
  impl_->start(fields, stream);
}
template <class Element>
void DeviceHaloExchange<Element>::finish(std::span<Element* const> fields, const core::Stream& stream) {
  impl_->finish(fields, stream);
}
template <class Element>
void DeviceHaloExchange<Element>::push(std::span<Element* const> fields, const core::Stream& stream) {
  impl_->push(fields, stream);
}
template <class Element>
HaloArrival<Element> DeviceHaloExchange<Element>::arrival(const std::array<int, 3>& direction) const {
  return impl_->arrival(direction);
}
template <class Element>
void DeviceHaloExchange<Element>::check(const core::Stream& stream) const {
  throw_if_late(impl_->timed_out(), "a neighbour", "an exchange of halos", stream);
}
template <class Element>
double DeviceHaloExchange<Element>::seconds() const {
  unsigned long long waited[2] = {};
  if (impl_->pushes > 0) {
    core::check(cudaDeviceSynchronize());
    core::check(cudaMemcpy(waited, impl_->waited.data(), sizeof(waited), cudaMemcpyDeviceToHost));
  }
  const double of_block = waited[1] > 0 ? 1e-9 * static_cast<double>(waited[0]) / static_cast<double>(waited[1]) : 0;
  return impl_->exposed.seconds() + of_block * static_cast<double>(impl_->pushes);
}

template class DeviceHaloExchange<float>;
template class DeviceHaloExchange<double>;

}  // namespace speedwell::comm
