// A binary fluid made ready for the harness, and what its runs share.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/binary_fluid/initial.hpp"
#include "speedwell/apps/binary_fluid/problem.hpp"
#include "speedwell/apps/binary_fluid/verify.hpp"
#include "speedwell/harness/application.hpp"

namespace speedwell::binary_fluid {

/// Throw std::invalid_argument where a value cannot be.
Problem problem_of(const harness::Problem& problem);
Beginning beginning_of(const harness::Problem& problem);
Precision precision_of(const harness::Problem& problem);

/// The oracle steps when the first run asks, and then never again.
class Inputs final : public harness::Workload {
 public:
  Inputs(const Problem& problem, const Beginning& beginning, Precision precision)
      : problem_(problem), beginning_(beginning), precision_(precision), begun_(initial(problem, beginning)) {}
  const Problem& problem() const { return problem_; }
  Precision precision() const { return precision_; }
  const State& begun() const { return begun_; }
  core::Verdict judge(const State& got) const;
  /// What the sums of an answer are off by, for the records.
  std::vector<std::pair<std::string, std::string>> figures(const State& got) const;

 private:
  const Expected& known() const;

  Problem problem_;
  Beginning beginning_;
  Precision precision_;
  State begun_;
  mutable std::once_flag asked_;
  mutable std::optional<Expected> expected_;
};

/// An answer as no run leaves it.
void poison(State& answer, const Extents& extents);
std::vector<harness::Output> outputs_of(State& answer, const Inputs& inputs);

}  // namespace speedwell::binary_fluid
