// HaloLayout: where the halo of a rank's tile is, the layers of points around it that belong to its neighbours, and
// what travels to fill it. Plain arithmetic, for the host and for devices.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "speedwell/comm/decomposition.hpp"

namespace speedwell::comm {

/// The part of the halo that is filled: the layers beside the faces of the tile, those beside its edges too, or all of
/// it. A 7-point stencil needs the faces, D3Q19 the edges, a 27-point stencil the corners.
enum class HaloShape { faces, edges, corners };

/// The layout of a tile with its halo, and the regions that travel.
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

}  // namespace speedwell::comm
