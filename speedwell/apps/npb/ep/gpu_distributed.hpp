// EP on several GPUs, one per rank. Included by CUDA sources only.
//   DistributedGpuSolver solver(ranks, {.m = 28});
//   solver.upload();  Result r = solver.tally();
#pragma once

#include <cstdint>

#include "speedwell/apps/npb/ep/gpu_solver.hpp"
#include "speedwell/comm/communicator.hpp"

namespace speedwell::npb::ep {

/// Each rank computes a contiguous part of the pairs on its GPU with a GpuSolver; one message collects the sums. The
/// functions but exchange_seconds() and local() are collective. An object belongs to the device that is current at its
/// construction; one stream at a time may use it.
class DistributedGpuSolver {
 public:
  /// Throws as GpuSolver. `ranks` must outlive the object.
  DistributedGpuSolver(const comm::Communicator& ranks, const Problem& problem);

  /// As GpuSolver.
  void upload(const core::Stream& stream) { own_.upload(stream); }
  /// Computes the timed region of the benchmark, and waits. The result is the same on every rank: counts are exact, and
  /// the sums of the ranks are added in their order, so that they have the same bits at every call with as many ranks.
  Result tally(const core::Stream& stream);

  /// The pairs of this rank.
  GpuSolver& local() { return own_; }
  /// The time of this rank in messages so far, which includes waiting for ranks whose GPUs end later.
  double exchange_seconds() const { return exchange_seconds_; }

 private:
  const comm::Communicator& ranks_;
  GpuSolver own_;
  double exchange_seconds_ = 0;
};

}  // namespace speedwell::npb::ep
