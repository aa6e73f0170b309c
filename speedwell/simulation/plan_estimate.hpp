// Estimation of a run's plan by trial steps and by counting files.
#pragma once

#include <functional>
#include <string>

#include "speedwell/simulation/plan.hpp"
#include "speedwell/simulation/simulation_case.hpp"
#include "speedwell/simulation/step_intervals.hpp"

namespace speedwell::simulation {

/// Whether a plan may take trial steps: the memory is available, and small enough to be initialised in seconds.
bool may_measure(const SimulationOptions& options, double bytes);
constexpr double max_measured_bytes = 2.0 * (1 << 30);

/// The message if it may not.
std::string not_measured();

/// The mean time of trial steps.
struct Pace {
  double seconds = 0;
  int steps = 0;
};
/// Takes a first step, which includes initialisation, and then others for a quarter of a second. Returns the mean of
/// those, or the first if there are no others. `step` returns whether more steps follow.
Pace measure_pace(const std::function<bool()>& step);

/// Sets the plan's time for `steps` steps.
void set_time(const Pace& pace, double steps, const std::string& device, RunPlan& plan);

/// "3 CPU threads", "3 ranks", "a GPU" or "2 GPUs".
std::string device_name(const Device& device);

/// The number of multiples of an interval from 0 to an end, including 0; 0 without an interval.
double count_of(double interval, double end);

/// Data of a plan for a solver that counts in steps.
struct PlannedSteps {
  StepIntervals every;
  double field_bytes, checkpoint_bytes;  // of one file
};
/// The plan of a run with the description `what` that needs `bytes` of memory. `make_solver` returns a function that
/// takes a step; it is called for trial steps. Throws as it does.
RunPlan plan_by_steps(const SimulationOptions& options, const std::string& what, double bytes,
                      const PlannedSteps& planned, const Device& device,
                      const std::function<std::function<void()>()>& make_solver);

}  // namespace speedwell::simulation
