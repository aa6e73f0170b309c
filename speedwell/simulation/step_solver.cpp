#include "speedwell/simulation/step_solver.hpp"

#include <algorithm>

#include "speedwell/core/units.hpp"
#include "speedwell/io/atomic_file.hpp"

namespace speedwell::simulation {

std::vector<History> StepSolver::histories() const { return {{"history.csv", history_header_}}; }

std::vector<Output> StepSolver::outputs() {
  const auto append = [this] { io::append_line(folder_.path("history.csv"), history_line()); };
  return {{.schedule = Schedule(static_cast<double>(every_.history)),
           .write = append,
           .at_start = true,
           .at_end = Output::AtEnd::always},
          {.schedule = Schedule(static_cast<double>(every_.fields)),
           .write = [this] { write_fields(); },
           .at_start = every_.fields > 0}};
}

int StepSolver::steps_until(double until, std::int64_t max_steps) const {
  return static_cast<int>(std::min(static_cast<std::int64_t>(until) - step(), max_steps));
}

std::string StepSolver::time_left(double seconds) const {
  if (step() == first_step_) return "?";
  return core::format_clock(static_cast<double>(every_.steps - step()) / steps_per_second(seconds));
}

}  // namespace speedwell::simulation
