// A flow made ready for the harness, in either precision: the problem, the flow it begins with, and the oracle's
// answer.
#pragma once

#include <mutex>
#include <optional>
#include <utility>

#include "speedwell/apps/incompressible_flow/approximate_pressure.hpp"
#include "speedwell/apps/incompressible_flow/incompressible_flow.hpp"
#include "speedwell/apps/incompressible_flow/reference.hpp"
#include "speedwell/apps/incompressible_flow/verify.hpp"
#include "speedwell/harness/precision.hpp"

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
/// Throws std::invalid_argument where the values do not go together.
Settings settings_of(const harness::Problem& problem);
/// The flow at the beginning: none of its modes is missing and nothing repeats, whatever the size.
State<double> beginning(const Settings& settings);
/// The largest sum over a cell's axes of |velocity| / width.
double convection_rate(const Problem& problem, const State<double>& state);

/// The oracle computes when the first run asks, and then never again.
template <class T>
class Inputs {
 public:
  explicit Inputs(const Settings& settings)
      : settings_(settings), begin_(rounded(incompressible_flow::beginning(settings))) {
    dt_ = stable_step(settings_.problem, settings_.options.method, settings_.cfl,
                      convection_rate(settings_.problem, exactly(begin_)));
  }

  const Problem& problem() const { return settings_.problem; }
  const Options& options() const { return settings_.options; }
  const State<T>& begin() const { return begin_; }
  double dt() const { return dt_; }
  int steps() const { return settings_.steps; }

  /// The oracle begins with what runs begin with. mode_in_f64: see Steps.
  core::Verdict judge(const State<T>& got, bool mode_in_f64 = true) const {
    std::call_once(asked_, [this] {
      expected_.emplace(exactly(begin_));
      reference::advance(settings_.problem, settings_.options.method, *expected_, dt_, settings_.steps,
                         approximate_pressure(settings_.problem));
    });
    return verify(settings_.problem, *expected_, got,
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
  State<T> begin_;
  double dt_ = 0;
  mutable std::once_flag asked_;
  mutable std::optional<State<double>> expected_;
};

using FlowCase = harness::PrecisionCase<Inputs>;

template <template <class> class RunType, class... Args>
harness::Variant::Make make_in_precision(Args... args) {
  return harness::make_in_precision<Inputs, RunType>(args...);
}

/// The flow's fields as a run's outputs. `begin`: the flow that the run begins with.
template <class T>
std::vector<harness::Output> outputs_of(State<T>& state, const State<T>& begin) {
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
  for (std::size_t c = 0; c < 3; ++c) add(names[c], state.velocity[c], begin.velocity[c]);
  add("p", state.pressure, begin.pressure);
  return all;
}

}  // namespace speedwell::incompressible_flow
