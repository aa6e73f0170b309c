#include "speedwell/comm/redistribution.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace speedwell::comm {
namespace {

Tile intersection(const Tile& a, const Tile& b) {
  Tile both;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t begin = std::max(a.ranges[axis].begin, b.ranges[axis].begin);
    both.ranges[axis] = {begin, std::max(begin, std::min(a.ranges[axis].end, b.ranges[axis].end))};
  }
  return both;
}

/// Calls row(index in the tile, index in the part, count) for each contiguous row of a part of a tile.
template <class Row>
void for_rows(const Tile& tile, const Tile& part, const Row& row) {
  const std::int64_t count = part.extent(2);
  std::int64_t in_part = 0;
  for (std::int64_t i = part.ranges[0].begin; i < part.ranges[0].end; ++i)
    for (std::int64_t j = part.ranges[1].begin; j < part.ranges[1].end; ++j, in_part += count)
      row(((i - tile.ranges[0].begin) * tile.extent(1) + j - tile.ranges[1].begin) * tile.extent(2) +
              part.ranges[2].begin - tile.ranges[2].begin,
          in_part, count);
}

}  // namespace

template <class Element>
Redistribution<Element>::Redistribution(const Communicator& ranks, const std::vector<Tile>& from,
                                        const std::vector<Tile>& to, int axis, int pieces, int tag)
    : ranks_(ranks), tag_(tag) {
  const int size = ranks.size(), me = ranks.rank();
  if (static_cast<int>(from.size()) != size || static_cast<int>(to.size()) != size)
    throw std::invalid_argument("tiles of " + std::to_string(from.size()) + " and " + std::to_string(to.size()) +
                                " ranks on " + std::to_string(size));
  if (axis < 0 || axis > 2 || pieces < 1)
    throw std::invalid_argument(std::to_string(pieces) + " pieces along axis " + std::to_string(axis));
  const auto at = static_cast<std::size_t>(axis);
  from_ = from[static_cast<std::size_t>(me)];
  to_ = to[static_cast<std::size_t>(me)];
  std::int64_t extent = 0;
  for (const Tile& tile : to) extent = std::max(extent, tile.ranges[at].end);
  for (int p = 0; p < pieces; ++p) {
    Piece& piece = pieces_.emplace_back();
    piece.range = part_of(extent, pieces, p);
    Tile slab{{Range{0, std::numeric_limits<std::int64_t>::max()},
               {0, std::numeric_limits<std::int64_t>::max()},
               {0, std::numeric_limits<std::int64_t>::max()}}};
    slab.ranges[at] = piece.range;
    std::int64_t sent = 0, received = 0;
    // Begins with the next rank, so that not all send to the same one at a time.
    for (int k = 0; k < size; ++k) {
      const int next = (me + k) % size, before = (me - k + size) % size;
      if (const Tile part = intersection(slab, intersection(from_, to[static_cast<std::size_t>(next)]));
          part.size() > 0) {
        piece.sent.push_back({next, part, sent});
        sent += part.size();
      }
      if (const Tile part = intersection(slab, intersection(from[static_cast<std::size_t>(before)], to_));
          part.size() > 0) {
        piece.received.push_back({before, part, received});
        received += part.size();
      }
    }
    piece.sent_buffer.resize(static_cast<std::size_t>(sent));
    piece.received_buffer.resize(static_cast<std::size_t>(received));
  }
}

template <class Element>
Redistribution<Element>::Redistribution(const Communicator& ranks, const Decomposition& from, const Decomposition& to,
                                        int axis, int pieces, int tag)
    : Redistribution(ranks, tiles_of(from), tiles_of(to), axis, pieces, tag) {
  if (from.box().extents != to.box().extents)
    throw std::invalid_argument("decompositions of boxes of different extents");
}

template <class Element>
Redistribution<Element>::~Redistribution() = default;
template <class Element>
Redistribution<Element>::Redistribution(Redistribution&&) noexcept = default;

template <class Element>
Range Redistribution<Element>::piece(int index) const {
  return pieces_.at(static_cast<std::size_t>(index)).range;
}

template <class Element>
std::int64_t Redistribution<Element>::sent_bytes() const {
  std::int64_t elements = 0;
  for (const Piece& piece : pieces_)
    for (const Part& part : piece.sent)
      if (part.rank != ranks_.rank()) elements += part.tile.size();
  return elements * static_cast<std::int64_t>(sizeof(Element));
}

template <class Element>
void Redistribution<Element>::start(int index, std::span<const Element> from) {
  Piece& piece = pieces_.at(static_cast<std::size_t>(index));
  for (const Part& part : piece.received)
    if (part.rank != ranks_.rank())
      piece.requests.push_back(ranks_.start_receive(
          std::span<Element>(piece.received_buffer.data() + part.offset, static_cast<std::size_t>(part.tile.size())),
          part.rank, tag_ + index));
  for (const Part& part : piece.sent) {
    Element* const buffer = piece.sent_buffer.data() + part.offset;
    for_rows(from_, part.tile, [&](std::int64_t at, std::int64_t in_part, std::int64_t count) {
      std::copy_n(from.data() + at, count, buffer + in_part);
    });
    if (part.rank != ranks_.rank())
      piece.requests.push_back(ranks_.start_send(
          std::span<const Element>(buffer, static_cast<std::size_t>(part.tile.size())), part.rank, tag_ + index));
  }
}

template <class Element>
void Redistribution<Element>::progress() {
  for (Piece& piece : pieces_)
    for (Request& request : piece.requests)
      if (!request.ended()) return;  // one call moves all of them on
}

template <class Element>
void Redistribution<Element>::finish(int index, std::span<Element> to) {
  Piece& piece = pieces_.at(static_cast<std::size_t>(index));
  for (Request& request : piece.requests) request.wait();
  piece.requests.clear();
  for (const Part& part : piece.received) {
    const Element* buffer = piece.received_buffer.data() + part.offset;
    if (part.rank == ranks_.rank())
      for (const Part& own : piece.sent)
        if (own.rank == part.rank) buffer = piece.sent_buffer.data() + own.offset;
    for_rows(to_, part.tile, [&](std::int64_t at, std::int64_t in_part, std::int64_t count) {
      std::copy_n(buffer + in_part, count, to.data() + at);
    });
  }
}

template <class Element>
void Redistribution<Element>::move(std::span<const Element> from, std::span<Element> to) {
  for (int p = 0; p < pieces(); ++p) start(p, from);
  for (int p = 0; p < pieces(); ++p) finish(p, to);
}

template class Redistribution<float>;
template class Redistribution<double>;
template class Redistribution<std::complex<float>>;
template class Redistribution<std::complex<double>>;

}  // namespace speedwell::comm
