// The part of a flow that one rank holds, for the time loop on ranks: on a core, or on a GPU.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

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
  /// On the first rank; of no meaning on others.
  virtual double convection_rate() = 0;
  virtual void save() = 0;
  virtual void restore() = 0;

  // What is known on the first rank.
  virtual double time() const = 0;
  virtual std::array<double, 3> force() const = 0;
  virtual int pressure_iterations() const = 0;
  virtual const incompressible_flow::Choice& choice() const = 0;
};

/// A slab on one core, with the bits of incompressible_flow::Solver. `ranks` must outlive the part. Throws as
/// DistributedSolver, on all ranks.
template <class T>
std::unique_ptr<FlowPart<T>> flow_part_on_core(const comm::Communicator& ranks,
                                               const incompressible_flow::Problem& problem,
                                               const incompressible_flow::Options& options);
/// A slab on the current GPU. The flow differs from that of GpuSolver by rounding, and is bitwise reproducible for a
/// number of ranks and a transport. DistributedGpuSolver computes no convection rate and has one saved flow, that of
/// scatter(): the first rank collects the flow for convection_rate(), once after each step, and holds the saved one.
/// Options::threads are those that the first rank computes with then. `ranks` must outlive the part. Throws
/// core::Unavailable without CUDA, and as DistributedGpuSolver, on all ranks.
template <class T>
std::unique_ptr<FlowPart<T>> flow_part_on_gpu(const comm::Communicator& ranks,
                                              const incompressible_flow::Problem& problem,
                                              const incompressible_flow::Options& options);

/// Why a flow cannot be advanced on several GPUs; nothing if it can. Besides what refuses_on_gpus() names these are
/// moving meshes, whose time DistributedGpuSolver does not take, and kept bulk velocities, whose force it does not
/// return.
std::optional<std::string> refuses_parts_on_gpus(const incompressible_flow::Problem& problem,
                                                 const incompressible_flow::Options& options);

/// The same as Solver::convection_rate() of a state, but for rounding: the largest sum over axes of |velocity| / width,
/// in 1 / time; NaN if a velocity is not finite. `threads` of OpenMP, at least 1.
template <class T>
double convection_rate_of(const incompressible_flow::Problem& problem, const incompressible_flow::State<T>& state,
                          int threads);

}  // namespace speedwell::simulation
