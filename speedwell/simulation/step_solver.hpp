// Base of solvers that count in steps: their outputs, and resuming with them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/simulation/field_series.hpp"
#include "speedwell/simulation/run_folder.hpp"
#include "speedwell/simulation/simulation_case.hpp"
#include "speedwell/simulation/solver.hpp"
#include "speedwell/simulation/step_intervals.hpp"

namespace speedwell::simulation {

/// Writes history.csv, field files in fields/ and flow.pvd or flow.xdmf.
class StepSolver : public TimeDependentSolver {
 public:
  /// `folder` and the case, which has the intervals and settings, must outlive it.
  template <class Case>
  StepSolver(const Case& c, const Device& device, const RunFolder& folder, std::string history_header)
      : series_(folder, "flow"),
        folder_(folder),
        settings_(c.settings),
        device_(device.description),
        every_(step_intervals(c)),
        history_header_(std::move(history_header)) {}

  std::map<std::string, std::string> settings() const override { return settings_; }
  double position() const override { return static_cast<double>(step()); }
  double end() const override { return static_cast<double>(every_.steps); }
  std::vector<History> histories() const override;
  std::vector<Output> outputs() override;
  Schedule checkpoints() const override { return Schedule(static_cast<double>(every_.checkpoint)); }
  std::string description() const override { return "on " + device_; }

 protected:
  /// The line of the history for the present state.
  virtual std::string history_line() const = 0;
  virtual void write_fields() = 0;
  /// The number of steps from the present one to `until`, at most `max_steps`.
  int steps_until(double until, std::int64_t max_steps) const;

  FieldSeries series_;

 private:
  const RunFolder& folder_;
  const std::map<std::string, std::string>& settings_;
  const std::string device_;
  const StepIntervals every_;
  const std::string history_header_;
};

}  // namespace speedwell::simulation
