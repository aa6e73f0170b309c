// Part of a tree's search: a stack of nodes whose children are still to be generated. Each worker of every CPU backend
// has one, and gives its oldest nodes, which are likely to have the most below them, to those who have none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "speedwell/apps/uts/hashing.hpp"
#include "speedwell/apps/uts/tree.hpp"

namespace speedwell::uts {

/// A node with children `next` to next + left - 1 still to be generated, left > 0.
struct Open {
  std::uint32_t state[5];
  std::uint32_t next, left;
  std::int64_t depth;
};

class Searcher {
 public:
  /// Both are kept and must outlive it.
  explicit Searcher(const ChildRule& rule, const Hasher& hasher = hashers().front());

  /// The root of a tree, counted: to be called on one of all that search the tree.
  void begin(std::uint32_t seed);
  bool empty() const { return stack_.size() == bottom_; }
  std::size_t size() const { return stack_.size() - bottom_; }
  /// Generates and counts up to Batch::most children of the youngest nodes. Throws std::bad_alloc where the stack
  /// cannot grow: the counts are then wrong.
  void step();
  /// Takes every other of the oldest nodes out, at most so many, or half of one node's children; nothing if there is
  /// one child alone. (Not the oldest half: nearly all that is to be found may lie below the very oldest.)
  std::vector<Open> give(std::size_t most);
  void accept(std::span<const Open> nodes);
  /// Of the nodes that were generated here.
  const Counts& counts() const { return counts_; }

 private:
  void push(const std::uint32_t (&state)[5], std::int64_t depth);

  const ChildRule& rule_;
  const Hasher& hasher_;
  std::vector<Open> stack_;
  std::size_t bottom_ = 0;  // what is below has been given away
  Counts counts_;
  Batch batch_;
  std::int64_t depths_[Batch::most];
};

/// Adds up the nodes and leaves, and takes the larger depth.
void merge(Counts& into, const Counts& counts);

}  // namespace speedwell::uts
