// How the plan of a run is estimated: by steps that are tried, and files that are counted.
#pragma once

#include <functional>
#include <string>

#include "speedwell/simulation/plan.hpp"
#include "speedwell/simulation/step_intervals.hpp"

namespace speedwell::simulation {

/// Whether a plan may take steps to see how long they are: the memory is there, and little enough to be filled in
/// seconds.
bool may_measure(const SimulationOptions& options, double bytes);
constexpr double max_measured_bytes = 2.0 * (1 << 30);

/// What is said instead.
std::string not_measured();

/// The mean of steps.
struct Pace {
  double seconds = 0;
  int steps = 0;
};
/// Takes a first step, which has to make things ready, then others for a quarter of a second; the mean of those, or of
/// the first where there are no others. `step` returns whether there are more to take.
Pace measure_pace(const std::function<bool()>& step);

/// The plan's time of so many steps.
void set_time(const Pace& pace, double steps, const std::string& device, RunPlan& plan);

/// "3 CPU threads" or "a GPU".
std::string device_name(const SimulationOptions& options, bool on_gpu);

/// Of multiples of an interval from 0 to an end, 0 included; none without an interval.
double count_of(double interval, double end);

/// For a solver that counts in steps.
struct PlannedSteps {
  StepIntervals every;
  double field_bytes, checkpoint_bytes;  // of one file
};
/// Of a run that is described by `what` and needs `bytes` of memory. `make_solver` returns a function that takes a
/// step; it is called where steps are tried. Throws as it does.
RunPlan plan_by_steps(const SimulationOptions& options, const std::string& what, double bytes,
                      const PlannedSteps& planned, bool on_gpu,
                      const std::function<std::function<void()>()>& make_solver);

}  // namespace speedwell::simulation
