// Depth-first search with one stack of open nodes per warp and work stealing between warps.
//
// A step generates up to 32 children of the youngest nodes of the stack, hashes them in lock-step and pushes those that
// have children themselves. When the stack is full, its oldest nodes are spilled to device memory.
//
// Load is balanced at two levels. Within a block, a warp that will not have 32 children for its next step sets a bit in
// shared memory and continues; a warp with enough work clears the bit and writes nodes to the hand-off slot of the
// requester. Between blocks, a warp without any node draws a ticket of a steal queue and waits at its inbox; the other
// warps poll one queue every few steps, so that there is no further traffic while no warp is idle. Nodes are always
// handed over in device memory: racecheck reports data that pass through shared memory from warp to warp without a
// barrier as a race.
//
// Termination: a warp waits only if it has neither nodes nor spilled nodes, and a warp that gives nodes away first
// decrements the number of waiting warps. Hence no node is left when the last warp to wait finds that all of them are
// waiting.
//
// On several GPUs (Round) a search has rounds. A GPU whose warps all wait interrupts the others: their warps look at
// the same word at which they see that a search has failed, and write their nodes to a list. What is on its way between
// two warps then stays in inboxes, and is collected by another kernel.
#pragma once

#include <cuda/atomic>
#include <type_traits>

#include "speedwell/apps/uts/gpu/children.hpp"
#include "speedwell/apps/uts/gpu/launch.hpp"
#include "speedwell/apps/uts/gpu/warp_stack.hpp"
#include "speedwell/apps/uts/sha1.hpp"
#include "speedwell/comm/gpu/peer_flags.hpp"

namespace speedwell::uts::device {

constexpr int max_warps = 24;  // of a block: as many stacks fit into shared memory

using DeviceAtomic = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;
using SystemAtomic = cuda::atomic_ref<unsigned, cuda::thread_scope_system>;
using BlockAtomic = cuda::atomic_ref<unsigned, cuda::thread_scope_block>;

/// State that the warps of a block share: one bit per warp that has requested nodes, and one per warp whose hand-off
/// slot has been filled.
struct BlockSharedState {
  unsigned requested, delivered;
};

/// Writes the `count` oldest nodes of a stack to the list of the nodes that are left.
__device__ inline void write_rest(const Search& search, WarpStack& stack, unsigned count) {
  unsigned to = 0;
  if (stack.lane() == 0) to = atomicAdd(&search.control->rest.value, count);
  to = __shfl_sync(full_warp, to, 0);
  const List& rest = search.round.rest;
  for (unsigned i = stack.lane(); i < count; i += 32)
    for (int k = 0; k < fields; ++k) rest.words[static_cast<std::size_t>(k) * rest.capacity + to + i] = stack.at(k, i);
  stack.pop_oldest(count);
}

/// `several`: the search has rounds.
template <bool several>
class Warp : WarpStack {
  using StopAtomic = std::conditional_t<several, SystemAtomic, DeviceAtomic>;

 public:
  __device__ Warp(const Search& search, const Tuning& tuning, std::uint32_t* words, BlockSharedState& block)
      : WarpStack(words),
        search_(search),
        block_(block),
        warp_in_block_(threadIdx.x / 32),
        warp_(blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32),
        num_warps_(gridDim.x * (blockDim.x / 32)),
        min_children_(static_cast<unsigned>(tuning.min_children)),
        min_nodes_(tuning.min_nodes),
        poll_interval_(static_cast<unsigned>(tuning.poll_interval)),
        steps_until_poll_(1 + warp_ % poll_interval_),
        polled_queue_(warp_) {}

  __device__ void run() {
    if constexpr (several) {
      begin_ = comm::nanoseconds();
    } else if (warp_ == 0 && search_.root.word[left] > 0) {
      if (lane() < fields) at(static_cast<int>(lane()), 0) = search_.root.word[lane()];
      push(1);
    }
    for (;;) {
      if (has_requested_ && size() <= stack_capacity - chunk_nodes) take_hand_off();
      if (size() < 32 && spilled_) refill();
      if constexpr (several)
        if (size() < 32 && !first_are_taken_) take_first();
      if (size() == 0 && !(has_requested_ && wait_for_block()) && !wait_for_nodes()) break;
      if (!step()) break;
    }
    if constexpr (several) write_all();
    reduce_counters();
  }

 private:
  /// The value of lane 0 in all lanes. Lanes may load different values of a word that another warp is writing; a branch
  /// on such a value would diverge before the next collective operation of the warp.
  __device__ static unsigned broadcast_first(unsigned loaded) { return __shfl_sync(full_warp, loaded, 0); }

  /// Returns false if the search is to end because a resource is exhausted or another warp has stopped it.
  __device__ bool step() {
    // Assigns the open children of the 32 youngest nodes, the youngest first, to the lanes.
    const unsigned position = size() - 1 - lane();
    const bool mine = lane() < size();
    const unsigned has = mine ? at(left, position) : 0, wanted = min(has, 32u);
    const unsigned has_next = at(next, position);
    const unsigned up_to_me = 2u * (1u << lane()) - 1u, below_me = up_to_me >> 1;
    unsigned from = 0;  // exclusive prefix sum over the lanes, bit by bit: faster than five shuffles
    for (int bit = 0; bit < 6; ++bit) {
      const unsigned having = __ballot_sync(full_warp, wanted & (1u << bit));
      from += static_cast<unsigned>(__popc(having & below_me)) << bit;
    }
    const unsigned total = __reduce_add_sync(full_warp, wanted), taken = min(32u, total);
    const unsigned begins = __reduce_or_sync(full_warp, mine && from < 32 ? 1u << from : 0u);
    const int which = __popc(begins & up_to_me) - 1;
    const unsigned number = lane() - __shfl_sync(full_warp, from, which);
    const unsigned parent = size() - 1 - static_cast<unsigned>(which);
    Digest<std::uint32_t> digest;
    for (int k = 0; k < 5; ++k) digest.h[k] = at(k, parent);
    const unsigned child = at(next, parent) + number, level = at(depth, parent) + 1;
    const RowOfDepth row = row_of(search_.rule, level, table_ended_);
    __syncwarp();
    const bool used_up = mine && has <= 32 && from + has <= 32;
    if (mine && from < 32 && !used_up) {
      at(next, position) = has_next + (32 - from);
      at(left, position) = has - (32 - from);
    }
    pop(static_cast<unsigned>(__popc(__ballot_sync(full_warp, used_up))));
    const bool active = lane() < taken;
    unsigned requested =
        BlockAtomic(block_.requested).load(cuda::memory_order_relaxed);  // broadcast_first() after the hash

    const bool polls = --steps_until_poll_ == 0;
    uint4 queue = make_uint4(0, 0, 0, 0);
    if (polls) {  // loaded now, used after the hash: the latency is hidden
      steps_until_poll_ = poll_interval_;
      polled_queue_ = (polled_queue_ + 1) % num_steal_queues;
      queue = __ldcv(reinterpret_cast<const uint4*>(&search_.control->steal_queues[polled_queue_]));
    }
    digest = child_digest(digest, child, ProductSum{search_.one});

    const unsigned children = active ? children_of(search_.rule, row, value_of(digest.h[4])) : 0;
    const unsigned inner = __ballot_sync(full_warp, children > 0);
    const auto pushed = static_cast<unsigned>(__popc(inner));
    nodes_ += taken;
    leaves_ += taken - pushed;
    if (active) deepest_ = max(deepest_, level);
    if (size() + pushed > stack_capacity && !spill()) return fail(ResourceError::memory);
    if (children > 0) {
      // The children of the youngest node become the youngest.
      const unsigned to = size() + static_cast<unsigned>(__popc(inner & ~up_to_me));
      for (int k = 0; k < 5; ++k) at(k, to) = digest.h[k];
      at(depth, to) = level;
      at(next, to) = 0;
      at(left, to) = children;
    }
    push(pushed);
    // Number of open children; of stacks of more than 32 nodes a lower bound.
    const unsigned open =
        total - taken + __reduce_add_sync(full_warp, min(children, 32u)) + (size() > 32 ? size() - 32 : 0);
    if (open < 32 && !has_requested_) request_within_block();
    if (open >= min_children_ && (requested = broadcast_first(requested)) != 0) give_within_block(requested);
    if (polls) {
      if (broadcast_first(queue.z)) return false;
      const unsigned served = broadcast_first(queue.y);
      if (static_cast<int>(broadcast_first(queue.x) - served) > 0) give_to_device(served, open);
    }
    return true;
  }

  __device__ void request_within_block() {
    if (lane() == 0) BlockAtomic(block_.requested).fetch_or(1u << warp_in_block_, cuda::memory_order_release);
    has_requested_ = true;
  }
  /// Gives nodes to one of the requesting warps of the block, unless another warp has answered it already.
  __device__ void give_within_block(unsigned requested) {
    if (size() < 2) return;
    const unsigned to = static_cast<unsigned>(__ffs(static_cast<int>(requested))) - 1;
    unsigned before = 0;
    if (lane() == 0) before = BlockAtomic(block_.requested).fetch_and(~(1u << to), cuda::memory_order_acq_rel);
    before = __shfl_sync(full_warp, before, 0);
    if (!(before >> to & 1u)) return;
    BlockHandOff& slot = search_.hand_offs[warp_ - warp_in_block_ + to];
    const unsigned count = move_every_other(slot.nodes);
    if (lane() == 0) slot.count = count;
    __threadfence_block();
    __syncwarp();
    if (lane() == 0) BlockAtomic(block_.delivered).fetch_or(1u << to, cuda::memory_order_release);
  }
  /// Takes the nodes of this warp's hand-off slot; returns whether there were any.
  __device__ bool take_hand_off() {
    if (!(broadcast_first(BlockAtomic(block_.delivered).load(cuda::memory_order_relaxed)) >> warp_in_block_ & 1u))
      return false;
    __threadfence_block();
    __syncwarp();
    const BlockHandOff& slot = search_.hand_offs[warp_];
    load(slot.nodes, broadcast_first(*static_cast<const volatile unsigned*>(&slot.count)));
    if (lane() == 0) BlockAtomic(block_.delivered).fetch_and(~(1u << warp_in_block_), cuda::memory_order_relaxed);
    __syncwarp();
    has_requested_ = false;
    return true;
  }
  /// Waits for about the time of a step for nodes of another warp of the block. Returns false if none have come; the
  /// request has then been withdrawn.
  __device__ bool wait_for_block() {
    for (int attempt = 0; attempt < 32; ++attempt) {
      if (take_hand_off()) return true;
      __nanosleep(40);
    }
    return !withdraw_request();
  }
  /// Returns false if another warp has answered the request; the nodes have then been taken.
  __device__ bool withdraw_request() {
    unsigned before = 0;
    if (lane() == 0)
      before = BlockAtomic(block_.requested).fetch_and(~(1u << warp_in_block_), cuda::memory_order_relaxed);
    before = __shfl_sync(full_warp, before, 0);
    if (before >> warp_in_block_ & 1u) {
      has_requested_ = false;
      return true;
    }
    while (!take_hand_off()) {  // a warp is writing to the slot
    }
    return false;
  }

  /// Stops all warps because a resource is exhausted; returns false.
  __device__ bool fail(ResourceError error) {
    if (lane() == 0) {
      atomicMax(&search_.control->results.error, static_cast<unsigned>(error));
      DeviceAtomic(search_.control->stop.value).store(1, cuda::memory_order_release);
    }
    for (unsigned i = lane(); i < num_steal_queues; i += 32)
      DeviceAtomic(search_.control->steal_queues[i].stop).store(1, cuda::memory_order_relaxed);
    return false;
  }

  /// Spilled chunks belong to this warp and form a linked list, as do its free chunks. Returns false if spill memory is
  /// exhausted.
  __device__ bool spill() {
    unsigned chunk = free_chunk_;
    if (chunk == 0) {
      if (lane() == 0) chunk = atomicAdd(&search_.control->spilled_chunks.value, 1u) + 1;
      chunk = __shfl_sync(full_warp, chunk, 0);
      if (chunk > search_.spill_capacity) return false;
    } else {
      free_chunk_ = search_.spill_links[chunk - 1];
    }
    __syncwarp();
    if (lane() == 0) search_.spill_links[chunk - 1] = spilled_;
    spilled_ = chunk;
    store(search_.spilled[chunk - 1], chunk_nodes);
    return true;
  }
  __device__ void refill() {
    const unsigned chunk = spilled_;
    load(search_.spilled[chunk - 1], chunk_nodes);
    spilled_ = search_.spill_links[chunk - 1];
    __syncwarp();
    if (lane() == 0) search_.spill_links[chunk - 1] = free_chunk_;
    free_chunk_ = chunk;
    __syncwarp();
  }

  /// Gives nodes to the warp that holds the ticket `served` of the polled queue, unless another warp has answered it or
  /// this warp, with about `children` open children, has too little work to share.
  __device__ void give_to_device(unsigned served, unsigned children) {
    if (size() == 0) return;
    const bool splits = size() == 1;
    if (splits) children = at(left, 0);
    const unsigned below = min(at(depth, 0) + 1, search_.rule.count - 1);
    const float nodes = 0.5f * static_cast<float>(children) * __ldg(&search_.rule.rows[below].below);
    if (children < min_children_ || nodes < min_nodes_) return;
    unsigned to = 0;
    if (lane() == 0) {
      DeviceAtomic counter(search_.control->steal_queues[polled_queue_].served);
      unsigned expected = served;
      if (counter.compare_exchange_strong(expected, served + 1, cuda::memory_order_acq_rel)) {
        DeviceAtomic position(search_.requesters[polled_queue_ * search_.requester_capacity +
                                                 (served & (search_.requester_capacity - 1))]);
        while ((to = position.load(cuda::memory_order_relaxed)) == 0) {
        }
        cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
        position.store(0, cuda::memory_order_release);
        DeviceAtomic(search_.control->waiting.value).fetch_sub(1, cuda::memory_order_acq_rel);
      }
    }
    to = __shfl_sync(full_warp, to, 0);
    if (to == 0) return;
    const unsigned count =
        splits ? move_half_of_one(search_.inboxes[to - 1]) : move_every_other(search_.inboxes[to - 1]);
    __threadfence();
    __syncwarp();
    if (lane() == 0) DeviceAtomic(search_.inbox_counts[to - 1].value).store(count, cuda::memory_order_release);
  }

  /// Waits for nodes of any other warp. Returns false when the search has ended.
  __device__ bool wait_for_nodes() {
    unsigned count = 0;
    if (lane() == 0) {
      Control& control = *search_.control;
      const unsigned queue = warp_ % num_steal_queues;
      const unsigned ticket =
          DeviceAtomic(control.steal_queues[queue].requests).fetch_add(1, cuda::memory_order_acq_rel);
      DeviceAtomic position(
          search_.requesters[queue * search_.requester_capacity + (ticket & (search_.requester_capacity - 1))]);
      while (position.load(cuda::memory_order_relaxed) != 0) {  // still holds an earlier ticket that has been answered
      }
      position.store(warp_ + 1, cuda::memory_order_release);
      if (DeviceAtomic(control.waiting.value).fetch_add(1, cuda::memory_order_acq_rel) + 1 == num_warps_) {
        if constexpr (several) interrupt_others();
        DeviceAtomic(control.stop.value).store(1, cuda::memory_order_release);
      }
      DeviceAtomic inbox_counts(search_.inbox_counts[warp_].value);
      // Relaxed until there is something: an acquire invalidates the first-level cache for the warps that work.
      for (unsigned attempt = 0; (count = inbox_counts.load(cuda::memory_order_relaxed)) == 0; ++attempt) {
        if (attempt % 8 == 7 && StopAtomic(control.stop.value).load(cuda::memory_order_relaxed)) break;
        __nanosleep(40);
      }
      cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
      if (count > 0) inbox_counts.store(0, cuda::memory_order_relaxed);
    }
    count = __shfl_sync(full_warp, count, 0);
    if (count == 0) return false;
    __syncwarp();
    load(search_.inboxes[warp_], count);
    return true;
  }

  /// Takes some of the nodes with which the round begins.
  __device__ void take_first() {
    const Round& round = search_.round;
    const unsigned wanted = max(1u, min(32u, round.first_count / num_warps_));
    unsigned from = 0;
    if (lane() == 0) from = atomicAdd(&search_.control->taken.value, wanted);
    from = __shfl_sync(full_warp, from, 0);
    if (from >= round.first_count) {
      first_are_taken_ = true;
      return;
    }
    const unsigned count = min(wanted, round.first_count - from);
    if (lane() < count)
      for (int k = 0; k < fields; ++k)
        at(k, size() + lane()) = round.first.words[static_cast<std::size_t>(k) * round.first.capacity + from + lane()];
    push(count);
  }
  /// For one lane, when all warps of this GPU wait: interrupts the other GPUs, but not early in a round, lest rounds
  /// take more time than the search.
  __device__ void interrupt_others() {
    const Round& round = search_.round;
    while (comm::nanoseconds() - begin_ < round.min_nanoseconds &&
           SystemAtomic(search_.control->stop.value).load(cuda::memory_order_relaxed) == 0)
      __nanosleep(200);
    for (int r = 0; r < round.num_others; ++r) {
      SystemAtomic(round.others[r]->stop.value).store(1, cuda::memory_order_relaxed);
      for (StealQueue& queue : round.others[r]->steal_queues)
        SystemAtomic(queue.stop).store(1, cuda::memory_order_relaxed);
    }
  }
  /// Writes all nodes of this warp to the list of those that are left, and then those that no warp has taken.
  __device__ void write_all() {
    write_rest(search_, *this, size());
    if (has_requested_ && !withdraw_request()) write_rest(search_, *this, size());
    while (spilled_) {
      refill();
      write_rest(search_, *this, size());
    }
    while (!first_are_taken_) {
      take_first();
      write_rest(search_, *this, size());
    }
  }

  __device__ void reduce_counters() {
    const unsigned deepest = __reduce_max_sync(full_warp, deepest_);
    const bool table_ended = __any_sync(full_warp, table_ended_);
    if (lane() != 0) return;
    Results& results = search_.control->results;
    if (table_ended) atomicMax(&results.error, static_cast<unsigned>(ResourceError::table));
    atomicAdd(&results.nodes, nodes_);
    atomicAdd(&results.leaves, leaves_);
    atomicMax(&results.depth, deepest);
  }

  const Search& search_;
  BlockSharedState& block_;
  const unsigned warp_in_block_;
  const unsigned warp_, num_warps_, min_children_;
  const float min_nodes_;
  const unsigned poll_interval_;
  unsigned steps_until_poll_, polled_queue_;
  unsigned spilled_ = 0, free_chunk_ = 0;  // heads of the lists: index of a chunk, plus one
  unsigned long long nodes_ = 0, leaves_ = 0;
  unsigned deepest_ = 0;
  bool table_ended_ = false;
  bool has_requested_ = false;
  bool first_are_taken_ = false;
  unsigned long long begin_ = 0;  // of the round
};

}  // namespace speedwell::uts::device
