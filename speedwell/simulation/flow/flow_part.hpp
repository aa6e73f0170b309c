// The part of a flow that one rank holds, for the time loop on ranks: on a core, or on a GPU.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "speedwell/apps/incompressible_flow/incompressible_flow.hpp"
#include "speedwell/comm/communicator.hpp"

namespace speedwell::simulation {

/// The functions of incompressible_flow::Stepper for a box that is divided among ranks. All are collective but those
/// that return what is known, and so is the destructor except during an exception. `whole` is read or written on the
/// first rank only, and arguments are the same on all ranks.
template <class T>
class FlowPart {
 public:
  virtual ~FlowPart() = default;
  virtual void set(const incompressible_flow::State<T>* whole) = 0;
  virtual void get(incompressible_flow::State<T>* whole) = 0;
  virtual void set_acceleration(const std::array<double, 3>& acceleration) = 0;
  virtual void set_time(double time) = 0;
  /// Throws core::DeviceError on all ranks or on none.
  virtual void step(double dt) = 0;
  /// The same on every rank.
  virtual double convection_rate() = 0;
  /// The same on every rank: each rank computes the contribution of its slab, and they exchange a few numbers.
  virtual incompressible_flow::Statistics statistics() = 0;
  /// On the first rank, in the order of the cells: each value comes from the rank that has the cell. Elsewhere empty.
  virtual std::vector<T> values(std::span<const incompressible_flow::CellValue> cells) = 0;
  virtual void keep_velocity() = 0;
  /// The same on every rank.
  virtual incompressible_flow::VelocityChange velocity_change() = 0;
  virtual void save() = 0;
  virtual void restore() = 0;

  // What is known on the first rank.
  virtual double time() const = 0;
  virtual std::array<double, 3> force() const = 0;
  virtual int pressure_iterations() const = 0;
  virtual const incompressible_flow::Choice& choice() const = 0;
};

/// A slab on one core, with the bits of incompressible_flow::Solver, also of its statistics. `ranks` must outlive the
/// part. Throws as DistributedSolver, on all ranks.
template <class T>
std::unique_ptr<FlowPart<T>> flow_part_on_core(const comm::Communicator& ranks,
                                               const incompressible_flow::Problem& problem,
                                               const incompressible_flow::Options& options);
/// A slab on the current GPU. The flow differs from that of GpuSolver by rounding, and is bitwise reproducible for a
/// number of ranks and a transport; sums of its statistics, too. The saved flow stays on the GPUs, and only get()
/// collects the flow on the first rank. Options::threads are those of the host that convert a slab for set() and get().
/// `ranks` must outlive the part. Throws core::Unavailable without CUDA, and as DistributedGpuSolver, on all ranks.
template <class T>
std::unique_ptr<FlowPart<T>> flow_part_on_gpu(const comm::Communicator& ranks,
                                              const incompressible_flow::Problem& problem,
                                              const incompressible_flow::Options& options);

}  // namespace speedwell::simulation
