// A case advanced in time: steps that land on every moment at which something changes or is written, histories, and
// what is needed to stop and go on with the same bits.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "speedwell/apps/incompressible_flow/case_file.hpp"
#include "speedwell/apps/incompressible_flow/statistics.hpp"
#include "speedwell/apps/incompressible_flow/stepper.hpp"

namespace speedwell::incompressible_flow {

/// What happened by the end of a step.
struct Moment {
  double time = 0, dt = 0, cfl = 0;
  std::int64_t step = 0;
  int iterations = 0;             // of the pressure
  std::array<double, 3> force{};  // the step's mean acceleration
  /// |dE/dt + dissipation - production| over the dissipation, of a step that landed on what was asked for (or of which
  /// the statistics before were asked for): NaN of others, of moving walls, and where cubes went.
  double imbalance = std::numeric_limits<double>::quiet_NaN();
};

template <class T>
class Simulation {
 public:
  /// Begins with the case's own flow. Throws as steppers do. A mesh that moves is all cores' from when its cubes are
  /// gone, also on a GPU.
  Simulation(const FlowCase& flow, int threads, bool on_gpu = false);
  Simulation(Simulation&&) noexcept;
  ~Simulation();

  /// Goes on from a flow of this case at any of its times.
  void resume(const State<T>& state);
  /// Takes one step, to `until` at most. False if the flow is then not finite or the pressure was not found; the
  /// message says which. Throws nothing that a flow could cause.
  bool step(double until);
  /// From the next step on the energy's balance is kept of those that land: a reduction more each.
  void watch_balance(bool of_every_step = false);
  const std::string& failure() const;
  const Moment& moment() const;

  /// The problem as it is now: solids are gone after their removal, and a mesh that moves is where it is.
  const Problem& problem() const;
  const Choice& choice() const;
  void get(State<T>& state) const;
  Statistics statistics() const;
  /// Keeps the flow as it is; back() returns to what was kept last.
  void keep();
  void back();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// count times interval to 15 digits, so that a moment that is named in two ways (3 times 0.1, and 0.3) is one.
double moment_of(double count, double interval);

/// "t,step,dt,cfl,…": the columns of a history.
std::string history_header();
/// One line of it, in the C locale with 17 digits.
std::string history_line(const Moment& moment, const Statistics& statistics, double viscosity);

extern template class Simulation<float>;
extern template class Simulation<double>;

}  // namespace speedwell::incompressible_flow
