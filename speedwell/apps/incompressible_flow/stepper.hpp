// Stepper: advances a flow on all cores or on a GPU, for a simulation.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "speedwell/apps/incompressible_flow/incompressible_flow.hpp"
#include "speedwell/apps/incompressible_flow/statistics/statistics.hpp"
#include "speedwell/apps/incompressible_flow/statistics/steadiness.hpp"

namespace speedwell::incompressible_flow {

template <class T>
class Stepper {
 public:
  virtual ~Stepper() = default;
  virtual void set(const State<T>& state) = 0;
  virtual void get(State<T>& state) = 0;
  /// Sets the acceleration from now on.
  virtual void set_acceleration(const std::array<double, 3>& acceleration) = 0;
  /// Sets the time of the flow, on which a moving mesh depends.
  virtual void set_time(double) {}
  /// The mean acceleration of the last step, including that which kept bulk velocities.
  virtual std::array<double, 3> force() const = 0;
  /// Takes a step. Throws core::DeviceError if conjugate gradients do not converge; the flow is then not usable.
  virtual void step(double dt) = 0;
  /// The same as Solver::convection_rate().
  virtual double convection_rate() = 0;
  virtual Statistics statistics() = 0;
  /// The values of the present flow at cells, as get() gives them, in the order of the cells.
  virtual std::vector<T> values(std::span<const CellValue> cells) = 0;
  /// Keeps the present velocities, until the next call, for velocity_change().
  virtual void keep_velocity() = 0;
  /// How far the velocities are from those that keep_velocity() kept. Throws std::logic_error if none were.
  virtual VelocityChange velocity_change() = 0;
  /// Saves the present flow as the one that restore() restores.
  virtual void save() = 0;
  virtual void restore() = 0;
  virtual int pressure_iterations() const = 0;  // of the last step
  virtual const Choice& choice() const = 0;
};

/// Throw as Solver and GpuSolver do; without CUDA, or a device, on_gpu throws core::Unavailable.
template <class T>
std::unique_ptr<Stepper<T>> stepper_on_cpu(const Problem& problem, const Options& options);
template <class T>
std::unique_ptr<Stepper<T>> stepper_on_gpu(const Problem& problem, const Options& options);
/// Why no GPU is available; nothing if one is.
std::optional<std::string> lacks_gpu();

}  // namespace speedwell::incompressible_flow
