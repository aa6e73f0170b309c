#include "speedwell/session/engine.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <optional>

#include "speedwell/core/error.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/harness/records/csv.hpp"
#include "speedwell/harness/records/record_reader.hpp"
#include "speedwell/harness/records/trace_file.hpp"
#include "speedwell/harness/tables/npb_block.hpp"
#include "speedwell/harness/tables/table.hpp"
#include "speedwell/io/atomic_file.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/machine/host/binding.hpp"
#include "speedwell/process/failure.hpp"
#include "speedwell/process/python.hpp"
#include "speedwell/process/ranks.hpp"
#include "speedwell/process/signals.hpp"
#include "speedwell/process/status_line.hpp"

namespace speedwell::session {
namespace {

namespace fs = std::filesystem;

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool uses_mpi(const harness::Variant& v) { return harness::uses_ranks(v.backend); }

// Throws UsageError if there are several ranks and a variant does not use MPI: each rank would repeat the same run. MPI
// is initialised, even for a single rank, if --variant selects a variant that uses it.
void require_ranks(const harness::Application& application, const std::vector<const harness::Variant*>& variants,
                   const RunOptions& options) {
  const auto other = std::find_if_not(variants.begin(), variants.end(), [](const auto* v) { return uses_mpi(*v); });
  if (process::rank_count() > 1 && other != variants.end()) {
    const auto& all = application.variants;
    const auto first = std::find_if(all.begin(), all.end(), uses_mpi);
    throw process::UsageError(
        fmt::format("{} ranks, and {} {} does not use MPI", process::rank_count(), application.name, (*other)->name),
        first != all.end() ? fmt::format("--variant '{}*' selects variants that use MPI; start others without mpirun",
                                         harness::to_string(first->backend))
                           : "start it without mpirun");
  }
  if (!options.variants.empty() &&
      std::any_of(variants.begin(), variants.end(), [](const auto* v) { return uses_mpi(*v) && v->make; }))
    process::begin_ranks();
}

// Returns the campaign of the options. A launcher may have bound each rank to one core; the machine of the run has the
// cores of all ranks.
harness::Campaign campaign_of(const RunOptions& options, const std::string& size) {
  if (!options.json.empty() && options.json == options.csv)
    throw process::UsageError("--json and --csv name the same file, " + options.json, "");
  for (const std::string& records : {options.json, options.csv})
    if (!options.trace.empty() && options.trace == records)
      throw process::UsageError("--trace names a file of records, " + records, "");
  wanted("--progress", options.progress, true);  // throws for another word
  const machine::Machine machine = machine::detect();
  harness::Measurement measurement = measurement_of(options, size, machine);
  measurement.share_devices = options.oversubscribe;
  return {process::ranks() ? machine::detect(process::cpus_of_ranks()) : machine, std::move(measurement),
          process::ranks()};
}

// Creates a folder that is named after the command and the time. The jobs of a batch system may begin in one folder in
// the same second: only the process that has created a folder may use it, and the others take another name.
std::string new_output_folder(const std::string& command) {
  const std::string parent = "speedwell-output";
  std::string stamp = harness::utc_now();
  std::erase_if(stamp, [](char c) { return c == '-' || c == ':'; });
  const std::string base = parent + "/" + command + "-" + stamp;
  std::error_code error;
  fs::create_directories(parent, error);
  if (error) throw io::OutputError("output.open", parent, error.message());
  for (int i = 1;; ++i) {
    const std::string folder = i == 1 ? base : fmt::format("{}-{}", base, i);
    if (fs::create_directory(folder, error)) return folder;
    if (error && error != std::errc::file_exists) throw io::OutputError("output.open", folder, error.message());
  }
}

}  // namespace

std::string make_output_folder(const RunOptions& options, const std::string& command, bool by_default) {
  const std::string& folder = options.output;
  if (folder.empty()) return by_default ? new_output_folder(command) : std::string();
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder, error))
    throw process::UsageError(fmt::format("--output {}: exists and is not a folder", folder), "");
  if (fs::exists(folder, error) && !fs::is_empty(folder, error) && !options.force)
    throw process::UsageError(fmt::format("--output {}: the folder is not empty", folder), "--force writes into it");
  fs::create_directories(folder, error);
  if (error) throw io::OutputError("output.open", folder, "the folder could not be made: " + error.message());
  return folder;
}

std::vector<Job> jobs_of(const harness::Application& application, const RunOptions& options, const std::string& size,
                         bool named) {
  const auto variants = harness::select_variants(application, options.variants);
  require_ranks(application, variants, options);
  if (format_of(options.format) == Format::npb && !application.npb_title)
    throw process::UsageError("--format npb: " + application.name + " is not one of the NAS Parallel Benchmarks", "");
  const auto settings = settings_of(options, application, named);
  std::vector<Job> jobs;
  for (harness::Problem& p :
       harness::swept_problems(application, harness::find_size(application, size), settings, seed_of(options))) {
    application.work(p);  // throws for an invalid combination of values, before anything runs
    auto of_problem = harness::variants_of(p, variants, options.variants);
    jobs.push_back({&application, std::move(p), std::move(of_problem)});
  }
  return jobs;
}

void keep_ladder_steps(std::vector<Job>& jobs, const RunOptions& options) {
  const bool on_gpus = process::rank_count() > 1 || !options.variants.empty();
  for (Job& job : jobs) {
    std::erase_if(job.variants, [&](const harness::Variant* v) {
      return (v->role != harness::Role::step && v->role != harness::Role::best) ||
             (v->backend == harness::Backend::multi && !on_gpus);
    });
    if (job.variants.empty())
      throw process::UsageError(job.application->name + " has no steps among these variants",
                                "speedwell list variants " + job.application->name);
  }
}

Engine::Engine(const RunOptions& options, const CommandLine& line, const std::string& size, bool folder_by_default)
    : options_(options),
      format_(format_of(options.format)),
      campaign_(campaign_of(options, size)),
      command_line_(line.command_line),
      terminal_(isatty(STDERR_FILENO) != 0),
      status_line_(std::cerr, terminal_, "speedwell: ") {
  if (options.dry_run && (format_ == Format::json || format_ == Format::csv))
    throw process::UsageError("--dry-run: the plan is printed as text alone, not as " + options.format, "");
  progress_ = wanted("--progress", options.progress, options.quiet == 0);
  if (options.verbose > 0 && process::ranks()) std::cerr << process::placement_text();
  const harness::Measurement& measurement = campaign_.measurement();
  if (!process::ranks()) machine::bind_team(measurement.threads);
  if (!options.dry_run)
    process::on_first_rank([&] {  // files that cannot be written are an error before anything is measured
      for (const auto& [option, file] :
           {std::pair{"--json", options.json}, {"--csv", options.csv}, {"--trace", options.trace}})
        if (!file.empty()) require_output(option, file);
      folder_ = make_output_folder(options, line.command, folder_by_default);
      if (folder_.empty()) return;
      for (const char* name : {"/records.jsonl", "/report.html"}) io::require_writable(folder_ + name);
    });
  if (!options.trace.empty()) trace_.emplace();
  log_.emplace(harness::Session{line.command_line, harness::utc_now(), measurement.order_seed}, options.variants,
               folder_);
}

// Prints progress on standard error: on a terminal at most ten times a second, elsewhere a line at most once a minute.
void Engine::show_progress(const std::string& message) {
  if (!progress_) return;
  const double now = now_seconds();
  if (terminal_) {
    if (now - last_progress_ < 0.1) return;
  } else {
    if (last_progress_ > 0 && now - last_progress_ < 60) return;
    if (last_progress_ == 0 && options_.verbose == 0 && options_.progress != "always") {
      last_progress_ = now;  // no progress in the first minute unless it is asked for
      return;
    }
  }
  status_line_.show(harness::printable(message));
  last_progress_ = now;
}

void Engine::print_plan(const std::vector<Job>& jobs, std::optional<double> budget) {
  const harness::PlanText plan = campaign_.plan_text(jobs, budget);
  std::cout << plan.text << std::flush;
  if (plan.runs == 0) throw core::Unavailable("nothing of this can run here");
}

// Whether results would go to standard output only, and it is closed, as after `| head`.
bool Engine::output_is_closed() const {
  return !std::cout && folder_.empty() && options_.json.empty() && options_.csv.empty();
}

void Engine::run(const std::vector<Job>& jobs, int rounds, const Done& done, std::optional<double> budget) {
  if (process::is_root() && options_.quiet == 0)
    process::stop_notice() = terminal_ ? "\r\x1b[Kspeedwell: stopping after this step; again to stop now\n"
                                       : "speedwell: stopping after this step; again to stop now\n";
  harness::CampaignObserver observer{.stop = &process::stop_requested()};
  observer.is_unwanted = [this] { return output_is_closed(); };
  observer.progress = [this](const std::string& message) { show_progress(message); };
  if (terminal_) observer.progress_width = process::terminal_columns() - 1;
  observer.done = [&](std::size_t i, const std::vector<harness::Outcome>& outcomes) {
    add_records(outcomes);
    done(i, outcomes);
  };
  if (trace_) observer.trace = &*trace_;
  campaign_.run(jobs, rounds, budget, observer);
}

std::vector<std::vector<harness::Outcome>> Engine::run_all(const std::vector<Job>& jobs, int rounds,
                                                           std::optional<double> budget) {
  std::vector<std::vector<harness::Outcome>> all(jobs.size());
  const auto store = [&](std::size_t i, const std::vector<harness::Outcome>& outcomes) { all[i] = outcomes; };
  run(jobs, rounds, store, budget);
  return all;
}

void Engine::add_records(const std::vector<harness::Outcome>& outcomes) {
  log_->add(outcomes, campaign_.machine(), campaign_.ceilings());
  status_line_.erase();
  if (options_.verbose > 0 && process::is_root())
    for (const std::string& line : harness::details(outcomes))
      std::cerr << "speedwell: " << harness::printable(line) << "\n";
  if (format_ == Format::npb)
    process::on_first_rank([&] { std::cout << harness::npb_blocks(outcomes, campaign_.machine()) << std::flush; });
}

int Engine::finish() {
  const harness::RunEnd end = log_->end(campaign_.machine(), campaign_.ceilings(), process::stop_status());
  const auto print_error = [](const std::string& message) {
    std::cerr << "speedwell: error: " << harness::printable(message) << "\n";
  };
  if (!end.unavailable.empty()) print_error(end.unavailable);
  const std::string trace = trace_ ? harness::trace_text(*trace_, process::ranks(), command_line_) : "";
  process::on_first_rank([&] {
    // Once for the whole command; the table also marks each row that was measured under load.
    if (end.busy_percent && options_.quiet == 0)
      std::cerr << fmt::format(
          "speedwell: warning: other processes used {:.0f} % of the processors while this was measured: times of the "
          "host are too long, and speed-ups over them too large\n",
          *end.busy_percent);
    for (const std::string& message : end.errors) print_error(message);
    write(end.document, trace);
  });
  return end.status;
}

void Engine::write(const harness::Json& document, const std::string& trace) const {
  // Files are written first, so that nothing but an error document is on standard output if that fails.
  const std::string text = harness::dump(document) + "\n";
  if (!options_.json.empty()) io::write_file(options_.json, text);
  if (trace_) io::write_file(options_.trace, trace);
  std::string rows;
  if (!options_.csv.empty() || format_ == Format::csv) {
    // The rows are made from the written text, so that they hold what `speedwell report` would read from the file.
    const std::vector<harness::records::Document> written = {
        harness::records::parse_document(text, "this run's records")};
    rows = harness::csv(written);
    if (!options_.csv.empty()) io::write_file(options_.csv, rows);
  }
  if (format_ == Format::json) std::cout << text;
  if (format_ == Format::csv) std::cout << rows;
  if (folder_.empty()) return;
  // A report that cannot be made is not an error, as the records are complete without it.
  const std::string reason = process::python_failure({"report", folder_, "--out", folder_ + "/report.html", "--force"},
                                                     process::Streams::none);
  if (format_ != Format::text) return;
  const std::string folder = harness::printable(folder_);
  std::cout << "records: " << folder << "/records.jsonl\n";
  if (reason.empty())
    std::cout << "report:  " << folder << "/report.html\n";
  else
    std::cout << "report:  not made: " << reason << "; later: speedwell report " << folder << "\n";
}

}  // namespace speedwell::session
