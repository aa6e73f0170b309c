// Copies between pageable host memory and a device in pieces, through page-locked buffers that all threads fill or
// empty while the link transfers other pieces. The driver's own staging has one thread, which is slower than the link
// and, where the destination has not been touched yet, waits for each of its pages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "speedwell/core/parts.hpp"

namespace speedwell::core::detail {

/// memcpy by all threads, however few bytes there are: OpenMP would end threads that a region does not have.
inline void copy_by_threads(std::byte* to, const std::byte* from, std::size_t bytes) {
  parallel_for(
      bytes, 1, 0, [&](std::size_t begin, std::size_t end) { std::memcpy(to + begin, from + begin, end - begin); }, 1);
}

/// Copies `bytes` bytes to the device of `stage`, which has
///   Stage::piece, Stage::slots          bytes of a buffer, and their number
///   std::byte* wait(std::size_t slot)   waits until the last transfer of a slot is done, and returns its buffer
///   void send(slot, offset, count)      enqueues a transfer of `count` bytes of a slot to an offset on the device
///   void fetch(slot, offset, count)     the same in the other direction.
/// When this returns, `from` may be reused; the last transfers need not be done.
template <class Stage>
void upload_in_pieces(Stage& stage, const std::byte* from, std::size_t bytes) {
  for (std::size_t k = 0; k * Stage::piece < bytes; ++k) {
    const std::size_t offset = k * Stage::piece, count = std::min(Stage::piece, bytes - offset);
    copy_by_threads(stage.wait(k % Stage::slots), from + offset, count);
    stage.send(k % Stage::slots, offset, count);
  }
}

/// Copies `bytes` bytes from the device of `stage`; they are in host memory when this returns.
template <class Stage>
void download_in_pieces(Stage& stage, std::byte* to, std::size_t bytes) {
  const std::size_t pieces = (bytes + Stage::piece - 1) / Stage::piece;
  const auto count = [&](std::size_t k) { return std::min(Stage::piece, bytes - k * Stage::piece); };
  for (std::size_t k = 0; k < pieces + Stage::slots; ++k) {
    const std::size_t slot = k % Stage::slots;
    const bool arrives = k >= Stage::slots && k - Stage::slots < pieces, begins = k < pieces;
    if (!arrives && !begins) continue;
    const std::byte* const buffer = stage.wait(slot);
    if (arrives) copy_by_threads(to + (k - Stage::slots) * Stage::piece, buffer, count(k - Stage::slots));
    if (begins) stage.fetch(slot, k * Stage::piece, count(k));
  }
}

}  // namespace speedwell::core::detail
