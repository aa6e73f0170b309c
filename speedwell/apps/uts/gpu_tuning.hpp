// The order and the tuning of a search on a GPU. Does not depend on CUDA.
#pragma once

#include "speedwell/apps/uts/tree.hpp"

namespace speedwell::uts {

/// The order in which a search visits nodes.
enum class Method {
  breadth_first,  // one level of the tree after the other
  depth_first,    // with a stack per warp
};

/// How many warps search depth first, and how they balance their load. Counts do not depend on it.
struct GpuTuning {
  int warps = 8;          // per block; there is one block per multiprocessor
  int poll_interval = 2;  // steps between two polls of a steal queue
  int min_children = 48;  // open children of a stack before it is split: fewer are little more than one step
  float min_nodes = 64;   // expected number of nodes below those that are given away
  int first_chunks = 16;  // initial chunks of spill memory per warp; more is allocated on demand
};

/// GPUs that search a tree together at most: each addresses the memory of all others.
constexpr int max_gpus = 17;

/// The fastest parameters on an H200. A tree that may end at every node has few open nodes at a time, so that the
/// latency of a step matters more than throughput: fewer warps are then faster.
inline GpuTuning best_tuning(const Tree& tree) {
  const bool thin = tree.kind == Kind::binomial || tree.kind == Kind::hybrid;
  return {.warps = thin ? 8 : 20, .poll_interval = 2, .min_children = 48, .min_nodes = 64};
}

}  // namespace speedwell::uts
