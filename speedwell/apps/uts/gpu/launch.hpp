// Kernel arguments and launch functions of the GPU variants. Included by CUDA sources alone; gpu_solver.hpp owns the
// buffers.
#pragma once

#include <cstdint>

#include "speedwell/apps/uts/gpu_tuning.hpp"
#include "speedwell/apps/uts/tree.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::uts::device {

/// Words of the record of an open node, whose children `next` to next + left - 1 have not been generated yet.
enum Field { state0, state4 = 4, depth, next, left, fields };
struct Open {
  std::uint32_t word[fields];
};

/// The resource that a search ran out of. The host enlarges it and starts the search again.
enum class ResourceError : unsigned {
  none,
  table,   // rows of the child rule's table
  memory,  // device memory for spilled nodes
};
/// Counters of a search or of one level. `error` is a ResourceError.
struct Results {
  unsigned long long nodes, leaves, appended;
  unsigned depth, error;
};

/// The child rule of one depth, as ChildRule::Row has it, with two estimates.
struct alignas(32) Row {
  ChildRule::Row row;
  float per_bit = 0;  // about how many more children a node has whose value is half as far from 2^31
  float below = 0;    // expected number of nodes in the subtree of a node, the node included
};
/// The tables of the child rule in device memory.
struct Rule {
  const Row* rows = nullptr;
  const std::uint32_t* graded = nullptr;
  unsigned count = 0;
  bool unbounded = false;
};

/// A list of nodes in device memory, as a structure of arrays: word k of node i is at [k * capacity + i].
struct List {
  std::uint32_t* words = nullptr;
  std::size_t capacity = 0;
};

/// Generates and counts the children of the first `count` nodes of `from` and appends those that have children to `to`.
/// If Results::appended exceeds the capacity of `to`, the list is incomplete and must not be used.
void search_level(const Rule& rule, const List& from, std::size_t count, const List& to, Results* results,
                  const core::Stream& stream);

using Tuning = GpuTuning;

/// Nodes that the stack of a warp in shared memory can hold.
constexpr unsigned stack_capacity = 256;
/// Nodes that are moved from or to a stack at once.
constexpr unsigned chunk_nodes = 64;
/// Idle warps are spread over several queues, so that few of them contend for the same one.
constexpr unsigned num_steal_queues = 64;

/// Nodes that are spilled to device memory or sent to another warp.
struct Chunk {
  std::uint32_t word[fields][chunk_nodes];
};
/// Slot for nodes that are handed to a warp by another warp of its block.
struct alignas(128) BlockHandOff {
  Chunk nodes;
  unsigned count;
};
/// Queue of steal requests, as a pair of ticket counters: `requests` tickets were drawn by idle warps, `served` of them
/// have been answered with nodes. `stop` is a copy of Control::stop.
struct alignas(128) StealQueue {
  unsigned requests, served, stop, unused;
};
/// A counter on a cache line of its own.
struct alignas(128) CacheLine {
  unsigned value;
};
/// State of a search that all warps share; zeroed before each search. Each member has a cache line of its own, because
/// many warps update them concurrently.
struct Control {
  StealQueue steal_queues[num_steal_queues];
  CacheLine waiting;         // number of idle warps
  CacheLine stop;            // nonzero: all warps terminate
  CacheLine spilled_chunks;  // number of spill chunks that have been allocated
  CacheLine taken;           // of several GPUs: nodes of Round::first that have been taken, and written to Round::rest
  CacheLine rest;
  Results results;
};

/// One round of a search on several GPUs: each GPU searches below nodes of its own until one of them has none left.
/// That one interrupts the others, which write their open nodes to a list, from which the next round is made.
struct Round {
  List first;  // nodes with which this GPU begins
  unsigned first_count = 0;
  List rest;  // open nodes that are left; room for `first`, and as many as all stacks, chunks and inboxes can hold
  Control* others[max_gpus - 1] = {};
  int num_others = 0;
  unsigned long long min_nanoseconds = 0;  // after which a GPU may interrupt the others
};

struct Search {
  Rule rule;
  Open root;  // if no child is left there is nothing to do
  Control* control = nullptr;
  // Ring buffer of each steal queue: the index of the idle warp that drew the ticket, plus one; zeroed before a search.
  unsigned* requesters = nullptr;
  unsigned requester_capacity = 0;    // of each ring: a power of two, at least the number of warps
  CacheLine* inbox_counts = nullptr;  // for each warp, the number of nodes in its inbox; zeroed before a search
  Chunk* inboxes = nullptr;           // for each warp
  BlockHandOff* hand_offs = nullptr;  // for each warp
  Chunk* spilled = nullptr;
  // Linked lists of spilled and of free chunks: for each chunk the index of the previous one, plus one.
  unsigned* spill_links = nullptr;
  unsigned spill_capacity = 0;  // chunks
  unsigned one = 1;             // see ProductSum
  Round round;                  // of search_round() alone
};

/// Number of warps that search on the current device.
unsigned searching_warps(const Tuning& tuning);
/// Enqueues a whole search as one cooperative launch over all multiprocessors.
void search_stacks(const Search& search, const Tuning& tuning, const core::Stream& stream);
/// The same for a round of a search on several GPUs. Afterwards Round::rest has the Control::rest nodes that are left.
void search_round(const Search& search, const Tuning& tuning, const core::Stream& stream);

/// The lists of the open nodes of all ranks, as this rank addresses them.
struct RankLists {
  List list[max_gpus];
  unsigned count[max_gpus] = {};
  int ranks = 0;
};
/// Copies every `ranks`-th node, from number `rank` on, of all lists one after the other to `to`.
void deal_nodes(const RankLists& from, int rank, const List& to, const core::Stream& stream);

}  // namespace speedwell::uts::device
