// SharedChannels: messages between the ranks of a host without MPI: the sender writes them into memory that both map,
// and the receiver reads them there. Nothing is copied in between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "speedwell/comm/communicator.hpp"
#include "speedwell/comm/shared_memory.hpp"

namespace speedwell::comm {

/// Messages of at most `bytes` bytes from one rank to another, in their order, of which up to `slots` >= 1 can be on
/// their way at a time.
struct Channel {
  int from = 0, to = 0;
  std::size_t bytes = 0;
  int slots = 2;
};

/// A sender waits only for the receiver to have read the message that was in the slot of the next one before. Waits let
/// MPI progress, so that they can be mixed with messages of MPI. One thread of a rank uses an object.
class SharedChannels {
 public:
  /// Collective; all ranks pass the same channels, each between two ranks. Null on all ranks as
  /// SharedMemory::allocate(). Throws std::invalid_argument for ranks that do not exist, and for channels without
  /// slots.
  static std::optional<SharedChannels> create(const Communicator& ranks, std::span<const Channel> channels);

  /// For the sender, with the index of a channel. Waits until a message can be written, and returns the address of its
  /// bytes, aligned to 64; it is sent by end_write().
  std::byte* begin_write(std::size_t channel);
  void end_write(std::size_t channel);
  /// For the receiver. Waits for the next message, and returns its address; the bytes may be read until end_read().
  const std::byte* begin_read(std::size_t channel);
  void end_read(std::size_t channel);

 private:
  /// How many messages have been written and read, at the head of a channel's memory.
  struct Counts {
    alignas(64) std::uint64_t written;
    alignas(64) std::uint64_t read;
  };
  /// What this rank knows of a channel.
  struct State {
    std::size_t at = 0, pitch = 0;  // in bytes: of its memory, and from one of its slots to the next
    std::uint64_t slots = 0;
    std::uint64_t written = 0, read = 0;            // messages, by this rank
    std::uint64_t seen_written = 0, seen_read = 0;  // messages, by the other rank, when this one last looked
  };

  explicit SharedChannels(SharedMemory memory) : memory_(std::move(memory)) {}
  Counts& counts(const State& state) const { return *reinterpret_cast<Counts*>(memory_.data() + state.at); }
  std::byte* message(const State& state, std::uint64_t number) const {
    return memory_.data() + state.at + sizeof(Counts) + number % state.slots * state.pitch;
  }

  SharedMemory memory_;
  std::vector<State> states_;
};

}  // namespace speedwell::comm
