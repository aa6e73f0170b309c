// Unbalanced Tree Search: how many nodes, leaves and levels a tree has whose nodes are generated on the way, none of
// them twice and none left out. See tree.hpp for the trees.
#pragma once

#include <atomic>
#include <cstdint>

#include "speedwell/apps/uts/tree.hpp"

namespace speedwell::uts {

/// Nodes counted so far, for somebody who watches: added to now and then.
using SoFar = std::atomic<std::uint64_t>;

/// All that follow throw std::invalid_argument as require_valid() and std::bad_alloc where a stack cannot grow.

/// Depth first, on the calling thread.
Counts search_serially(const Tree& tree, SoFar* so_far = nullptr);
/// Depth first on each of so many threads (0: OpenMP's default); one that has no node left asks for some, and who has
/// nodes gives every other of the oldest.
Counts search_in_threads(const Tree& tree, int threads, SoFar* so_far = nullptr);

}  // namespace speedwell::uts
