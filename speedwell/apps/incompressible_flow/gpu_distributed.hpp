// DistributedGpuSolver: incompressible flow on several GPUs, one per rank, each with a slab of planes along the axis of
// the tridiagonal systems (Choice::order). For CUDA sources only.
//   DistributedGpuSolver<double> flow(ranks, problem, options, comm::Transport::peer);
//   flow.scatter(rank == 0 ? &state : nullptr, stream);  flow.run(dt, steps, stream);
//   flow.gather(rank == 0 ? &state : nullptr, stream);
//
// Velocities in the neighbouring planes are transferred while the momentum of the planes that do not read them is
// computed, and a plane of the third component while the divergence is. The direct pressure solver transforms the
// planes of a rank there and solves the tridiagonal systems where their rows are: each GPU sends two numbers per
// system. With Transport::peer kernels store all this into the memory of the other GPUs and wait for it themselves, and
// a step is one CUDA graph. Implicit diffusion is solved for by conjugate gradients, whose iterations exchange a plane
// with both neighbours and add two sums over the ranks; the host waits after each.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "speedwell/apps/incompressible_flow/gpu_refusals.hpp"
#include "speedwell/apps/incompressible_flow/incompressible_flow.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/comm/gpu/transport.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::incompressible_flow {

/// The members are collective except those after the comment "known without other ranks"; all ranks give the same
/// problem, options and arguments. `whole` is read or written on rank 0 only. T is float or double; lengths, times and
/// velocities have the units of the problem. Results are bitwise reproducible for a given number of ranks and
/// transport, and differ from those of GpuSolver by rounding. An object belongs to the device that is current at its
/// construction; one stream at a time may use it.
template <class T>
class DistributedGpuSolver {
 public:
  /// Allocates all memory. Throws std::invalid_argument for a problem or options that are not valid or that
  /// refuses_on_gpus() names, and for more ranks than planes; core::Unavailable, on all ranks, if a device has too
  /// little free memory, and if the transport is missing. `ranks` must outlive the object.
  DistributedGpuSolver(const comm::Communicator& ranks, const Problem& problem, const Options& options,
                       comm::Transport transport);
  DistributedGpuSolver(DistributedGpuSolver&&) noexcept;
  ~DistributedGpuSolver();

  /// Distributes a flow, its time and its step, as the present flow and the saved one; waits. Throws
  /// std::invalid_argument on all ranks for a state of another mesh.
  void scatter(const State<T>* whole, const core::Stream& stream);
  /// Enqueues a copy of the present flow, its time and its step to the saved one; each GPU keeps its slab. The host
  /// waits with the transports through MPI only.
  void save(const core::Stream& stream);
  /// Enqueues a copy of the saved flow, its time and its step to the present one. The pressure is saved with implicit
  /// diffusion only: else no step depends on that of the step before, and gather() returns that of the last step taken.
  void restore(const core::Stream& stream);
  /// Overwrites *whole with the present flow; waits.
  void gather(State<T>* whole, const core::Stream& stream);

  /// Enqueues `steps` steps of dt. The host waits with the transports through MPI and with implicit diffusion only.
  /// Throws std::invalid_argument unless dt is above 0 and finite. Whether implicit diffusion converged is what
  /// diffusion_iterations() says.
  void run(double dt, int steps, const core::Stream& stream);
  /// Sets the acceleration, along x, y and z, from the next run() on; by default it is the problem's.
  void set_acceleration(const std::array<double, 3>& acceleration);
  /// Sets the time of the flow, on which a moving mesh depends, and enqueues the change of the mesh.
  void set_time(double time, const core::Stream& stream);
  /// The same as GpuSolver::convection_rate(), in 1 / time, for the whole box; every rank gets the same bits, which
  /// depend on the flow only. Waits for the steps. NaN on all ranks if a velocity on any of them is not finite.
  double convection_rate(const core::Stream& stream);
  /// The same as GpuSolver::statistics() of the whole box: each GPU reduces its planes, and the ranks exchange 19
  /// numbers, which are added in the order of the ranks. Every rank gets the same bits, and all ranks wait for the
  /// steps. Maxima are those of one GPU; sums differ by rounding, by at most (the number of cells of a slab + the
  /// number of ranks) times 2^-53 times the sum of the terms' magnitudes.
  Statistics statistics(const core::Stream& stream);
  /// Values at cells as GpuSolver::values(), which ranks send that have the cells; waits. Returned on rank 0 only,
  /// elsewhere empty.
  std::vector<T> values(std::span<const CellValue> cells, const core::Stream& stream);
  /// As GpuSolver::keep_velocity(); each GPU keeps its slab. Throws core::Unavailable on all ranks if a device has too
  /// little memory.
  void keep_velocity(const core::Stream& stream);
  /// As GpuSolver::velocity_change(), of the whole box and with the same bits; on every rank.
  VelocityChange velocity_change(const core::Stream& stream);

  /// Iterations of implicit diffusion since the last call, the same on every rank; waits for the steps. Throws
  /// core::DeviceError, on all ranks, if some did not reach ten roundings of the right-hand side; the flow is then not
  /// usable.
  int diffusion_iterations(const core::Stream& stream);

  // Known without other ranks.
  /// The time of the present flow after all steps that are enqueued.
  double time() const;
  /// The mean acceleration of the last step, along x, y and z: the one that was set, and that which kept bulk
  /// velocities, for which it waits. The same bits on every rank.
  std::array<double, 3> force(const core::Stream& stream) const;
  const Choice& choice() const;
  comm::Transport transport() const;
  /// The division of the box, such as "2 slabs along z".
  std::string division_text() const;
  /// Seconds, since the construction, that this rank waited for exchanges that computation did not hide. One exchange
  /// in eight is measured, and those up to the next count as equal to it. With Transport::peer kernels wait: the mean
  /// over their blocks that wait counts. Waits for the device.
  double exchange_seconds() const;
  /// Waits for `stream`. Throws core::DeviceError if another rank did not take part in an exchange within 20 s.
  void check(const core::Stream& stream) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

extern template class DistributedGpuSolver<float>;
extern template class DistributedGpuSolver<double>;

}  // namespace speedwell::incompressible_flow
