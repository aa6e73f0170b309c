// Interface of a time-dependent solver for the driver, with outputs, checkpoints and restarts.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "speedwell/io/checkpoint.hpp"
#include "speedwell/simulation/checkpoint_details.hpp"
#include "speedwell/simulation/schedule.hpp"

namespace speedwell::simulation {

/// An output of a run.
struct Output {
  enum class AtEnd { if_due, if_due_or_converged, always };

  Schedule schedule;
  std::function<void()> write;
  bool at_start = false;    // also of the initial state
  bool every_step = false;  // independent of the schedule
  AtEnd at_end = AtEnd::if_due;
  bool with_checkpoint = false;  // also before every checkpoint of a run that has not diverged
};

/// A text file of lines whose second column is the step. The driver writes its header at the start of a run, and
/// truncates it at the step of the checkpoint when a run is resumed; outputs append the lines.
struct History {
  std::string file;  // relative to the folder of the run
  std::string header;
  bool wanted = true;  // if not, a file of an earlier part of the run is still truncated
};

/// The result of preparing the initial state. If it is not ready, the run ends and nothing is saved: it was stopped or,
/// if the message is not empty, failed.
struct Preparation {
  bool is_ready = true;
  std::string failure;
};

/// All functions may throw exceptions of the solver; the driver does not catch them.
class TimeDependentSolver {
 public:
  virtual ~TimeDependentSolver() = default;

  /// The number of steps since the initial state, and the time, from 0 on, also of a run that was resumed.
  virtual std::int64_t step() const = 0;
  virtual double time() const = 0;
  /// The variable of the output schedule and of the end: the time, or the number of steps for a solver that counts in
  /// steps.
  virtual double position() const { return time(); }
  virtual double end() const = 0;
  /// Whether the run can end early because the state no longer changes.
  virtual bool converged() const { return false; }

  /// Prepares the initial state, where that takes steps of its own; called once before start(). After each step it
  /// passes a line of progress to `go_on`, and ends early if that returns false.
  virtual Preparation prepare(const std::function<bool(const std::string& progress)>& /*go_on*/) { return {}; }
  /// Sets the initial state. Called once, unless load() is called.
  virtual void start() = 0;
  /// Sets the state of a checkpoint; after a std::invalid_argument or io::InputError the previous one is tried.
  virtual void load(const io::Checkpoint& checkpoint, const CheckpointDetails& details) = 0;
  /// The state, whose memory must stay valid until the next call of a function that changes it; further data for load()
  /// are added to `details`.
  virtual std::vector<io::CheckpointField> save(DetailsWriter& details) = 0;
  /// Every setting that the state depends on, by its key, as text. A run can be resumed only if they are equal.
  virtual std::map<std::string, std::string> settings() const = 0;

  /// Takes one or more steps, at most to the position `until`, and exactly there if it is near. Returns false after a
  /// failure; recover() is then called.
  virtual bool advance(double until) = 0;
  /// Restores the last valid state, which is then saved, and returns a message.
  virtual std::string recover() = 0;

  virtual std::vector<History> histories() const = 0;
  /// The outputs, in the order in which they are written. Called once, after the state is set.
  virtual std::vector<Output> outputs() = 0;
  /// The state is saved at these positions and at the end of the run, whatever the reason.
  virtual Schedule checkpoints() const = 0;

  /// A description of device and method, reported at the start of the run unless it is empty.
  virtual std::string description() const { return {}; }
  /// One line of progress after `seconds`.
  virtual std::string progress(double seconds) const = 0;
  /// The results of the run: lines, each with a line break.
  virtual std::string summary() const = 0;
};

}  // namespace speedwell::simulation
