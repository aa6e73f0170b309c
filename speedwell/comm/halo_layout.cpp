#include "speedwell/comm/halo_layout.hpp"

#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>

#include "speedwell/core/units.hpp"

namespace speedwell::comm {

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

}  // namespace speedwell::comm
