// The part of a flow whose distributed solver computes no convection rate and saves no flow: the first rank collects
// the whole flow after each step, computes the rate from it, and holds the saved one.
//
// So a step costs the transfer of 4 numbers a cell to the first rank, whatever the solver takes. A solver that computes
// and saves itself needs no such part: it implements FlowPart, as that on cores does.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "speedwell/core/error.hpp"
#include "speedwell/simulation/flow_part.hpp"

namespace speedwell::simulation {

/// `Solver` has, all collective but the last two,
///   scatter(const State<T>* whole);  gather(State<T>* whole);   // of the present flow; whole on the first rank only
///   step(dt);                                                   // returns after the step; may throw core::DeviceError
///   set_acceleration(const std::array<double, 3>&);  choice();
/// The force of a step is the acceleration, and a pressure solve has no iterations.
template <class T, class Solver>
class CollectingPart final : public FlowPart<T> {
  using State = incompressible_flow::State<T>;

 public:
  /// The first rank computes the convection rate with `threads`. `ranks` must outlive the part.
  CollectingPart(const comm::Communicator& ranks, const incompressible_flow::Problem& problem, int threads,
                 std::unique_ptr<Solver> solver)
      : ranks_(ranks),
        problem_(problem),
        threads_(std::max(1, threads)),
        force_(problem.acceleration),
        solver_(std::move(solver)) {
    if (!is_first()) return;
    now_.emplace(problem.extents());
    saved_.emplace(problem.extents());
  }

  /// Distributes a flow. The solver need not hold it for restore().
  void set(const State* whole) override {
    solver_->scatter(whole);
    if (is_first()) time_ = whole->time;
    collected_ = false;
  }
  /// Copies the collected flow, with its time as set_time() or the steps left it.
  void get(State* whole) override {
    collect();
    if (is_first()) copy(*now_, *whole);
  }
  /// The acceleration of the next steps, which is also their force.
  void set_acceleration(const std::array<double, 3>& acceleration) override {
    solver_->set_acceleration(acceleration);
    force_ = acceleration;
  }
  /// The time that time() returns. The solver's own time is another matter: its flow must not depend on it.
  void set_time(double time) override { time_ = time; }
  /// Takes a step. The ranks agree whether it succeeded, as the time loop goes on after a DeviceError: where the solver
  /// of one rank throws, all ranks do, the others with a message that says so.
  void step(double dt) override {
    std::string failure;
    try {
      solver_->step(dt);
    } catch (const core::DeviceError& e) {
      failure = e.what();
    }
    time_ += dt;
    collected_ = false;
    if (ranks_.reduce(std::int64_t{!failure.empty()}, comm::Reduction::maximum) > 0)
      throw core::DeviceError(failure.empty() ? "another rank failed" : failure);
  }
  /// Collects the flow unless that was done since the last step.
  double convection_rate() override {
    collect();  // on all ranks
    return is_first() ? convection_rate_of(problem_, *now_, threads_) : 0;
  }
  /// Copies the collected flow on the first rank; the others send their parts of it.
  void save() override {
    collect();
    if (is_first()) copy(*now_, *saved_);
  }
  /// Distributes the flow of the last save(), before which there is none to restore.
  void restore() override { set(is_first() ? &*saved_ : nullptr); }

  // What is known without the others.
  double time() const override { return time_; }
  std::array<double, 3> force() const override { return force_; }
  int pressure_iterations() const override { return 0; }
  const incompressible_flow::Choice& choice() const override { return solver_->choice(); }

 private:
  bool is_first() const { return ranks_.rank() == 0; }
  // On the first rank: sets now_ to the present flow. Every rank knows whether it is that already.
  void collect() {
    if (!collected_) solver_->gather(is_first() ? &*now_ : nullptr);
    if (is_first()) now_->time = time_;
    collected_ = true;
  }
  // Into memory that is there: both flows have the same mesh.
  static void copy(const State& from, State& to) {
    for (std::size_t c = 0; c < 3; ++c)
      std::copy(from.velocity[c].begin(), from.velocity[c].end(), to.velocity[c].begin());
    std::copy(from.pressure.begin(), from.pressure.end(), to.pressure.begin());
    to.time = from.time;
    to.step = from.step;
  }

  const comm::Communicator& ranks_;             // of the box, the first of which has whole flows
  const incompressible_flow::Problem problem_;  // whose mesh the rate depends on
  const int threads_;                           // for the convection rate
  std::array<double, 3> force_;                 // of the last step
  double time_ = 0;                             // known on the first rank
  std::optional<State> now_, saved_;            // on the first rank
  bool collected_ = false;                      // whether now_ is the present flow
  std::unique_ptr<Solver> solver_;              // of this rank's slab
};

}  // namespace speedwell::simulation
