// Faces of a block that go from rank to rank through memory that the ranks of a host share, with the functions of
// FaceInflow and FaceOutflow, which send messages.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "speedwell/apps/wavefront/faces.hpp"
#include "speedwell/comm/shared_channels.hpp"

namespace speedwell::wavefront {

/// The channels of all faces between ranks, and which of them begin and end at this rank. Index 0 is along x, 1 along
/// y.
struct SharedFaces {
  comm::SharedChannels channels;
  std::array<std::optional<std::size_t>, 2> in, out;
};

/// The number of chunks of a face that can be on their way: a rank that is interrupted, as by the system, delays the
/// next one only after so many chunks. All of them fit into the second-level cache where chunks are short.
inline int chunks_on_their_way(std::size_t chunk_bytes) {
  constexpr std::size_t max_slots = 16, bytes = std::size_t{256} << 10;
  return static_cast<int>(std::clamp<std::size_t>(bytes / std::max<std::size_t>(chunk_bytes, 1), 2, max_slots));
}

/// A face that a neighbour passes; does nothing where there is none.
template <class T>
class SharedInflow {
 public:
  SharedInflow(SharedFaces& faces, int axis, FaceRows<T> into)
      : channels_(faces.channels), channel_(faces.in[static_cast<std::size_t>(axis)]), into_(into) {}

  void start(std::int64_t, const FacePart&) {}
  /// Waits for the next chunk, whose part of the face this is.
  void finish(std::int64_t, const FacePart& part) {
    if (!channel_) return;
    unpack<T>(reinterpret_cast<const T*>(channels_.begin_read(*channel_)), part, into_);
    channels_.end_read(*channel_);
  }
  bool ended() const { return true; }

 private:
  comm::SharedChannels& channels_;
  std::optional<std::size_t> channel_;
  FaceRows<T> into_;
};

/// A face that is passed to a neighbour; does nothing where there is none.
template <class T>
class SharedOutflow {
 public:
  SharedOutflow(SharedFaces& faces, int axis, FaceRows<const T> from)
      : channels_(faces.channels), channel_(faces.out[static_cast<std::size_t>(axis)]), from_(from) {}

  /// Passes the next chunk, whose part of the face this is.
  void start(std::int64_t, const FacePart& part) {
    if (!channel_) return;
    pack<T>(from_, part, reinterpret_cast<T*>(channels_.begin_write(*channel_)));
    channels_.end_write(*channel_);
  }
  void finish() {}
  bool ended() const { return true; }

 private:
  comm::SharedChannels& channels_;
  std::optional<std::size_t> channel_;
  FaceRows<const T> from_;
};

}  // namespace speedwell::wavefront
