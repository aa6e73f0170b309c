// The faces of a block that travel between ranks: rows of a plane, of each the cells of one chunk. Two buffers take
// turns, so that a face travels while the next chunk is swept.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "speedwell/comm/communicator.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::wavefront {

/// Part of each row: `count` cells from `begin` on, as they lie in memory.
struct Stretch {
  std::int64_t begin = 0, count = 0;
};

/// Rows of a face: row n begins at first[n * stride].
template <class T>
struct FaceRows {
  T* first = nullptr;
  std::int64_t rows = 0, stride = 0;
  std::span<T> row(std::int64_t n, const Stretch& part) const {
    return {first + n * stride + part.begin, static_cast<std::size_t>(part.count)};
  }
};

/// The neighbour of a face, if there is one, and the two messages that go from or to it.
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
  /// Until the buffer of this chunk, which is that of the chunk before the last, too, may be used.
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

/// A face that comes from a neighbour; nothing where there is none.
template <class T>
class FaceInflow {
 public:
  FaceInflow(const comm::Communicator& ranks, std::optional<int> neighbour, int tag, FaceRows<T> into,
             std::int64_t longest)
      : messages_(ranks, neighbour, tag, into.rows * longest), into_(into) {}

  void start(std::int64_t chunk, const Stretch& part) {
    if (messages_.travels()) messages_.receive(chunk, into_.rows * part.count);
  }
  void finish(std::int64_t chunk, const Stretch& part) {
    if (!messages_.travels()) return;
    messages_.wait(chunk);
    const T* values = messages_.values(chunk, into_.rows * part.count).data();
    for (std::int64_t n = 0; n < into_.rows; ++n, values += part.count)
      std::copy_n(values, part.count, into_.row(n, part).begin());
  }
  /// Whether all messages so far have ended; lets those that have not go on.
  bool ended() { return messages_.ended(); }

 private:
  FaceMessages<T> messages_;
  FaceRows<T> into_;
};

/// A face that goes to a neighbour; nothing where there is none.
template <class T>
class FaceOutflow {
 public:
  FaceOutflow(const comm::Communicator& ranks, std::optional<int> neighbour, int tag, FaceRows<const T> from,
              std::int64_t longest)
      : messages_(ranks, neighbour, tag, from.rows * longest), from_(from) {}

  void start(std::int64_t chunk, const Stretch& part) {
    if (!messages_.travels()) return;
    messages_.wait(chunk);
    T* values = messages_.values(chunk, from_.rows * part.count).data();
    for (std::int64_t n = 0; n < from_.rows; ++n) values = std::copy_n(from_.row(n, part).begin(), part.count, values);
    messages_.send(chunk, from_.rows * part.count);
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
