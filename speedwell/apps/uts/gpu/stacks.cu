// Depth first in every warp. A step takes up to 32 children of the youngest nodes of the warp's stack, hashes them in
// lock-step, and pushes those that have children. A full stack puts its oldest nodes aside into device memory. A warp
// without nodes says so at a desk, and a warp that looks there and has enough writes every other of its oldest into the
// letter box of the one who waits; as long as nobody waits there is no traffic but these looks. Before that, a warp
// whose lanes will not all have a child in the next step asks the others of its block, by a bit in shared memory, and
// goes on. (Nodes change hands in device memory: what is written in shared memory for another warp, without a barrier,
// racecheck takes for a race.)
//
// The end: a warp waits only when it has nothing, aside neither, and who gives has counted the other off first. So when
// the last to wait finds that all wait, no node is left anywhere.
#include <cuda/atomic>

#include "speedwell/apps/uts/gpu/children.hpp"
#include "speedwell/apps/uts/gpu/launch.hpp"
#include "speedwell/apps/uts/gpu/warp_stack.hpp"
#include "speedwell/apps/uts/sha1.hpp"

namespace speedwell::uts::device {
namespace {

constexpr int most_warps = 24;  // of a block: what shared memory has room for

using Shared = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;
using Near = cuda::atomic_ref<unsigned, cuda::thread_scope_block>;

/// What the warps of a block share: a bit for each that wants a note, and for each that has one.
struct Room {
  unsigned asking, written;
};

class Warp : WarpStack {
 public:
  __device__ Warp(const Search& search, const Tuning& tuning, std::uint32_t* words, Room& room)
      : WarpStack(words),
        search_(search),
        room_(room),
        near_(threadIdx.x / 32),
        me_(blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32),
        all_(gridDim.x * (blockDim.x / 32)),
        least_children_(static_cast<unsigned>(tuning.least_children)),
        least_nodes_(tuning.least_nodes),
        poll_every_(static_cast<unsigned>(tuning.poll_every)),
        until_poll_(1 + me_ % poll_every_),
        desk_(me_) {}

  __device__ void run() {
    if (me_ == 0 && search_.root.word[left] > 0) {
      if (lane() < fields) at(static_cast<int>(lane()), 0) = search_.root.word[lane()];
      push(1);
    }
    for (;;) {
      if (asked_ && size() <= stack_room - chunk_nodes) take_note();
      if (size() < 32 && aside_) bring_back();
      if (size() == 0 && !(asked_ && wait_near()) && !wait()) break;
      if (!step()) break;
    }
    add_up();
  }

 private:
  /// What the first lane loaded, in all lanes. Lanes of a warp may load different values of what another warp writes,
  /// and a branch on them would part the warp before its next collective.
  __device__ static unsigned same(unsigned loaded) { return __shfl_sync(whole_warp, loaded, 0); }

  /// False when all shall end, for want of something.
  __device__ bool step() {
    // Children of the 32 youngest nodes, the youngest first, and which of them each lane has.
    const unsigned place = size() - 1 - lane();
    const bool mine = lane() < size();
    const unsigned has = mine ? at(left, place) : 0, wanted = min(has, 32u);
    const unsigned has_next = at(next, place);
    const unsigned up_to_me = 2u * (1u << lane()) - 1u, below_me = up_to_me >> 1;
    unsigned from = 0;  // the sum of what the lanes below want, each bit of it by itself: quicker than five shuffles
    for (int bit = 0; bit < 6; ++bit) {
      const unsigned having = __ballot_sync(whole_warp, wanted & (1u << bit));
      from += static_cast<unsigned>(__popc(having & below_me)) << bit;
    }
    const unsigned total = __reduce_add_sync(whole_warp, wanted), taken = min(32u, total);
    const unsigned begins = __reduce_or_sync(whole_warp, mine && from < 32 ? 1u << from : 0u);
    const int which = __popc(begins & up_to_me) - 1;
    const unsigned number = lane() - __shfl_sync(whole_warp, from, which);
    const unsigned parent = size() - 1 - static_cast<unsigned>(which);
    Digest<std::uint32_t> digest;
    for (int k = 0; k < 5; ++k) digest.h[k] = at(k, parent);
    const unsigned child = at(next, parent) + number, level = at(depth, parent) + 1;
    const RowOfDepth row = row_of(search_.rule, level, lacks_);
    __syncwarp();
    const bool used_up = mine && has <= 32 && from + has <= 32;
    if (mine && from < 32 && !used_up) {
      at(next, place) = has_next + (32 - from);
      at(left, place) = has - (32 - from);
    }
    pop(static_cast<unsigned>(__popc(__ballot_sync(whole_warp, used_up))));
    const bool active = lane() < taken;
    unsigned asking = Near(room_.asking).load(cuda::memory_order_relaxed);  // same() where it is used, after the hash

    const bool look = --until_poll_ == 0;
    uint4 desk = make_uint4(0, 0, 0, 0);
    if (look) {  // read now, needed after the hash: same() there
      until_poll_ = poll_every_;
      desk_ = (desk_ + 1) % desks;
      desk = __ldcv(reinterpret_cast<const uint4*>(&search_.control->desk[desk_]));
    }
    digest = child_digest(digest, child, ProductSum{search_.one});

    const unsigned children = active ? children_of(search_.rule, row, value_of(digest.h[4])) : 0;
    const unsigned inner = __ballot_sync(whole_warp, children > 0);
    const auto pushed = static_cast<unsigned>(__popc(inner));
    nodes_ += taken;
    leaves_ += taken - pushed;
    if (active) deepest_ = max(deepest_, level);
    if (size() + pushed > stack_room && !put_aside()) return want(Lack::room);
    if (children > 0) {
      // The children of the youngest node become the youngest.
      const unsigned to = size() + static_cast<unsigned>(__popc(inner & ~up_to_me));
      for (int k = 0; k < 5; ++k) at(k, to) = digest.h[k];
      at(depth, to) = level;
      at(next, to) = 0;
      at(left, to) = children;
    }
    push(pushed);
    // Children that are still to be generated: of more than 32 nodes at least so many.
    const unsigned open =
        total - taken + __reduce_add_sync(whole_warp, min(children, 32u)) + (size() > 32 ? size() - 32 : 0);
    if (open < 32 && !asked_) ask();
    if (open >= least_children_ && (asking = same(asking)) != 0) give_near(asking);
    if (look) {
      if (same(desk.z)) return false;
      const unsigned served = same(desk.y);
      if (static_cast<int>(same(desk.x) - served) > 0) give(served, open);
    }
    return true;
  }

  __device__ void ask() {
    if (lane() == 0) Near(room_.asking).fetch_or(1u << near_, cuda::memory_order_release);
    asked_ = true;
  }
  /// To one of those of the block that ask, unless another was faster.
  __device__ void give_near(unsigned asking) {
    if (size() < 2) return;
    const unsigned to = static_cast<unsigned>(__ffs(static_cast<int>(asking))) - 1;
    unsigned before = 0;
    if (lane() == 0) before = Near(room_.asking).fetch_and(~(1u << to), cuda::memory_order_acq_rel);
    before = __shfl_sync(whole_warp, before, 0);
    if (!(before >> to & 1u)) return;
    Note& note = search_.notes[me_ - near_ + to];
    const unsigned count = give_every_other(note.nodes);
    if (lane() == 0) note.count = count;
    __threadfence_block();
    __syncwarp();
    if (lane() == 0) Near(room_.written).fetch_or(1u << to, cuda::memory_order_release);
  }
  /// Whether there was one.
  __device__ bool take_note() {
    if (!(same(Near(room_.written).load(cuda::memory_order_relaxed)) >> near_ & 1u)) return false;
    __threadfence_block();
    __syncwarp();
    const Note& note = search_.notes[me_];
    load(note.nodes, same(*static_cast<const volatile unsigned*>(&note.count)));
    if (lane() == 0) Near(room_.written).fetch_and(~(1u << near_), cuda::memory_order_relaxed);
    __syncwarp();
    asked_ = false;
    return true;
  }
  /// For a note, for a while: about a step. False if there is none, and none will come.
  __device__ bool wait_near() {
    for (int turn = 0; turn < 32; ++turn) {
      if (take_note()) return true;
      __nanosleep(40);
    }
    unsigned before = 0;
    if (lane() == 0) before = Near(room_.asking).fetch_and(~(1u << near_), cuda::memory_order_relaxed);
    before = __shfl_sync(whole_warp, before, 0);
    if (before >> near_ & 1u) {
      asked_ = false;
      return false;
    }
    while (!take_note()) {  // it is being written
    }
    return true;
  }

  /// Ends everybody's search.
  __device__ bool want(Lack lack) {
    if (lane() == 0) {
      atomicMax(&search_.control->results.lack, static_cast<unsigned>(lack));
      Shared(search_.control->over.value).store(1, cuda::memory_order_release);
    }
    for (unsigned i = lane(); i < desks; i += 32)
      Shared(search_.control->desk[i].over).store(1, cuda::memory_order_relaxed);
    return false;
  }

  /// Chunks that were put aside are this warp's own and form a list, as do those that are free again. False if there is
  /// no room for another.
  __device__ bool put_aside() {
    unsigned chunk = free_;
    if (chunk == 0) {
      if (lane() == 0) chunk = atomicAdd(&search_.control->chunks.value, 1u) + 1;
      chunk = __shfl_sync(whole_warp, chunk, 0);
      if (chunk > search_.aside_room) return false;
    } else {
      free_ = search_.aside_before[chunk - 1];
    }
    __syncwarp();
    if (lane() == 0) search_.aside_before[chunk - 1] = aside_;
    aside_ = chunk;
    store(search_.aside[chunk - 1], chunk_nodes);
    return true;
  }
  __device__ void bring_back() {
    const unsigned chunk = aside_;
    load(search_.aside[chunk - 1], chunk_nodes);
    aside_ = search_.aside_before[chunk - 1];
    __syncwarp();
    if (lane() == 0) search_.aside_before[chunk - 1] = free_;
    free_ = chunk;
    __syncwarp();
  }

  /// To the warp that has the ticket `served` of the desk, unless another was faster or there is too little to give of
  /// about so many children.
  __device__ void give(unsigned served, unsigned children) {
    if (size() == 0) return;
    const bool splits = size() == 1;
    if (splits) children = at(left, 0);
    const unsigned below = min(at(depth, 0) + 1, search_.rule.count - 1);
    const float nodes = 0.5f * static_cast<float>(children) * __ldg(&search_.rule.rows[below].below);
    if (children < least_children_ || nodes < least_nodes_) return;
    unsigned to = 0;
    if (lane() == 0) {
      Shared counter(search_.control->desk[desk_].served);
      unsigned expected = served;
      if (counter.compare_exchange_strong(expected, served + 1, cuda::memory_order_acq_rel)) {
        Shared place(search_.queue[desk_ * search_.queue_room + (served & (search_.queue_room - 1))]);
        while ((to = place.load(cuda::memory_order_relaxed)) == 0) {
        }
        cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
        place.store(0, cuda::memory_order_release);
        Shared(search_.control->waiting.value).fetch_sub(1, cuda::memory_order_acq_rel);
      }
    }
    to = __shfl_sync(whole_warp, to, 0);
    if (to == 0) return;
    const unsigned count =
        splits ? give_half_of_one(search_.letters[to - 1]) : give_every_other(search_.letters[to - 1]);
    __threadfence();
    __syncwarp();
    if (lane() == 0) Shared(search_.mail[to - 1].value).store(count, cuda::memory_order_release);
  }

  /// For nodes of somebody else; false when the search is over.
  __device__ bool wait() {
    unsigned count = 0;
    if (lane() == 0) {
      Control& control = *search_.control;
      const unsigned desk = me_ % desks;
      const unsigned ticket = Shared(control.desk[desk].arrived).fetch_add(1, cuda::memory_order_acq_rel);
      Shared place(search_.queue[desk * search_.queue_room + (ticket & (search_.queue_room - 1))]);
      while (place.load(cuda::memory_order_relaxed) != 0) {  // an earlier ticket's, who has been served
      }
      place.store(me_ + 1, cuda::memory_order_release);
      if (Shared(control.waiting.value).fetch_add(1, cuda::memory_order_acq_rel) + 1 == all_)
        Shared(control.over.value).store(1, cuda::memory_order_release);
      Shared mail(search_.mail[me_].value);
      // Not to acquire until there is something: that clears the first-level cache under those who work.
      for (unsigned turn = 0; (count = mail.load(cuda::memory_order_relaxed)) == 0; ++turn) {
        if (turn % 8 == 7 && Shared(control.over.value).load(cuda::memory_order_relaxed)) break;
        __nanosleep(40);
      }
      cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
      if (count > 0) mail.store(0, cuda::memory_order_relaxed);
    }
    count = __shfl_sync(whole_warp, count, 0);
    if (count == 0) return false;
    __syncwarp();
    load(search_.letters[me_], count);
    return true;
  }

  __device__ void add_up() {
    const unsigned deepest = __reduce_max_sync(whole_warp, deepest_);
    const bool lacks = __any_sync(whole_warp, lacks_);
    if (lane() != 0) return;
    Results& results = search_.control->results;
    if (lacks) atomicMax(&results.lack, static_cast<unsigned>(Lack::rows));
    atomicAdd(&results.nodes, nodes_);
    atomicAdd(&results.leaves, leaves_);
    atomicMax(&results.depth, deepest);
  }

  const Search& search_;
  Room& room_;
  const unsigned near_;  // of the block's warps
  const unsigned me_, all_, least_children_;
  const float least_nodes_;
  const unsigned poll_every_;
  unsigned until_poll_, desk_;
  unsigned aside_ = 0, free_ = 0;  // chunks, plus one
  unsigned long long nodes_ = 0, leaves_ = 0;
  unsigned deepest_ = 0;
  bool lacks_ = false;
  bool asked_ = false;
};

__global__ void __launch_bounds__(most_warps * 32) stacks_kernel(const __grid_constant__ Search search, Tuning tuning) {
  extern __shared__ std::uint32_t shared[];
  const unsigned warps = blockDim.x / 32;
  auto& room = *reinterpret_cast<Room*>(shared + warps * stack_words);
  if (threadIdx.x == 0) room = {0, 0};
  __syncthreads();
  Warp(search, tuning, shared + threadIdx.x / 32 * stack_words, room).run();
}

int multiprocessors() {
  int device = 0, count = 0;
  core::check(cudaGetDevice(&device));
  core::check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count;
}

}  // namespace

unsigned searching_warps(const Tuning& tuning) { return static_cast<unsigned>(multiprocessors() * tuning.warps); }

void search_stacks(const Search& search, const Tuning& tuning, const core::Stream& stream) {
  const auto threads = static_cast<unsigned>(32 * tuning.warps);
  const auto warps = static_cast<unsigned>(tuning.warps);
  const auto bytes = static_cast<unsigned>(warps * stack_words * sizeof(std::uint32_t) + sizeof(Room));
  core::check(
      cudaFuncSetAttribute(stacks_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  Search operands = search;
  Tuning numbers = tuning;
  void* arguments[] = {&operands, &numbers};
  // Cooperative: a warp that waits relies on all others to run.
  core::check(cudaLaunchCooperativeKernel(stacks_kernel, dim3(static_cast<unsigned>(multiprocessors())), dim3(threads),
                                          arguments, bytes, stream.get()));
}

}  // namespace speedwell::uts::device
