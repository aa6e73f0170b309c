// The workload of incompressible_flow for the harness, in either precision: the problem, the initial flow, and the
// oracle's answer when it is first needed.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "speedwell/apps/incompressible_flow/incompressible_flow.hpp"
#include "speedwell/apps/incompressible_flow/linear_solvers/approximate_pressure.hpp"
#include "speedwell/apps/incompressible_flow/statistics/statistics.hpp"
#include "speedwell/apps/incompressible_flow/verify/reference.hpp"
#include "speedwell/apps/incompressible_flow/verify/verify.hpp"
#include "speedwell/core/lazy.hpp"
#include "speedwell/harness/measurement/precision.hpp"

namespace speedwell::incompressible_flow {

/// The values of the application's parameters.
struct Settings {
  Problem problem;
  std::string flow;
  Options options;
  double cfl = 0.5;
  int steps = 1;
  std::uint64_t seed = 1;
  bool f32 = false;
};
/// Throws std::invalid_argument for values that do not go together.
Settings settings_of(const harness::Problem& problem);
/// The initial flow, which has every Fourier mode and no repetition, at every size.
State<double> initial_flow(const Settings& settings);

template <class T>
class Inputs {
 public:
  using Answer = State<T>;

  /// Without `has_flow`: those of a rank other than the first, which have neither initial flow nor time step nor
  /// oracle.
  explicit Inputs(const Settings& settings, bool has_flow = true) : settings_(settings) {
    if (!has_flow) return;
    initial_ = rounded(initial_flow(settings));
    dt_ = stable_step(settings_.problem, settings_.options.method, settings_.cfl,
                      convection_rate_of(settings_.problem, initial_));
  }

  const Problem& problem() const { return settings_.problem; }
  const Options& options() const { return settings_.options; }
  const State<T>& initial() const { return initial_; }
  double dt() const { return dt_; }
  int steps() const { return settings_.steps; }

  Answer make_answer() const { return State<T>(problem().extents()); }
  std::vector<harness::Output> outputs(Answer& state) const {
    const Extents& e = state.extents;
    std::vector<harness::Output> all;
    const auto add = [&](const char* name, core::HostBuffer<T>& values, const core::HostBuffer<T>& before) {
      all.push_back(
          {.name = name,
           .type = harness::element_type<T>,
           .data = values.data(),
           .count = values.size(),
           .extents = {static_cast<std::size_t>(e.nz), static_cast<std::size_t>(e.ny), static_cast<std::size_t>(e.nx)},
           .initial = before.data()});
    };
    const char* names[] = {"u", "v", "w"};
    for (std::size_t c = 0; c < 3; ++c) add(names[c], state.velocity[c], initial_.velocity[c]);
    add("p", state.pressure, initial_.pressure);
    return all;
  }
  core::Verdict verify(const Answer& got) const { return verify(got, true); }
  /// The oracle begins with the initial flow in T, as all variants do. mode_in_f64: see Steps.
  core::Verdict verify(const Answer& got, bool mode_in_f64) const {
    const State<double>& expected = expected_.get([this] {
      State<double> state = exactly(initial_);
      reference::advance(settings_.problem, settings_.options.method, state, dt_, settings_.steps,
                         approximate_pressure(settings_.problem));
      return state;
    });
    return incompressible_flow::verify(
        settings_.problem, expected, got,
        Steps{.count = settings_.steps,
              .direct = settings_.options.pressure == Pressure::direct,
              .dt = dt_,
              .trapezoidal = settings_.options.method.diffusion == Diffusion::trapezoidal,
              .mode_in_f64 = mode_in_f64});
  }

 private:
  template <class From, class To>
  static void copy_flow(const State<From>& from, State<To>& to) {
    const auto cells = static_cast<std::int64_t>(from.pressure.size());
    for (std::size_t c = 0; c < 3; ++c)
#pragma omp parallel for
      for (std::int64_t n = 0; n < cells; ++n) to.velocity[c][n] = static_cast<To>(from.velocity[c][n]);
  }
  static State<T> rounded(const State<double>& state) {
    State<T> to(state.extents);
    copy_flow(state, to);
    return to;
  }
  static State<double> exactly(const State<T>& state) {
    State<double> to(state.extents);
    copy_flow(state, to);
    return to;
  }

  Settings settings_;
  State<T> initial_;
  double dt_ = 0;
  core::Lazy<State<double>> expected_;
};

using FlowWorkload = harness::PrecisionWorkload<Inputs>;

}  // namespace speedwell::incompressible_flow
