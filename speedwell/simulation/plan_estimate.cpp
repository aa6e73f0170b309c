#include "speedwell/simulation/plan_estimate.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "speedwell/comm/communicator.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::simulation {

bool may_measure(const SimulationOptions& options, double bytes) {
  return bytes <= options.available_bytes && bytes <= max_measured_bytes;
}

std::string not_measured() {
  return fmt::format("not estimated: steps are tried with at most {} of memory",
                     core::format_bytes(max_measured_bytes));
}

Pace measure_pace(const std::function<bool()>& step) {
  constexpr double enough = 0.25;
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  const auto first = Clock::now();
  if (!step()) return {since(first), 1};
  const auto begin = Clock::now();
  Pace pace;
  bool more = true;
  while (more && pace.seconds < enough) {
    more = step();
    ++pace.steps;
    pace.seconds = since(begin);
  }
  pace.seconds /= pace.steps;
  return pace;
}

void set_time(const Pace& pace, double steps, const std::string& device, RunPlan& plan) {
  plan.seconds = steps * pace.seconds;
  plan.measured = fmt::format("without output, from {} of {} on {} now", core::counted(pace.steps, "step"),
                              core::format_seconds(pace.seconds), device);
}

std::string device_name(const Device& device) {
  if (device.ranks) return core::counted(device.ranks->size(), device.on_gpu ? "GPU" : "rank");
  return device.on_gpu ? "a GPU" : core::counted(device.threads, "CPU thread");
}

double count_of(double interval, double end) { return interval > 0 ? std::floor(end / interval * (1 + 1e-12)) + 1 : 0; }

RunPlan plan_by_steps(const SimulationOptions& options, const std::string& what, double bytes, const PlannedSteps& p,
                      const Device& device, const std::function<std::function<void()>()>& make_solver) {
  constexpr double line_bytes = 250;  // of 15 or 16 numbers
  const auto steps = static_cast<double>(p.every.steps);
  const auto count = [&](std::int64_t every) { return count_of(static_cast<double>(every), steps); };
  const bool several = p.every.checkpoint > 0 && p.every.checkpoint < p.every.steps;
  RunPlan plan;
  plan.what = what;
  plan.bytes = bytes;
  plan.steps = fmt::format("{}", p.every.steps);
  plan.files = {{"file of fields", "files of fields", count(p.every.fields), p.field_bytes},
                {"checkpoint", "checkpoints that stay", several ? 2.0 : 1.0, p.checkpoint_bytes},
                {"line of history", "lines of history", count(p.every.history), line_bytes}};
  if (!may_measure(options, bytes)) {
    plan.measured = not_measured();
    return plan;
  }
  const auto take_step = make_solver();
  std::int64_t left = p.every.steps;
  const auto step = [&] {
    take_step();
    return --left > 0;
  };
  set_time(measure_pace(step), steps, device_name(device), plan);
  return plan;
}

}  // namespace speedwell::simulation
