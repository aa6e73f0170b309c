#include "speedwell/comm/halo_exchange.hpp"

#include <algorithm>
#include <cstdlib>
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

HaloLayout::HaloLayout(const Decomposition& decomposition, int rank, HaloShape shape) {
  const Tile tile = decomposition.tile(rank);
  const std::array<int, 3>& halo = decomposition.box().halo;
  for (std::size_t a = 0; a < 3; ++a) {
    const std::int64_t n = tile.ranges[a].size(), depth = halo[a];
    // A rank that is its own neighbour copies from its tile, which must therefore be as thick as the halo, too.
    if (decomposition.box().periodic[a] && n < depth)
      throw std::invalid_argument("a halo of " + core::counted(depth, "layer") + " around a periodic tile of " +
                                  std::to_string(n));
    extents_[a] = n + 2 * depth;
    own_.ranges[a] = interior_.ranges[a] = {depth, depth + n};
    for (const int side : {-1, 1}) {
      std::array<int, 3> direction{};
      direction[a] = side;
      if (depth == 0 || !decomposition.neighbor(rank, direction)) continue;
      Range& inner = interior_.ranges[a];
      side < 0 ? inner.begin = std::min(inner.begin + depth, inner.end)
               : inner.end = std::max(inner.end - depth, inner.begin);
    }
  }
  // The rim: slabs before and behind the interior along one axis after the other, within what is left of the others.
  Region rest = own_;
  for (std::size_t a = 0; a < 3; ++a) {
    for (const bool before : {true, false}) {
      Region slab = rest;
      slab.ranges[a] = before ? Range{rest.ranges[a].begin, interior_.ranges[a].begin}
                              : Range{interior_.ranges[a].end, rest.ranges[a].end};
      if (slab.size() > 0) rim_.push_back(slab);
    }
    rest.ranges[a] = interior_.ranges[a];
  }
  for (int i = -1; i <= 1; ++i)
    for (int j = -1; j <= 1; ++j)
      for (int k = -1; k <= 1; ++k) {
        const std::array<int, 3> direction{i, j, k};
        const int axes = std::abs(i) + std::abs(j) + std::abs(k);
        if (axes == 0 || axes > (shape == HaloShape::faces ? 1 : shape == HaloShape::edges ? 2 : 3)) continue;
        const std::optional<int> neighbor = decomposition.neighbor(rank, direction);
        if (!neighbor) continue;
        Message message{direction, *neighbor, own_, own_, buffer_size_};
        for (std::size_t a = 0; a < 3; ++a) {
          const Range own = own_.ranges[a];
          if (direction[a] > 0) {
            message.sent.ranges[a] = {own.end - halo[a], own.end};
            message.received.ranges[a] = {own.end, own.end + halo[a]};
          } else if (direction[a] < 0) {
            message.sent.ranges[a] = {own.begin, own.begin + halo[a]};
            message.received.ranges[a] = {own.begin - halo[a], own.begin};
          }
        }
        if (message.sent.size() == 0) continue;
        messages_.push_back(message);
        buffer_size_ += message.sent.size();
        if (*neighbor != rank) sent_to_others_ += message.sent.size();
      }
}

template <class Element>
HaloExchange<Element>::HaloExchange(const Communicator& ranks, const Decomposition& decomposition, HaloShape shape,
                                    int fields, int tag)
    : HaloExchange(ranks, decomposition, shape, std::vector<int>(static_cast<std::size_t>(fields), 1), tag) {}

template <class Element>
HaloExchange<Element>::HaloExchange(const Communicator& ranks, const Decomposition& decomposition, HaloShape shape,
                                    std::vector<int> elements, int tag)
    : ranks_(ranks),
      layout_(decomposition, ranks.rank(), shape),
      elements_(std::move(elements)),
      all_elements_(std::accumulate(elements_.begin(), elements_.end(), std::int64_t{0})),
      tag_(tag) {
  for (const int count : elements_)
    if (count < 1) throw std::invalid_argument(std::to_string(count) + " elements per point; at least one");
  if (ranks.size() != decomposition.ranks())
    throw std::invalid_argument("a decomposition for " + core::counted(decomposition.ranks(), "rank") + " on " +
                                std::to_string(ranks.size()));
  sent_.resize(static_cast<std::size_t>(layout_.buffer_size() * all_elements_));
  received_.resize(sent_.size());
}

template <class Element>
HaloExchange<Element>::~HaloExchange() = default;
template <class Element>
HaloExchange<Element>::HaloExchange(HaloExchange&&) noexcept = default;

template <class Element>
void HaloExchange<Element>::start(std::span<Element* const> fields) {
  const Timer timer(seconds_);
  const auto bytes = layout_.sent_to_others() * all_elements_ * static_cast<std::int64_t>(sizeof(Element));
  const core::TraceSpan span("start halo", core::TraceCategory::halo, bytes);
  if (fields.size() != elements_.size())
    throw std::invalid_argument(core::counted(fields.size(), "field") + " in an exchange of " +
                                std::to_string(elements_.size()));
  const auto part = [&](std::vector<Element>& buffer, const HaloLayout::Message& message) {
    return std::span<Element>(buffer).subspan(static_cast<std::size_t>(message.offset * all_elements_),
                                              static_cast<std::size_t>(message.sent.size() * all_elements_));
  };
  // What arrives from a direction was sent in the opposite one.
  for (const HaloLayout::Message& message : layout_.messages())
    if (message.rank != ranks_.rank())
      pending_.receive(ranks_, part(received_, message), message.rank, tag_ + tag_of(opposite(message.direction)));
  for (const HaloLayout::Message& message : layout_.messages()) {
    const std::span<Element> buffer = part(sent_, message);
    Element* to = buffer.data();
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const int elements = elements_[f];
      for_rows(layout_.extents(), message.sent, [&](std::int64_t at, std::int64_t in_buffer, std::int64_t count) {
        std::copy_n(fields[f] + at * elements, count * elements, to + in_buffer * elements);
      });
      to += message.sent.size() * elements;
    }
    if (message.rank != ranks_.rank())
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
  for (const HaloLayout::Message& message : layout_.messages()) {
    const std::vector<Element>* from = &received_;
    std::int64_t offset = message.offset;
    if (message.rank == ranks_.rank()) {  // its own neighbour: what it sent in the opposite direction arrives here
      from = &sent_;
      for (const HaloLayout::Message& other : layout_.messages())
        if (other.direction == opposite(message.direction)) offset = other.offset;
    }
    const Element* arrived = from->data() + offset * all_elements_;
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const int elements = elements_[f];
      for_rows(layout_.extents(), message.received, [&](std::int64_t at, std::int64_t in_buffer, std::int64_t count) {
        std::copy_n(arrived + in_buffer * elements, count * elements, fields[f] + at * elements);
      });
      arrived += message.received.size() * elements;
    }
  }
}

template class HaloExchange<float>;
template class HaloExchange<double>;

}  // namespace speedwell::comm
