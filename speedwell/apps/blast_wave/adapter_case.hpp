// A blast made ready for the harness, and what its runs share.
#pragma once

#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/blast_wave/problem.hpp"
#include "speedwell/apps/blast_wave/verify.hpp"
#include "speedwell/harness/application.hpp"

namespace speedwell::blast_wave {

/// Throws std::invalid_argument where a value cannot be.
Problem problem_of(const harness::Problem& problem);

/// The oracle solves when the first run asks, and then never again.
class Inputs final : public harness::Workload {
 public:
  explicit Inputs(const Problem& problem) : problem_(problem), begun_(blast(problem)) {}
  const Problem& problem() const { return problem_; }
  const State& begun() const { return begun_; }
  core::Verdict judge(const Answer& got, Iterations iterations) const;

 private:
  Problem problem_;
  State begun_;
  mutable std::once_flag asked_;
  mutable std::optional<Answer> expected_;
};

/// An answer as no run leaves it.
inline void poison(Answer& answer, std::size_t values) {
  answer.state.q.assign(values, std::numeric_limits<double>::quiet_NaN());
  answer.history = {};
}
/// q as a run's output.
inline std::vector<harness::Output> outputs_of(Answer& answer, const Inputs& inputs) {
  const Extents& e = inputs.problem().extents;
  return {
      {.name = "q",
       .type = harness::ElementType::f64,
       .data = answer.state.q.data(),
       .count = answer.state.q.size(),
       .extents = {5, static_cast<std::size_t>(e.nz), static_cast<std::size_t>(e.ny), static_cast<std::size_t>(e.nx)},
       .initial = inputs.begun().q.data()}};
}
/// The two figures of the original that a table of variants needs (Tables 3 and 4 of the article), and the largest norm
/// of b - A dq after a step.
std::vector<std::pair<std::string, std::string>> figures(const Answer& answer);

}  // namespace speedwell::blast_wave
