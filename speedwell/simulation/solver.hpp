// A time-dependent solver as the driver sees it: what it has to be able to do for outputs, checkpoints and restarts.
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

/// Something that is written while a run goes on.
struct Output {
  enum class AtEnd { if_due, if_due_or_converged, always };

  Schedule schedule;
  std::function<void()> write;
  bool at_start = false;    // also of the initial state
  bool every_step = false;  // whatever the schedule
  AtEnd at_end = AtEnd::if_due;
  bool with_checkpoint = false;  // also before every checkpoint of a run that has not diverged
};

/// A text file of lines whose second column is the step. The driver writes its header when a run begins, and cuts it at
/// the step of the checkpoint when one is resumed; outputs append the lines.
struct History {
  std::string file;  // below the folder of the run
  std::string header;
  bool wanted = true;  // if not, a file that an earlier part of the run has left is cut all the same
};

/// All functions may throw what the solver throws; the driver lets it pass.
class TimeDependentSolver {
 public:
  virtual ~TimeDependentSolver() = default;

  /// The number of steps since the initial state, and the time, from 0 on, also of a run that was resumed.
  virtual std::int64_t step() const = 0;
  virtual double time() const = 0;
  /// What outputs are scheduled by, and the end: the time, or the number of steps for a solver that counts in steps.
  virtual double position() const { return time(); }
  virtual double end() const = 0;
  /// The run ends before its end because nothing changes any more.
  virtual bool converged() const { return false; }

  /// Takes the initial state. Called once, or load() instead.
  virtual void start() = 0;
  /// Takes the state of a checkpoint; after a std::invalid_argument or io::InputError the one before is tried.
  virtual void load(const io::Checkpoint& checkpoint, const CheckpointDetails& details) = 0;
  /// The state, whose memory must stay until the next call of a function that changes it; what load() needs besides is
  /// added to `details`.
  virtual std::vector<io::CheckpointField> save(DetailsWriter& details) = 0;
  /// Every setting that the state depends on, by its key, as text: what must be alike for a run to be resumed.
  virtual std::map<std::string, std::string> settings() const = 0;

  /// Takes a step or more, up to the position `until` at most, and exactly there where it is near. False if that
  /// failed: recover() is then called.
  virtual bool advance(double until) = 0;
  /// Returns to the last state known to be good, which is then saved, and says what happened.
  virtual std::string recover() = 0;

  virtual std::vector<History> histories() const = 0;
  /// Written in this order, once the state is there; asked for once.
  virtual std::vector<Output> outputs() = 0;
  /// The state is saved at these positions and when the run ends, for whatever reason.
  virtual Schedule checkpoints() const = 0;

  /// Where and how it computes, said when the run begins; empty: nothing is said.
  virtual std::string description() const { return {}; }
  /// How far the run is, after so many seconds: one line.
  virtual std::string progress(double seconds) const = 0;
  /// What came of the run: lines, each with a line break.
  virtual std::string summary() const = 0;
};

}  // namespace speedwell::simulation
