// What a run would take, said by --dry-run: steps, time, memory, files.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "speedwell/cli/solve.hpp"

namespace speedwell::cli {

struct PlannedFiles {
  std::string one, many;        // "file of fields", "files of fields"
  double count = 0, bytes = 0;  // of one
};

struct RunPlan {
  std::string what;               // one line: the mesh and the method
  double bytes = 0;               // of host memory
  std::string steps;              // "100", "about 8400 …"
  std::optional<double> seconds;  // of all steps
  std::string measured;           // how `seconds` was found, or why it was not
  std::vector<PlannedFiles> files;
};

/// Throws core::Unavailable for a run that needs more memory than there is.
void require_memory(const SolveOptions& options, double bytes);

/// Four lines and more to `out`, and then as require_memory().
void print_plan(const SolveOptions& options, const RunPlan& plan, std::ostream& out);

/// Whether a dry run may take steps to see how long they are: the memory is there, and little enough to be filled in
/// seconds.
bool may_measure(const SolveOptions& options, double bytes);
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

/// Fields, checkpoints and history of a solver that counts in steps, with the bytes of each of the first two.
struct FilesBySteps {
  std::int64_t steps, history_every, fields_every, checkpoint_every;
  double of_fields, of_checkpoint;
};
std::vector<PlannedFiles> files_of(const FilesBySteps& files);

/// "3 CPU threads" or "a GPU".
std::string device_name(const SolveOptions& options, bool on_gpu);

/// Of multiples of an interval from 0 to an end, 0 included; none without an interval.
double count_of(double interval, double end);

}  // namespace speedwell::cli
