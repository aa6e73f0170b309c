// DistributedGpuFluid: a binary fluid on several GPUs, one per rank, each with a slab of planes along z. The first rank
// distributes and collects whole states. Included by CUDA sources only.
//   DistributedGpuFluid fluid(ranks, problem, Precision::f64, comm::Transport::peer);
//   fluid.scatter(rank == 0 ? &state : nullptr, stream);  fluid.run(1000, stream);
//   fluid.gather(rank == 0 ? &state : nullptr, stream);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "speedwell/apps/binary_fluid/distributed.hpp"
#include "speedwell/apps/binary_fluid/problem.hpp"
#include "speedwell/apps/binary_fluid/statistics.hpp"
#include "speedwell/apps/binary_fluid/verify/verify.hpp"
#include "speedwell/comm/gpu/transport.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::binary_fluid {

/// The functions are collective but for those that return what is known; all ranks give the same problem, precision and
/// transport. `whole` is read or written on rank 0 only.
///
/// An object belongs to the device that is current at its construction, and owns its memory there until it is
/// destroyed. It has two states, the present one and a saved one, which restore() returns to. One stream at a time may
/// use it. All functions throw core::DeviceError if CUDA, MPI or NCCL fails.
class DistributedGpuFluid {
 public:
  class Lattice;

  /// By the method of GpuSolver that choose() of ladder.hpp returns. Allocates all memory of the steps: gpu_bytes()
  /// over the ranks, and that of two planes more each; the state is undefined. `ranks` must outlive the object. Throws
  /// std::invalid_argument as require_valid(), and if there are more ranks than planes; core::Unavailable if the
  /// transport is missing.
  DistributedGpuFluid(const comm::Communicator& ranks, const Problem& problem, Precision precision,
                      comm::Transport transport);
  DistributedGpuFluid(DistributedGpuFluid&&) noexcept;
  ~DistributedGpuFluid();

  const comm::Decomposition& division() const { return division_; }
  /// Ranks along x, y and z: "1 x 1 x 2".
  std::string division_text() const;

  /// Distributes a state as the present one and the saved one; waits. Throws std::invalid_argument on all ranks if its
  /// extents are not the problem's.
  void scatter(const State* whole, const core::Stream& stream);
  /// Enqueues `steps` time steps. What a slab reads of its neighbours travels while planes that do not read it are
  /// computed, and the others are computed beside these, as soon as it is there. The host waits with Transport::staged
  /// and gpu_aware only. The populations have the bits of GpuSolver, for any number of ranks and however the steps are
  /// divided among calls.
  void run(int steps, const core::Stream& stream);
  /// The same without overlap: each exchange is complete before the first plane is computed.
  void exchange_and_run(int steps, const core::Stream& stream);
  /// Enqueues the copy of the present state to the saved one.
  void save(const core::Stream& stream);
  /// Enqueues the copy of the state of scatter() or save() to the present one.
  void restore(const core::Stream& stream);
  /// Waits for the steps and overwrites *whole with the present state.
  void gather(State* whole, const core::Stream& stream);

  /// Statistics of the present state, on every rank: those of the slabs, added in the order of the ranks, so that they
  /// have the same bits at every call with as many ranks on devices of one kind. Waits.
  Statistics statistics(const core::Stream& stream);

  /// All device memory of this rank that run() overwrites, as bytes. What it holds before restore() has no influence.
  std::vector<std::span<std::byte>> device_work();

  /// The time that the stream waited for neighbours after its own work: communication that was not hidden. One exchange
  /// of each kind in eight is measured, and stands for them.
  double exchange_seconds() const;
  /// Bytes that this rank sends to others in a step.
  double sent_bytes() const;
  /// Waits for `stream`. Throws core::DeviceError if a neighbour did not come.
  void check(const core::Stream& stream) const;

 private:
  const comm::Communicator& ranks_;
  Problem problem_;
  comm::Decomposition division_;
  std::unique_ptr<Lattice> lattice_;
  std::int64_t step_ = 0, saved_step_ = 0;
};

}  // namespace speedwell::binary_fluid
