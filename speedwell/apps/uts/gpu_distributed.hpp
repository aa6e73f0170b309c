// The search of a tree on several GPUs, one for each rank. Included by CUDA sources only.
//   DistributedGpuSolver solver(ranks, tree);   // collective, allocates
//   solver.upload(stream);  const Counts counts = solver.run(stream);
#pragma once

#include "speedwell/apps/uts/gpu_tuning.hpp"
#include "speedwell/apps/uts/tree.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/core/cuda.hpp"
#include "speedwell/core/pimpl.hpp"

namespace speedwell::uts {

/// Counts a tree on the GPUs of all ranks, any number of times; counts are exact, as those of GpuSolver.
///
/// A search has rounds. In a round every GPU searches depth first below nodes of its own, until one has none left: that
/// one interrupts the others through their memory, which they can tell at no cost, since their warps look at a word for
/// requests anyway. The nodes that are left are then dealt to all GPUs alike. The first GPU begins with the root.
///
/// All functions are collective. An object belongs to the device that is current at its construction; one stream at a
/// time may use it.
class DistributedGpuSolver {
 public:
  /// `ranks` must outlive the object. Throws std::invalid_argument as require_valid(), and for more than max_gpus
  /// ranks; core::Unavailable if the ranks are on several hosts, or GPUs cannot access each other's memory;
  /// core::DeviceError.
  DistributedGpuSolver(const comm::Communicator& ranks, const Tree& tree, const GpuTuning& tuning);
  /// The same with best_tuning() of the tree.
  DistributedGpuSolver(const comm::Communicator& ranks, const Tree& tree);

  /// Copies the tables of the child rule to the device, and waits. Must be called once, before the first run().
  void upload(const core::Stream& stream);
  /// Searches the whole tree, waits, and returns its counters, the root included, on all ranks. Throws as
  /// GpuSolver::run().
  Counts run(const core::Stream& stream);

  /// Rounds of the last search.
  int rounds() const;
  /// Seconds of all searches so far between rounds, in which ranks tell how many nodes are left and these are dealt.
  double exchange_seconds() const;
  const GpuTuning& tuning() const;
  /// Bytes of device memory for open nodes, after the last search.
  double open_node_bytes() const;

 private:
  class Search;  // gpu/distributed_search.cu
  core::Pimpl<Search> search_;
};

}  // namespace speedwell::uts
