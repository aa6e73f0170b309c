// The wall clock of a run, for early stops and progress reports.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "speedwell/simulation/options.hpp"

namespace speedwell::simulation {

class RunClock {
 public:
  /// Starts the clock. `options` must outlive it.
  explicit RunClock(const SimulationOptions& options) : options_(options) {}

  /// The reason to stop, after a signal or at the time limit.
  std::optional<StopReason> stop_reason() const;
  /// Reports text(seconds since the start) once per progress_interval, and always if `last`.
  void report_progress(bool last, const std::function<std::string(double)>& text);

 private:
  using Clock = std::chrono::steady_clock;

  const SimulationOptions& options_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point reported_ = begin_;
};

}  // namespace speedwell::simulation
