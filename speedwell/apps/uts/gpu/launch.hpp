// What the kernels are given, and their functions. Included by CUDA sources alone; gpu_solver.hpp puts the buffers
// around them.
#pragma once

#include <cstdint>

#include "speedwell/apps/uts/tree.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::uts::device {

/// A node with children `next` to next + left - 1 still to be generated: words of its record.
enum Field { state0, state4 = 4, depth, next, left, fields };
struct Open {
  std::uint32_t word[fields];
};

/// What a search ran out of; the host gives more, and it begins anew.
enum class Lack : unsigned {
  nothing,
  rows,    // of the rule's table
  room,    // for nodes in device memory
  depths,  // beyond 32 bits: there is no more
};
/// The sums of a search or of one level, and its lack.
struct Results {
  unsigned long long nodes, leaves, appended;
  unsigned depth, lack;
};

/// Of the nodes at a depth, what ChildRule::Row says, and:
struct alignas(32) Row {
  ChildRule::Row row;
  float per_bit = 0;  // more children for a value whose distance to 2^31 is half as large: about
  float below = 0;    // nodes to be expected in the subtree of one, with itself
};
/// The rule's tables in device memory.
struct Rule {
  const Row* rows = nullptr;
  const std::uint32_t* graded = nullptr;
  unsigned count = 0;
  bool unbounded = false;
};

/// Nodes in device memory, all of a word together: word k of node i at [k * room + i].
struct List {
  std::uint32_t* words = nullptr;
  std::size_t room = 0;
};

/// Generates and counts the children of the first `count` nodes of `from` and appends those that have children to `to`:
/// perhaps more than there is room for, and then the list is of no use.
void search_level(const Rule& rule, const List& from, std::size_t count, const List& to, Results* results,
                  const core::Stream& stream);

/// How many warps search, and when they care for each other.
struct Tuning {
  int warps = 8;            // of a block; there is one block for each multiprocessor
  int poll_every = 2;       // steps from one look for who waits to the next
  int least_children = 48;  // of a stack of which half is given: fewer are little more than one step
  float least_nodes = 64;   // to be expected below what is given
  int first_chunks = 16;    // of memory for a warp's nodes that are put aside: more is taken when it is needed
};

/// A warp's stack in shared memory.
constexpr unsigned stack_room = 256;
/// Nodes that go from or to a stack at once.
constexpr unsigned chunk_nodes = 64;
/// Where warps that wait say so: there are several such places, so that few meet at one.
constexpr unsigned desks = 64;

/// Nodes that one warp leaves to another, or puts aside.
struct Chunk {
  std::uint32_t word[fields][chunk_nodes];
};
/// Nodes that one warp of a block leaves to another.
struct alignas(128) Note {
  Chunk nodes;
  unsigned count;
};
/// Tickets of a desk: `arrived` warps have waited here, and `served` of them were given nodes. `over`: as
/// Control::over.
struct alignas(128) Desk {
  unsigned arrived, served, over, unused;
};
struct alignas(128) Line {
  unsigned value;
};
/// Cleared before each search. (Each on a line of its own, for many warps read and change them at once.)
struct Control {
  Desk desk[desks];
  Line waiting;  // warps
  Line over;     // whether all shall end
  Line chunks;   // of those put aside, how many are in use or were
  Results results;
};

struct Search {
  Rule rule;
  Open root;  // with no child left: nothing to do
  Control* control = nullptr;
  unsigned* queue = nullptr;  // of each desk: `queue_room` numbers of warps that wait, plus one; cleared before
  unsigned queue_room = 0;    // a power of two, no less than the warps
  Line* mail = nullptr;       // of each warp: how many nodes lie in its `letters`; cleared before
  Chunk* letters = nullptr;   // of each warp
  Note* notes = nullptr;      // of each warp
  Chunk* aside = nullptr;
  unsigned* aside_before = nullptr;  // of each chunk that is put aside, or is free again: the one before, plus one
  unsigned aside_room = 0;
  unsigned one = 1;  // ProductSum's
};

/// How many warps search on this device.
unsigned searching_warps(const Tuning& tuning);
/// Enqueues a whole search, on all multiprocessors at once.
void search_stacks(const Search& search, const Tuning& tuning, const core::Stream& stream);

}  // namespace speedwell::uts::device
