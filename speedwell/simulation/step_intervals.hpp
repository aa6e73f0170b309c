// How long a solver that counts in steps runs, and how often it writes.
#pragma once

#include <cstdint>

namespace speedwell::simulation {

/// In steps; 0: never (of history only at the end).
struct StepIntervals {
  std::int64_t steps = 0, history = 0, fields = 0, checkpoint = 0;
};

/// What a case file says.
template <class Case>
StepIntervals step_intervals(const Case& c) {
  return {c.problem.steps, c.history_every, c.fields_every, c.checkpoint_every};
}

}  // namespace speedwell::simulation
