// Communication of block faces between ranks: rows of a plane, one pipeline chunk at a time. Two buffers alternate, so
// that one chunk is in transit while the next is swept.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "speedwell/comm/communicator.hpp"
#include "speedwell/comm/parts.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::wavefront {

/// A rectangular part of a face: a range of rows and the same range of cells of each, as indices in memory.
struct FacePart {
  comm::Range rows, cells;
  std::int64_t count() const { return rows.size() * cells.size(); }
};

/// Rows of a face in memory. Row n begins at first[n * stride].
template <class T>
struct FaceRows {
  T* first = nullptr;
  std::int64_t stride = 0;
  std::span<T> row(std::int64_t n, const FacePart& part) const {
    return {first + n * stride + part.cells.begin, static_cast<std::size_t>(part.cells.size())};
  }
};

/// Copies a part of a face to contiguous values, row after row, and back.
template <class T>
void pack(const FaceRows<const T>& face, const FacePart& part, T* values) {
  for (std::int64_t n = part.rows.begin; n < part.rows.end; ++n)
    values = std::copy_n(face.row(n, part).begin(), part.cells.size(), values);
}
template <class T>
void unpack(const T* values, const FacePart& part, const FaceRows<T>& face) {
  for (std::int64_t n = part.rows.begin; n < part.rows.end; ++n, values += part.cells.size())
    std::copy_n(values, part.cells.size(), face.row(n, part).begin());
}

/// The two pending messages from or to the neighbour of a face, if there is one.
template <class T>
class FaceMessages {
 public:
  FaceMessages(const comm::Communicator& ranks, std::optional<int> neighbour, int tag, std::int64_t longest)
      : ranks_(ranks), neighbour_(neighbour), tag_(tag) {
    if (neighbour_)
      for (auto& buffer : buffers_) buffer = core::HostBuffer<T>(static_cast<std::size_t>(longest));
  }

  bool travels() const { return neighbour_.has_value(); }
  std::span<T> values(std::int64_t chunk, std::int64_t count) {
    return buffers_[slot(chunk)].span().first(static_cast<std::size_t>(count));
  }
  void receive(std::int64_t chunk, std::int64_t count) {
    requests_[slot(chunk)] = ranks_.start_receive(values(chunk, count), *neighbour_, tag_);
  }
  void send(std::int64_t chunk, std::int64_t count) {
    requests_[slot(chunk)] = ranks_.start_send(std::span<const T>(values(chunk, count)), *neighbour_, tag_);
  }
  /// Waits until the buffer of this chunk, which the chunk before the previous one used, is free.
  void wait(std::int64_t chunk) { requests_[slot(chunk)].wait(); }
  bool ended() { return requests_[0].ended() && requests_[1].ended(); }

 private:
  static std::size_t slot(std::int64_t chunk) { return static_cast<std::size_t>(chunk % 2); }

  const comm::Communicator& ranks_;
  std::optional<int> neighbour_;
  int tag_;
  std::array<core::HostBuffer<T>, 2> buffers_;
  std::array<comm::Request, 2> requests_;
};

/// A face that is received from a neighbour; does nothing where there is none.
template <class T>
class FaceInflow {
 public:
  FaceInflow(const comm::Communicator& ranks, std::optional<int> neighbour, int tag, FaceRows<T> into,
             std::int64_t longest)
      : messages_(ranks, neighbour, tag, longest), into_(into) {}

  void start(std::int64_t chunk, const FacePart& part) {
    if (messages_.travels()) messages_.receive(chunk, part.count());
  }
  void finish(std::int64_t chunk, const FacePart& part) {
    if (!messages_.travels()) return;
    messages_.wait(chunk);
    unpack<T>(messages_.values(chunk, part.count()).data(), part, into_);
  }
  /// Whether all messages so far have ended; lets those that have not go on.
  bool ended() { return messages_.ended(); }

 private:
  FaceMessages<T> messages_;
  FaceRows<T> into_;
};

/// A face that is sent to a neighbour; does nothing where there is none.
template <class T>
class FaceOutflow {
 public:
  FaceOutflow(const comm::Communicator& ranks, std::optional<int> neighbour, int tag, FaceRows<const T> from,
              std::int64_t longest)
      : messages_(ranks, neighbour, tag, longest), from_(from) {}

  void start(std::int64_t chunk, const FacePart& part) {
    if (!messages_.travels()) return;
    messages_.wait(chunk);
    pack<T>(from_, part, messages_.values(chunk, part.count()).data());
    messages_.send(chunk, part.count());
  }
  void finish() {
    for (const std::int64_t last : {0, 1}) messages_.wait(last);
  }
  /// Whether all messages so far have ended; lets those that have not go on.
  bool ended() { return messages_.ended(); }

 private:
  FaceMessages<T> messages_;
  FaceRows<const T> from_;
};

}  // namespace speedwell::wavefront
