// A flow made ready for the harness, in either precision: the problem, the flow it begins with, and the oracle's
// answer.
#pragma once

#include <mutex>
#include <optional>
#include <utility>

#include "speedwell/apps/incompressible_flow/incompressible_flow.hpp"
#include "speedwell/apps/incompressible_flow/reference.hpp"
#include "speedwell/apps/incompressible_flow/verify.hpp"
#include "speedwell/harness/precision.hpp"

namespace speedwell::incompressible_flow {

/// The values of the application's parameters.
struct Settings {
  Problem problem;
  Problem tile;  // what the problem repeats; the problem itself where it repeats nothing
  std::string flow;
  Options options;
  double cfl = 0.5;
  int steps = 1;
  std::uint64_t seed = 1;
  bool f32 = false;
};
/// Throws std::invalid_argument where the values do not go together.
Settings settings_of(const harness::Problem& problem);
/// The flow at the beginning, on the tile.
State<double> beginning(const Settings& settings);

/// The oracle computes when the first run asks, and then never again.
template <class T>
class Inputs {
 public:
  explicit Inputs(const Settings& settings)
      : settings_(settings), tile_(incompressible_flow::beginning(settings)), begin_(settings.problem.extents()) {
    const Extents all = begin_.extents, tile = tile_.extents;
    for (std::size_t c = 0; c < 3; ++c)
#pragma omp parallel for
      for (int k = 0; k < all.nz; ++k)
        for (int j = 0; j < all.ny; ++j)
          for (int i = 0; i < all.nx; ++i)
            begin_.velocity[c][all.at(i, j, k)] =
                static_cast<T>(tile_.velocity[c][tile.at(i % tile.nx, j % tile.ny, k % tile.nz)]);
    Solver<double> solver(settings_.tile, {.method = settings_.options.method, .threads = 1});
    solver.set(tile_);
    dt_ = stable_step(settings_.tile, settings_.options.method, settings_.cfl, solver.convection_rate());
  }

  const Problem& problem() const { return settings_.problem; }
  const Options& options() const { return settings_.options; }
  const State<T>& begin() const { return begin_; }
  double dt() const { return dt_; }
  int steps() const { return settings_.steps; }

  core::Verdict judge(const State<T>& got) const {
    std::call_once(asked_, [this] {
      expected_.emplace(tile_.copy());
      reference::advance(settings_.tile, settings_.options.method, *expected_, dt_, settings_.steps);
    });
    return verify(settings_.problem, *expected_, got, settings_.steps);
  }

 private:
  Settings settings_;
  State<double> tile_;
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

/// The flow's fields as a run's outputs.
template <class T>
std::vector<harness::Output> outputs_of(State<T>& state) {
  std::vector<harness::Output> all;
  const char* names[] = {"u", "v", "w"};
  for (std::size_t c = 0; c < 3; ++c)
    all.push_back({names[c], harness::element_type<T>, state.velocity[c].data(), state.velocity[c].size()});
  all.push_back({"p", harness::element_type<T>, state.pressure.data(), state.pressure.size()});
  return all;
}

}  // namespace speedwell::incompressible_flow
