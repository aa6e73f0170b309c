// The common part of the commands run, compare, ladder and suite: detecting the machine, measuring its ceilings,
// running jobs, collecting records, and the exit status.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "speedwell/cli/options.hpp"
#include "speedwell/harness/application.hpp"
#include "speedwell/harness/experiment.hpp"
#include "speedwell/harness/record.hpp"

namespace speedwell::cli {

/// One problem and the variants to run on it.
struct Job {
  const harness::Application* application = nullptr;
  harness::Problem problem;
  std::vector<const harness::Variant*> variants;
};

/// The jobs of one application that the options select: one for each problem of `size`. `named`: the command names this
/// application (see settings_of()). Throws std::invalid_argument.
std::vector<Job> jobs_of(const harness::Application& application, const RunOptions& options, const std::string& size,
                         bool named);

class Engine {
 public:
  /// Checks the options, detects the machine and creates the output folder; measures nothing. `folder_by_default`: make
  /// a new folder if --output is not given. Throws UsageError or io::OutputError.
  Engine(const RunOptions& options, const Arguments& arguments, const std::string& size, bool folder_by_default);
  ~Engine();

  const machine::Machine& machine() const { return machine_; }
  /// The threads, device (-1: none) and ranks that a performance model may measure with, the same as those of runs.
  harness::Context context() const;

  /// Prints the plan of the jobs (plan.hpp), for --dry-run. `budget` is in seconds.
  void print_plan(const std::vector<Job>& jobs, std::optional<double> budget = std::nullopt) const;

  using Done = std::function<void(std::size_t job, const std::vector<harness::Outcome>& outcomes)>;
  /// Runs the jobs until they are complete or the user stops them, adds their records, and calls `done` for each job
  /// when it is complete. With several rounds, each round makes one pass of each job, so that the passes of a job are
  /// spread over the whole run. A job whose data would leave less than half of the memory free makes all its
  /// remaining passes at once. With --format text this prints no results: the command does. `budget` is in seconds: the
  /// first round is always made, and later ones only if they are expected to end within it.
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
  void measure_ceilings(const std::vector<const harness::Variant*>& variants);
  void show_progress(const std::string& message);
  void print_details(const std::vector<harness::Outcome>& outcomes) const;
  bool output_is_closed() const;
  void write(const harness::Json& document) const;
  void warn_of_load() const;

  const RunOptions& options_;
  Format format_;
  machine::Machine machine_;
  machine::Ceilings ceilings_;
  bool host_measured_ = false, gpu_measured_ = false;
  harness::Measurement measurement_;
  harness::Session session_;
  std::string folder_;
  std::vector<harness::Json> runs_;
  struct Failed {
    int status;
    std::string id, message;
  };
  static Failed failure_in(const harness::Outcome& outcome);
  std::vector<Failed> failures_;               // finish() prints a line on standard error for each
  std::vector<harness::Outcome> named_skips_;  // skipped variants that --variant names in full
  machine::HostLoad host_load_;                // while variants on the host were measured
  int status_ = 0;
  bool progress_ = false, terminal_ = false;
  double last_progress_ = 0;  // now_seconds() of the last output of progress, or of the first call; 0: none
};

}  // namespace speedwell::cli
