// The workload of binary_fluid for the harness: a fluid and its initial state, and the oracle's answer when it is first
// needed.
#pragma once

#include <vector>

#include "speedwell/apps/binary_fluid/initial.hpp"
#include "speedwell/apps/binary_fluid/problem.hpp"
#include "speedwell/apps/binary_fluid/verify/verify.hpp"
#include "speedwell/core/lazy.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::binary_fluid {

/// Throw std::invalid_argument for impossible values.
Problem problem_of(const harness::Problem& problem);
Beginning beginning_of(const harness::Problem& problem);
Precision precision_of(const harness::Problem& problem);

class FluidWorkload final : public harness::Workload {
 public:
  using Answer = State;

  /// Without `has_state`: the workload of a rank other than the first, which has neither initial state nor oracle.
  FluidWorkload(const Problem& problem, const Beginning& beginning, Precision precision, bool has_state = true)
      : problem_(problem),
        beginning_(beginning),
        precision_(precision),
        initial_(has_state ? initial(problem, beginning) : State{}) {}
  const Problem& problem() const { return problem_; }
  Precision precision() const { return precision_; }
  const State& initial_state() const { return initial_; }

  /// Without populations: poison() takes their memory, and writes it, outside all timed phases.
  Answer make_answer() const { return {}; }
  void poison(Answer& answer) const;
  std::vector<harness::Output> outputs(Answer& answer) const;
  core::Verdict verify(const Answer& answer) const;
  /// For the records: what the sums of an answer have drifted by.
  harness::Choices drifts(const Answer& answer) const;

 private:
  const Expected& expected_answer() const;

  Problem problem_;
  Beginning beginning_;
  Precision precision_;
  State initial_;
  core::Lazy<Expected> expected_;
};

}  // namespace speedwell::binary_fluid
