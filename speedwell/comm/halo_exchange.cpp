#include "speedwell/comm/halo_exchange.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "speedwell/comm/timer.hpp"
#include "speedwell/core/trace.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::comm {
namespace {

using Region = HaloLayout::Region;

/// Calls row(index, buffer_index, count) for each contiguous row of a region of a field.
template <class Row>
void for_rows(const std::array<std::int64_t, 3>& extents, const Region& region, const Row& row) {
  std::int64_t in_buffer = 0;
  const std::int64_t count = region.ranges[2].size();
  for (std::int64_t i = region.ranges[0].begin; i < region.ranges[0].end; ++i)
    for (std::int64_t j = region.ranges[1].begin; j < region.ranges[1].end; ++j, in_buffer += count)
      row((i * extents[1] + j) * extents[2] + region.ranges[2].begin, in_buffer, count);
}

int tag_of(const std::array<int, 3>& direction) {
  return ((direction[0] + 1) * 3 + direction[1] + 1) * 3 + direction[2] + 1;
}
std::array<int, 3> opposite(const std::array<int, 3>& d) { return {-d[0], -d[1], -d[2]}; }

}  // namespace

template <class Element>
HaloExchange<Element>::HaloExchange(const Communicator& ranks, const Decomposition& decomposition, HaloShape shape,
                                    int fields, const HaloOptions& options)
    : HaloExchange(ranks, decomposition, shape, std::vector<int>(static_cast<std::size_t>(fields), 1), options) {}

template <class Element>
HaloExchange<Element>::HaloExchange(const Communicator& ranks, const Decomposition& decomposition, HaloShape shape,
                                    std::vector<int> elements, const HaloOptions& options)
    : ranks_(ranks),
      layout_(decomposition, ranks.rank(), shape),
      elements_(std::move(elements)),
      all_elements_(std::accumulate(elements_.begin(), elements_.end(), std::int64_t{0})),
      tag_(options.tag) {
  for (const int count : elements_)
    if (count < 1) throw std::invalid_argument(std::to_string(count) + " elements per point; at least one");
  if (ranks.size() != decomposition.ranks())
    throw std::invalid_argument("a decomposition for " + core::counted(decomposition.ranks(), "rank") + " on " +
                                std::to_string(ranks.size()));
  if (options.shared_memory && ranks.size() > 1) create_channels(decomposition, shape);
  const auto all = static_cast<std::size_t>(layout_.buffer_size() * all_elements_);
  const auto& messages = layout_.messages();
  const bool to_itself =
      std::any_of(messages.begin(), messages.end(), [&](const auto& message) { return message.rank == ranks_.rank(); });
  if (!channels_ || to_itself) sent_.resize(all);
  if (!channels_) received_.resize(all);
}

/// A channel for every message from one rank to another, in the order of the receivers and their messages.
template <class Element>
void HaloExchange<Element>::create_channels(const Decomposition& decomposition, HaloShape shape) {
  const auto bytes = [&](const HaloLayout::Message& message) { return elements_of(message) * sizeof(Element); };
  std::vector<Channel> channels;
  sending_.resize(layout_.messages().size());
  receiving_.resize(sending_.size());
  for (int r = 0; r < ranks_.size(); ++r) {
    const HaloLayout of_receiver(decomposition, r, shape);
    for (std::size_t m = 0; m < of_receiver.messages().size(); ++m) {
      const HaloLayout::Message& message = of_receiver.messages()[m];
      if (message.rank == r) continue;
      if (r == ranks_.rank()) receiving_[m] = channels.size();
      if (message.rank == ranks_.rank())
        for (std::size_t own = 0; own < sending_.size(); ++own)
          if (layout_.messages()[own].direction == opposite(message.direction) && layout_.messages()[own].rank == r)
            sending_[own] = channels.size();
      channels.push_back({message.rank, r, bytes(message)});
    }
  }
  channels_ = SharedChannels::create(ranks_, channels);
}

template <class Element>
HaloExchange<Element>::~HaloExchange() = default;
template <class Element>
HaloExchange<Element>::HaloExchange(HaloExchange&&) noexcept = default;

template <class Element>
void HaloExchange<Element>::pack(std::span<Element* const> fields, const Region& region, Element* message) const {
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const int elements = elements_[f];
    for_rows(layout_.extents(), region, [&](std::int64_t at, std::int64_t in_message, std::int64_t count) {
      std::copy_n(fields[f] + at * elements, count * elements, message + in_message * elements);
    });
    message += region.size() * elements;
  }
}

template <class Element>
void HaloExchange<Element>::unpack(const Element* message, const Region& region,
                                   std::span<Element* const> fields) const {
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const int elements = elements_[f];
    for_rows(layout_.extents(), region, [&](std::int64_t at, std::int64_t in_message, std::int64_t count) {
      std::copy_n(message + in_message * elements, count * elements, fields[f] + at * elements);
    });
    message += region.size() * elements;
  }
}

template <class Element>
void HaloExchange<Element>::start(std::span<Element* const> fields) {
  const Timer timer(seconds_);
  const auto bytes = layout_.sent_to_others() * all_elements_ * static_cast<std::int64_t>(sizeof(Element));
  const core::TraceSpan span("start halo", core::TraceCategory::halo, bytes);
  if (fields.size() != elements_.size())
    throw std::invalid_argument(core::counted(fields.size(), "field") + " in an exchange of " +
                                std::to_string(elements_.size()));
  const auto& messages = layout_.messages();
  // What arrives from a direction was sent in the opposite one.
  if (!channels_)
    for (const HaloLayout::Message& message : messages)
      if (message.rank != ranks_.rank())
        pending_.receive(ranks_, part(received_, message), message.rank, tag_ + tag_of(opposite(message.direction)));
  for (std::size_t m = 0; m < messages.size(); ++m) {
    const HaloLayout::Message& message = messages[m];
    const bool is_to_itself = message.rank == ranks_.rank();
    if (channels_ && !is_to_itself) {
      pack(fields, message.sent, reinterpret_cast<Element*>(channels_->begin_write(sending_[m])));
      channels_->end_write(sending_[m]);
      continue;
    }
    const std::span<Element> buffer = part(sent_, message);
    pack(fields, message.sent, buffer.data());
    if (!is_to_itself)
      pending_.send(ranks_, std::span<const Element>(buffer), message.rank, tag_ + tag_of(message.direction));
  }
}

template <class Element>
void HaloExchange<Element>::progress() {
  const Timer timer(seconds_);
  pending_.progress();
}

template <class Element>
void HaloExchange<Element>::finish(std::span<Element* const> fields) {
  const Timer timer(seconds_);
  const core::TraceSpan span("finish halo", core::TraceCategory::halo);
  pending_.wait_all();
  const core::TraceSpan unpacking("unpack halo", core::TraceCategory::copy);
  const auto& messages = layout_.messages();
  for (std::size_t m = 0; m < messages.size(); ++m) {
    const HaloLayout::Message& message = messages[m];
    if (message.rank == ranks_.rank()) {  // its own neighbour: what it sent in the opposite direction arrives here
      const auto sent = std::find_if(messages.begin(), messages.end(), [&](const HaloLayout::Message& other) {
        return other.direction == opposite(message.direction);
      });
      unpack(part(sent_, *sent).data(), message.received, fields);
    } else if (channels_) {
      unpack(reinterpret_cast<const Element*>(channels_->begin_read(receiving_[m])), message.received, fields);
      channels_->end_read(receiving_[m]);
    } else {
      unpack(part(received_, message).data(), message.received, fields);
    }
  }
}

template class HaloExchange<float>;
template class HaloExchange<double>;

}  // namespace speedwell::comm
