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

/// The index in a tile of its point with these global indices.
std::int64_t index_in(const Tile& tile, std::int64_t i, std::int64_t j, std::int64_t k) {
  return ((i - tile.ranges[0].begin) * tile.extent(1) + j - tile.ranges[1].begin) * tile.extent(2) + k -
         tile.ranges[2].begin;
}
std::int64_t first_index_in(const Tile& tile, const Tile& part) {
  return index_in(tile, part.ranges[0].begin, part.ranges[1].begin, part.ranges[2].begin);
}

/// The longest contiguous runs of points that a part has in a tile: rows, planes, or all of it.
enum class Runs { rows, planes, all };
Runs runs_of(const Tile& tile, const Tile& part) {
  const bool single_row = part.extent(0) == 1 && part.extent(1) == 1;
  const bool whole_rows = part.extent(2) == tile.extent(2);
  const bool whole_planes = whole_rows && part.extent(1) == tile.extent(1);
  if (single_row || whole_planes || (whole_rows && part.extent(0) == 1)) return Runs::all;
  return whole_rows ? Runs::planes : Runs::rows;
}
bool is_contiguous(const Tile& tile, const Tile& part) { return runs_of(tile, part) == Runs::all; }

/// Calls run(global index along axis 0, along axis 1, first index in the part, count) for the runs of a part.
template <class Run>
void for_runs(Runs runs, const Tile& part, const Run& run) {
  const std::int64_t plane = part.extent(1) * part.extent(2);
  const Range &planes = part.ranges[0], &rows = part.ranges[1];
  if (runs == Runs::all) return run(planes.begin, rows.begin, std::int64_t{0}, part.size());
  for (std::int64_t i = planes.begin; i < planes.end; ++i) {
    const std::int64_t in_part = (i - planes.begin) * plane;
    if (runs == Runs::planes)
      run(i, rows.begin, in_part, plane);
    else
      for (std::int64_t j = rows.begin; j < rows.end; ++j)
        run(i, j, in_part + (j - rows.begin) * part.extent(2), part.extent(2));
  }
}

template <class Element>
void pack(const Tile& tile, const Tile& part, const Element* from, Element* buffer) {
  for_runs(runs_of(tile, part), part, [&](std::int64_t i, std::int64_t j, std::int64_t in_part, std::int64_t count) {
    std::copy_n(from + index_in(tile, i, j, part.ranges[2].begin), count, buffer + in_part);
  });
}
template <class Element>
void unpack(const Tile& tile, const Tile& part, const Element* buffer, Element* to) {
  for_runs(runs_of(tile, part), part, [&](std::int64_t i, std::int64_t j, std::int64_t in_part, std::int64_t count) {
    std::copy_n(buffer + in_part, count, to + index_in(tile, i, j, part.ranges[2].begin));
  });
}
/// From one tile to another.
template <class Element>
void copy_part(const Tile& from_tile, const Tile& to_tile, const Tile& part, const Element* from, Element* to) {
  for_runs(std::min(runs_of(from_tile, part), runs_of(to_tile, part)), part,
           [&](std::int64_t i, std::int64_t j, std::int64_t, std::int64_t count) {
             const std::int64_t k = part.ranges[2].begin;
             std::copy_n(from + index_in(from_tile, i, j, k), count, to + index_in(to_tile, i, j, k));
           });
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
    std::int64_t &sent = piece.sent_elements, &received = piece.received_elements;
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
Element* Redistribution<Element>::buffer_for(core::HostBuffer<double>& buffer, std::int64_t elements) {
  if (buffer.size() == 0) {
    const auto bytes = static_cast<std::size_t>(elements) * sizeof(Element);
    buffer = core::HostBuffer<double>((bytes + sizeof(double) - 1) / sizeof(double), core::Pages::large);
  }
  return reinterpret_cast<Element*>(buffer.data());
}

template <class Element>
void Redistribution<Element>::start(int index, std::span<const Element> from) {
  Piece& piece = pieces_.at(static_cast<std::size_t>(index));
  for (const Part& part : piece.received)
    if (part.rank != ranks_.rank())
      piece.pending.receive(ranks_,
                            std::span<Element>(buffer_for(piece.received_buffer, piece.received_elements) + part.offset,
                                               static_cast<std::size_t>(part.tile.size())),
                            part.rank, tag_ + index);
  for (const Part& part : piece.sent) {
    Element* const buffer = buffer_for(piece.sent_buffer, piece.sent_elements) + part.offset;
    pack(from_, part.tile, from.data(), buffer);
    if (part.rank != ranks_.rank())
      piece.pending.send(ranks_, std::span<const Element>(buffer, static_cast<std::size_t>(part.tile.size())),
                         part.rank, tag_ + index);
  }
}

template <class Element>
void Redistribution<Element>::progress() {
  for (Piece& piece : pieces_)
    if (!piece.pending.progress()) return;
}

template <class Element>
void Redistribution<Element>::finish(int index, std::span<Element> to) {
  Piece& piece = pieces_.at(static_cast<std::size_t>(index));
  piece.pending.wait_all();
  for (const Part& part : piece.received) {
    const Element* buffer = nullptr;
    if (part.rank != ranks_.rank()) {
      buffer = buffer_for(piece.received_buffer, piece.received_elements) + part.offset;
    } else {
      for (const Part& own : piece.sent)
        if (own.rank == part.rank) buffer = buffer_for(piece.sent_buffer, piece.sent_elements) + own.offset;
    }
    unpack(to_, part.tile, buffer, to.data());
  }
}

template <class Element>
void Redistribution<Element>::start_directly(int index, std::span<const Element> from, std::span<Element> to) {
  Piece& piece = pieces_[static_cast<std::size_t>(index)];
  const auto count = [](const Part& part) { return static_cast<std::size_t>(part.tile.size()); };
  for (const Part& part : piece.received) {
    if (part.rank == ranks_.rank()) continue;
    Element* const target = is_contiguous(to_, part.tile)
                                ? to.data() + first_index_in(to_, part.tile)
                                : buffer_for(piece.received_buffer, piece.received_elements) + part.offset;
    piece.pending.receive(ranks_, std::span<Element>(target, count(part)), part.rank, tag_ + index);
  }
  for (const Part& part : piece.sent) {
    if (part.rank == ranks_.rank()) continue;
    const Element* source = from.data() + first_index_in(from_, part.tile);
    if (!is_contiguous(from_, part.tile)) {
      Element* const buffer = buffer_for(piece.sent_buffer, piece.sent_elements) + part.offset;
      pack(from_, part.tile, from.data(), buffer);
      source = buffer;
    }
    piece.pending.send(ranks_, std::span<const Element>(source, count(part)), part.rank, tag_ + index);
  }
  for (const Part& part : piece.sent)
    if (part.rank == ranks_.rank()) copy_part(from_, to_, part.tile, from.data(), to.data());
}

template <class Element>
void Redistribution<Element>::finish_directly(int index, std::span<Element> to) {
  Piece& piece = pieces_[static_cast<std::size_t>(index)];
  piece.pending.wait_all();
  for (const Part& part : piece.received)
    if (part.rank != ranks_.rank() && !is_contiguous(to_, part.tile))
      unpack(to_, part.tile,
             static_cast<const Element*>(buffer_for(piece.received_buffer, piece.received_elements) + part.offset),
             to.data());
}

template <class Element>
void Redistribution<Element>::move(std::span<const Element> from, std::span<Element> to) {
  for (int p = 0; p < pieces(); ++p) start_directly(p, from, to);
  for (int p = 0; p < pieces(); ++p) finish_directly(p, to);
}

template class Redistribution<float>;
template class Redistribution<double>;
template class Redistribution<std::complex<float>>;
template class Redistribution<std::complex<double>>;

}  // namespace speedwell::comm
