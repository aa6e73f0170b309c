// The number of steps and the output intervals of a solver that counts in steps.
#pragma once

#include <cstdint>

namespace speedwell::simulation {

/// Intervals in steps; 0: never (the history: only at the end).
struct StepIntervals {
  std::int64_t steps = 0, history = 0, fields = 0, checkpoint = 0;
};

/// The intervals of a case file.
template <class Case>
StepIntervals step_intervals(const Case& c) {
  return {c.problem.steps, c.history_every, c.fields_every, c.checkpoint_every};
}

}  // namespace speedwell::simulation
