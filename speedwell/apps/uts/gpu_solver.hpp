// GpuSolver: search of a tree on a GPU. It owns the buffers, and enlarges them when a search has run out of one.
//   GpuSolver solver(tree);   // allocates
//   solver.upload(stream);  const Counts counts = solver.run(stream);
// Included by CUDA sources alone.
#pragma once

#include "speedwell/apps/uts/gpu_tuning.hpp"
#include "speedwell/apps/uts/tree.hpp"
#include "speedwell/core/cuda.hpp"
#include "speedwell/core/pimpl.hpp"

namespace speedwell::uts {

/// Counts a tree on one GPU, any number of times; counts are exact, as those of search_in_threads() in uts.hpp.
///
/// Depth first, every warp searches with a stack in shared memory, and a warp without nodes requests some of another
/// (after S. Olivier et al., UTS: An Unbalanced Tree Search Benchmark, LCPC 2006). Breadth first, the nodes of one
/// level of the tree after the other are in a list in device memory.
///
/// An object belongs to the device that is current at its construction, and owns its memory there until it is
/// destroyed. One stream at a time may use it. All functions throw core::DeviceError if CUDA fails.
class GpuSolver {
 public:
  /// Allocates device_bytes() of memory on the current device. Throws std::invalid_argument as require_valid();
  /// core::DeviceError if there is no device, or too little memory.
  GpuSolver(const Tree& tree, Method method, const GpuTuning& tuning);
  /// The same for a tree whose child rule was made before.
  GpuSolver(const Tree& tree, Method method, const GpuTuning& tuning, ChildRule rule);
  /// The same with best_tuning() of the tree.
  explicit GpuSolver(const Tree& tree, Method method = Method::depth_first);

  /// Copies the tables of the child rule to the device, and waits. Must be called once, before the first run().
  void upload(const core::Stream& stream);
  /// Searches the whole tree, waits, and returns its counters, the root included. A search that runs out of memory for
  /// open nodes is repeated with more. Throws core::DeviceError if the device has too little memory for the open nodes,
  /// and std::range_error for depths of 2^32 - 1 and above.
  Counts run(const core::Stream& stream);

  Method method() const;
  const GpuTuning& tuning() const;
  /// Bytes of device memory that the constructor takes. A search that needs more enlarges its buffers.
  double device_bytes() const;
  /// Bytes of device memory for open nodes, after the last search.
  double open_node_bytes() const;

 private:
  class Search;  // gpu/gpu_solver.cu
  core::Pimpl<Search> search_;
};

}  // namespace speedwell::uts
