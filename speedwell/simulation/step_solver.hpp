// Base of solvers that count in steps: their outputs, and resuming with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/io/cell_field.hpp"
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
  /// Counts steps from the present one on, which is the first of the run or that of its checkpoint.
  void count_from_here() { first_step_ = step(); }
  /// The rate of the steps since then, which took `seconds`.
  double steps_per_second(double seconds) const { return static_cast<double>(step() - first_step_) / seconds; }
  /// The time that the other steps will take at this rate, "0:12:34"; "?" before the first one.
  std::string time_left(double seconds) const;

  FieldSeries series_;

 private:
  const RunFolder& folder_;
  const std::map<std::string, std::string>& settings_;
  const std::string device_;
  const StepIntervals every_;
  const std::string history_header_;
  std::int64_t first_step_ = 0;
};

/// The faces between the cells of a box of `extents`, of which each has its coordinate(axis, index).
template <class Extents, class Coordinate>
io::MeshFaces faces_of(const Extents& extents, const Coordinate& coordinate) {
  io::MeshFaces faces;
  for (int d = 0; d < 3; ++d)
    for (std::int64_t i = 0; i <= extents.extent(d); ++i)
      faces[static_cast<std::size_t>(d)].push_back(coordinate(d, i));
  return faces;
}

}  // namespace speedwell::simulation
