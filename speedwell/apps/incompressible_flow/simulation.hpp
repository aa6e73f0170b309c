// Simulation: a case advanced in time, with steps that end at every time at which something changes or is written,
// histories, and the state for resuming with the same bits.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "speedwell/apps/incompressible_flow/cases/case_file.hpp"
#include "speedwell/apps/incompressible_flow/statistics/samples.hpp"
#include "speedwell/apps/incompressible_flow/statistics/statistics.hpp"
#include "speedwell/apps/incompressible_flow/stepper.hpp"

namespace speedwell::incompressible_flow {

/// Record of a step at its end.
struct Moment {
  double time = 0, dt = 0, cfl = 0;
  std::int64_t step = 0;
  int iterations = 0;             // of the pressure solver
  std::array<double, 3> force{};  // mean acceleration of the step
  /// |dE/dt + dissipation - production| over the dissipation, for a step that ended at the requested time (or before
  /// which statistics were requested). NaN for other steps, with moving walls, and when cubes were removed.
  double imbalance = std::numeric_limits<double>::quiet_NaN();
};

/// Creates a stepper; throws as steppers do.
template <class T>
using MakeStepper = std::function<std::unique_ptr<Stepper<T>>(const Problem&, const Options&)>;

template <class T>
class Simulation {
 public:
  /// Starts from the case's initial flow. Throws as steppers do. A moving mesh is advanced on all cores after the
  /// removal of its cubes, also with `on_gpu`.
  Simulation(const FlowCase& flow, int threads, bool on_gpu = false);
  /// The same with steppers of another kind. There is one at a time, and another one after the removal of cubes.
  Simulation(const FlowCase& flow, int threads, MakeStepper<T> make_stepper);
  Simulation(Simulation&&) noexcept;
  ~Simulation();

  /// Resumes from a flow of this case at any of its times.
  void resume(const State<T>& state);
  /// Takes one step, at most to `until`. Returns false if the flow is then not finite or the pressure solver failed;
  /// the message says which. Does not throw for numerical failures.
  bool step(double until);
  /// From the next step on the energy balance is computed for steps that end at a requested time, with one more
  /// reduction each.
  void watch_balance(bool of_every_step = false);
  const std::string& failure() const;
  const Moment& moment() const;

  /// The present problem: without solids after their removal, and with the present mesh.
  const Problem& problem() const;
  const Choice& choice() const;
  void get(State<T>& state) const;
  Statistics statistics() const;
  /// The present flow at points, as sample() of its state.
  std::vector<Sample> samples(std::span<const std::array<double, 3>> points) const;
  /// Keeps the present velocities and their time for steadiness().
  void keep_velocity();
  /// steadiness() of the flow that keep_velocity() kept and the present one. Throws std::logic_error if none was kept,
  /// also for the cubes' removal since then, and std::invalid_argument unless the present one is later.
  double steadiness() const;
  /// Saves the present flow as the one that restore() restores.
  void save();
  void restore();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// count times interval to 15 digits, so that a time that is given in two ways (3 times 0.1, and 0.3) is the same
/// number.
double moment_of(double count, double interval);

/// "t,step,dt,cfl,…": the columns of a history.
std::string history_header();
/// One line of a history, in the C locale with 17 digits.
std::string history_line(const Moment& moment, const Statistics& statistics, double viscosity);

extern template class Simulation<float>;
extern template class Simulation<double>;

}  // namespace speedwell::incompressible_flow
