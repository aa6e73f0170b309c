// The workload of blast_wave for the harness: a blast, and the oracle's answer when it is first needed.
#pragma once

#include <limits>
#include <vector>

#include "speedwell/apps/blast_wave/blast_wave.hpp"
#include "speedwell/apps/blast_wave/problem.hpp"
#include "speedwell/apps/blast_wave/verify/verify.hpp"
#include "speedwell/core/lazy.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::blast_wave {

/// Throws std::invalid_argument for impossible values.
Problem problem_of(const harness::Problem& problem);

class BlastWorkload final : public harness::Workload {
 public:
  using Answer = blast_wave::Answer;

  /// `has_inputs`: false on the ranks other than the first, whose initial state is empty.
  explicit BlastWorkload(const Problem& problem, bool has_inputs = true)
      : problem_(problem), initial_(has_inputs ? blast(problem) : State{problem.extents, {}}) {}
  const Problem& problem() const { return problem_; }
  const State& initial_state() const { return initial_; }

  /// Without variables: poison() takes their memory, and writes it, outside all timed phases.
  Answer make_answer() const { return {}; }
  void poison(Answer& answer) const {
    answer.state.q.assign(initial_.q.size(), std::numeric_limits<double>::quiet_NaN());
    answer.history = {};
  }
  std::vector<harness::Output> outputs(Answer& answer) const;
  core::Verdict verify(const Answer& got) const { return verify(got, Iterations::as_the_oracle); }
  core::Verdict verify(const Answer& got, Iterations iterations) const;

 private:
  Problem problem_;
  State initial_;
  core::Lazy<Answer> expected_;
};

/// For the records: the two figures of the original that a table of variants needs (tables 3 and 4 of the article), and
/// the largest norm of b - A dq after a step.
harness::Choices figures(const Answer& answer);
/// These, and the seconds of each part of a step on the host.
harness::Choices figures(const Answer& answer, const CpuSolver::Parts& parts);

}  // namespace speedwell::blast_wave
