// The search of one worker on a CPU: a stack of open nodes, whose children have not all been generated. Work is shared
// by giving away the oldest nodes, which are likely to have the largest subtrees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "speedwell/apps/uts/hashing.hpp"
#include "speedwell/apps/uts/tree.hpp"

namespace speedwell::uts {

/// An open node: its children `next` to next + left - 1 have not been generated yet; left > 0.
struct Open {
  std::uint32_t state[5];
  std::uint32_t next, left;
  std::int64_t depth;
};

class Searcher {
 public:
  /// Keeps references to both.
  explicit Searcher(const ChildRule& rule, const Hasher& hasher = hashers().front());

  /// Counts the root of a tree and pushes it: to be called for one of the workers that search the tree.
  void begin(std::uint32_t seed);
  bool empty() const { return stack_.size() == bottom_; }
  std::size_t size() const { return stack_.size() - bottom_; }
  /// Generates and counts up to Batch::max_size children of the youngest nodes. Throws std::bad_alloc if the stack
  /// cannot grow; the counts are then wrong.
  void step();
  /// Removes every other one of the oldest nodes, at most max_nodes, or half of the children of the only node; returns
  /// nothing if a single child is left. (Not the oldest half: nearly the whole remaining tree may lie below the
  /// oldest.)
  std::vector<Open> give(std::size_t max_nodes);
  /// Inserts nodes that another worker has given.
  void accept(std::span<const Open> nodes);
  /// Counters of the nodes that this worker has generated.
  const Counts& counts() const { return counts_; }

 private:
  void push(const std::uint32_t (&state)[5], std::int64_t depth);

  const ChildRule& rule_;
  const Hasher& hasher_;
  std::vector<Open> stack_;
  std::size_t bottom_ = 0;  // nodes below have been given away
  Counts counts_;
  Batch batch_;
  std::int64_t depths_[Batch::max_size];
};

/// Adds the numbers of nodes and leaves, and takes the maximum of the depths.
void merge(Counts& into, const Counts& counts);

}  // namespace speedwell::uts
