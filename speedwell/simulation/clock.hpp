// The wall clock of a run: when it stops before its end, and when progress is reported.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "speedwell/simulation/options.hpp"

namespace speedwell::simulation {

class RunClock {
 public:
  /// The run begins now. `options` must outlive it.
  explicit RunClock(const SimulationOptions& options) : options_(options) {}

  /// After a signal, or when the time is over.
  std::optional<StopReason> stop_reason() const;
  /// Reports text(seconds since the run began) once in progress_interval, and for the last time.
  void report_progress(bool last, const std::function<std::string(double)>& text);

 private:
  using Clock = std::chrono::steady_clock;

  const SimulationOptions& options_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point reported_ = begin_;
};

}  // namespace speedwell::simulation
