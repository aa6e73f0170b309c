// What advances a flow, on all cores or on a GPU, as a simulation sees it.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "speedwell/apps/incompressible_flow/incompressible_flow.hpp"
#include "speedwell/apps/incompressible_flow/statistics.hpp"

namespace speedwell::incompressible_flow {

template <class T>
class Stepper {
 public:
  virtual ~Stepper() = default;
  virtual void set(const State<T>& state) = 0;
  virtual void get(State<T>& state) = 0;
  /// From now on.
  virtual void set_acceleration(const std::array<double, 3>& acceleration) = 0;
  /// The time at which the flow is, which a mesh that moves depends on.
  virtual void set_time(double) {}
  /// The mean acceleration of the last step, with what kept bulk velocities.
  virtual std::array<double, 3> force() const = 0;
  /// Throws core::DeviceError if conjugate gradients do not converge; the flow is then lost.
  virtual void step(double dt) = 0;
  /// As Solver::convection_rate().
  virtual double convection_rate() = 0;
  virtual Statistics statistics() = 0;
  /// Keeps the flow as it is beside, at the next call another; back() returns to it, whatever has become of the flow.
  virtual void keep() = 0;
  virtual void back() = 0;
  virtual int pressure_iterations() const = 0;  // of the last step
  virtual const Choice& choice() const = 0;
};

/// Throw as Solver and GpuSolver do; without CUDA, or a device, on_gpu throws core::Unavailable.
template <class T>
std::unique_ptr<Stepper<T>> stepper_on_cpu(const Problem& problem, const Options& options);
template <class T>
std::unique_ptr<Stepper<T>> stepper_on_gpu(const Problem& problem, const Options& options);
/// Why there is no GPU to step on; nothing where there is one.
std::optional<std::string> lacks_gpu();

}  // namespace speedwell::incompressible_flow
