// Unbalanced Tree Search: counts the nodes, leaves and levels of an implicitly defined tree, whose nodes are generated
// during the search. See tree.hpp for the trees.
#pragma once

#include <atomic>
#include <cstdint>

#include "speedwell/apps/uts/tree.hpp"

namespace speedwell::uts {

/// Number of nodes counted so far, for progress reports; updated every thousand steps or so.
using ProgressCounter = std::atomic<std::uint64_t>;

/// The functions below throw std::invalid_argument as require_valid() does, and std::bad_alloc if a stack cannot grow.

/// Depth-first search on the calling thread.
Counts search_serially(const Tree& tree, ProgressCounter* progress = nullptr);
/// Depth-first search on `threads` threads (0: the default of OpenMP). A thread without nodes requests some, and a
/// thread that has nodes gives away every other one of its oldest.
Counts search_in_threads(const Tree& tree, int threads, ProgressCounter* progress = nullptr);

}  // namespace speedwell::uts
