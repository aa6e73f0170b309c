// What run, compare, ladder and suite share: the machine and its ceilings, running jobs, keeping records, the status.
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

/// The jobs of one application as the options ask for them. Throws std::invalid_argument.
std::vector<Job> jobs_of(const harness::Application& application, const RunOptions& options, const std::string& size,
                         bool named);

class Engine {
 public:
  /// Checks the options, opens the output folder, looks at the machine. Measures nothing yet. Throws.
  Engine(const RunOptions& options, const Arguments& arguments, const std::string& size, bool folder_by_default);
  ~Engine();

  const machine::Machine& machine() const { return machine_; }
  /// What a model may measure on: as a variant's run, with no device where none may be used.
  harness::Context context() const;

  /// Prints the plan of the jobs (plan.hpp), for --dry-run. With a budget it says that one.
  void print_plan(const std::vector<Job>& jobs, std::optional<double> budget = std::nullopt) const;

  using Done = std::function<void(std::size_t job, const std::vector<harness::Outcome>& outcomes)>;
  /// Runs the jobs until they are done or the user stops them; their records are kept, and `done` is called for each
  /// when it is. In several rounds, each round makes one pass of each job, so that the passes of a figure lie as far
  /// apart as the whole takes. A job whose data would leave less than half of the memory free is done in one go. With
  /// --format text nothing is printed: that is the command's. With a budget, in seconds: no round begins that would
  /// probably end after it; the first is always made.
  void run(const std::vector<Job>& jobs, int rounds, const Done& done, std::optional<double> budget = std::nullopt);

  /// The same for what is printed when all are done: the outcomes of every job.
  std::vector<std::vector<harness::Outcome>> run_all(const std::vector<Job>& jobs, int rounds,
                                                     std::optional<double> budget);

  /// Writes what the options ask for (json and csv to standard output, files, the report) and returns the exit status.
  int finish();

  Format format() const { return format_; }
  const std::string& folder() const { return folder_; }

 private:
  void keep(const std::vector<harness::Outcome>& outcomes);
  void measure_ceilings(const std::vector<const harness::Variant*>& variants);
  void say(const std::string& message);
  void tell(const std::vector<harness::Outcome>& outcomes) const;
  bool nobody_listens() const;
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
  std::vector<Failed> failures_;  // a line on standard error for each
  std::vector<harness::Outcome> named_skips_;
  machine::HostLoad host_load_;  // while variants of the processor were measured
  int status_ = 0;
  bool progress_ = false, terminal_ = false;
  double last_said_ = 0;
};

}  // namespace speedwell::cli
