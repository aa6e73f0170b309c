#include "speedwell/comm/shared_channels.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>

#include "speedwell/comm/progress.hpp"

namespace speedwell::comm {
namespace {

constexpr std::size_t line = 64, page = 4096;

std::size_t rounded_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

/// Returns when the count, which another rank advances, is at least `wanted`. `seen` is what it was when this rank last
/// looked: while that suffices, the line of the count stays with the other rank.
void wait(std::uint64_t& count, std::uint64_t wanted, std::uint64_t& seen) {
  if (seen >= wanted) return;
  const std::atomic_ref<std::uint64_t> now(count);
  constexpr int busy_tries = 2000, tries_per_progress = 100;
  for (int tries = 1; (seen = now.load(std::memory_order_acquire)) < wanted; ++tries) {
    if (tries % tries_per_progress == 0) progress();
    // Another rank may need this core.
    if (tries > busy_tries) std::this_thread::yield();
  }
}

}  // namespace

std::optional<SharedChannels> SharedChannels::create(const Communicator& ranks, std::span<const Channel> channels) {
  for (const Channel& channel : channels) {
    for (const int rank : {channel.from, channel.to})
      if (rank < 0 || rank >= ranks.size())
        throw std::invalid_argument("a channel of rank " + std::to_string(rank) + " of " +
                                    std::to_string(ranks.size()));
    if (channel.slots < 1) throw std::invalid_argument("a channel of " + std::to_string(channel.slots) + " slots");
  }
  // What a rank reads is contiguous and begins on a page, which this rank touches first.
  std::vector<State> states(channels.size());
  std::size_t bytes = page;
  std::size_t own_begin = 0, own_end = 0;
  for (int r = 0; r < ranks.size(); ++r) {
    if (r == ranks.rank()) own_begin = bytes;
    for (std::size_t c = 0; c < channels.size(); ++c) {
      if (channels[c].to != r) continue;
      states[c].at = bytes;
      states[c].pitch = rounded_up(channels[c].bytes, line);
      states[c].slots = static_cast<std::uint64_t>(channels[c].slots);
      bytes += sizeof(Counts) + states[c].slots * states[c].pitch;
    }
    bytes = rounded_up(bytes, page);
    if (r == ranks.rank()) own_end = bytes;
  }
  std::optional<SharedMemory> memory = SharedMemory::allocate(ranks, bytes);
  if (!memory) return {};
  std::fill(memory->data() + own_begin, memory->data() + own_end, std::byte{});
  ranks.barrier();
  SharedChannels all(std::move(*memory));
  all.states_ = std::move(states);
  return all;
}

std::byte* SharedChannels::begin_write(std::size_t channel) {
  State& state = states_[channel];
  if (state.written >= state.slots) wait(counts(state).read, state.written - state.slots + 1, state.seen_read);
  return message(state, state.written);
}
void SharedChannels::end_write(std::size_t channel) {
  State& state = states_[channel];
  std::atomic_ref<std::uint64_t>(counts(state).written).store(++state.written, std::memory_order_release);
}
const std::byte* SharedChannels::begin_read(std::size_t channel) {
  State& state = states_[channel];
  wait(counts(state).written, state.read + 1, state.seen_written);
  return message(state, state.read);
}
void SharedChannels::end_read(std::size_t channel) {
  State& state = states_[channel];
  std::atomic_ref<std::uint64_t>(counts(state).read).store(++state.read, std::memory_order_release);
}

}  // namespace speedwell::comm
