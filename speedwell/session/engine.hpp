// The common part of the commands run, compare, ladder, suite and crossover: from options to a campaign, its progress
// on the terminal, and its records in the formats and files that the options select.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "speedwell/harness/campaign.hpp"
#include "speedwell/harness/measurement/application.hpp"
#include "speedwell/harness/records/run_log.hpp"
#include "speedwell/process/status_line.hpp"
#include "speedwell/session/options.hpp"

namespace speedwell::session {

using harness::Job;

/// The jobs of one application that the options select: one for each problem of `size`. `named`: the command names this
/// application (see settings_of()). Throws std::invalid_argument.
std::vector<Job> jobs_of(const harness::Application& application, const RunOptions& options, const std::string& size,
                         bool named);

/// Leaves the variants that are steps of the ladder, in their order. Those on several GPUs are a ladder of their own,
/// which is meant on ranks and where --variant selects it. Throws UsageError for a job without steps.
void keep_ladder_steps(std::vector<Job>& jobs, const RunOptions& options);

/// Creates the output folder and returns its path: --output or, if that is not given and `by_default` is true, a new
/// one named after the command and the time, which no other process is given; otherwise an empty path. Throws
/// UsageError if the path is a file, or a folder that is not empty and --force is not given, and io::OutputError if it
/// cannot be created.
std::string make_output_folder(const RunOptions& options, const std::string& command, bool by_default);

class Engine {
 public:
  /// Checks the options, detects the machine and creates the output folder; measures nothing. `folder_by_default`: make
  /// a new folder if --output is not given. Throws UsageError or io::OutputError.
  Engine(const RunOptions& options, const CommandLine& line, const std::string& size, bool folder_by_default);

  const machine::Machine& machine() const { return campaign_.machine(); }
  harness::Context context() const { return campaign_.context(); }

  /// Prints the plan of the jobs, for --dry-run. `budget` is in seconds. Throws core::Unavailable, as a run ends, if
  /// nothing of them can run here.
  void print_plan(const std::vector<Job>& jobs, std::optional<double> budget = std::nullopt);

  using Done = std::function<void(std::size_t job, const std::vector<harness::Outcome>& outcomes)>;
  /// Runs the jobs as Campaign::run() does until they are complete or the user stops them, adds their records, and
  /// calls `done` for each job when it is complete. With --format text this prints no results: the command does.
  void run(const std::vector<Job>& jobs, int rounds, const Done& done, std::optional<double> budget = std::nullopt);

  /// Runs the jobs as run() does and returns the outcomes of each.
  std::vector<std::vector<harness::Outcome>> run_all(const std::vector<Job>& jobs, int rounds,
                                                     std::optional<double> budget);

  /// Writes the outputs that the options select (JSON or CSV to standard output, files, the report) and returns the
  /// exit status.
  int finish();

  Format format() const { return format_; }
  const std::string& folder() const { return folder_; }

 private:
  void add_records(const std::vector<harness::Outcome>& outcomes);
  void show_progress(const std::string& message);
  bool output_is_closed() const;
  void write(const harness::Json& document, const std::string& trace) const;

  const RunOptions& options_;
  Format format_;
  harness::Campaign campaign_;
  std::optional<harness::RunLog> log_;
  std::optional<core::Trace> trace_;
  std::string command_line_;
  std::string folder_;
  bool progress_ = false, terminal_;
  process::StatusLine status_line_;
  double last_progress_ = 0;  // now_seconds() of the last output of progress, or of the first call; 0: none
};

}  // namespace speedwell::session
