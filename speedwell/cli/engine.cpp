#include "speedwell/cli/engine.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <optional>

#include "speedwell/cli/errors.hpp"
#include "speedwell/cli/plan.hpp"
#include "speedwell/cli/progress_line.hpp"
#include "speedwell/cli/ranks.hpp"
#include "speedwell/cli/reporting.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/harness/csv.hpp"
#include "speedwell/harness/npb_block.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/harness/record_reader.hpp"
#include "speedwell/harness/table.hpp"
#include "speedwell/io/atomic_file.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/machine/binding.hpp"

namespace speedwell::cli {
namespace {

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Creates the output folder and returns its path: --output or, if that is not given and `by_default` is true, a new one
// named after the command and the time; otherwise an empty path. Throws UsageError if the path is a file, or a folder
// that is not empty and --force is not given, and io::OutputError if it cannot be created.
std::string make_output_folder(const RunOptions& options, const std::string& command, bool by_default) {
  namespace fs = std::filesystem;
  std::string folder = options.output;
  if (folder.empty()) {
    if (!by_default) return {};
    std::string stamp = harness::utc_now();
    std::erase_if(stamp, [](char c) { return c == '-' || c == ':'; });
    const std::string base = "speedwell-output/" + command + "-" + stamp;
    folder = base;
    for (int i = 2; fs::exists(folder); ++i) folder = fmt::format("{}-{}", base, i);
  }
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder, error))
    throw UsageError(fmt::format("--output {}: exists and is not a folder", folder), "");
  if (fs::exists(folder, error) && !fs::is_empty(folder, error) && !options.force)
    throw UsageError(fmt::format("--output {}: the folder is not empty", folder), "--force writes into it");
  fs::create_directories(folder, error);
  if (error) throw io::OutputError("output.open", folder, error.message());
  return folder;
}

bool uses_mpi(const harness::Variant& v) { return v.backend == harness::Backend::mpi; }

// Throws UsageError if there are several ranks and a variant does not use MPI: each rank would repeat the same run. MPI
// is initialised, even for a single rank, if --variant selects a variant that uses it.
void require_ranks(const harness::Application& application, const std::vector<const harness::Variant*>& variants,
                   const RunOptions& options) {
  const auto other = std::find_if_not(variants.begin(), variants.end(), [](const auto* v) { return uses_mpi(*v); });
  if (rank_count() > 1 && other != variants.end()) {
    const auto& all = application.variants;
    const bool has_one = std::any_of(all.begin(), all.end(), uses_mpi);
    throw UsageError(
        fmt::format("{} ranks, and {} {} does not use MPI", rank_count(), application.name, (*other)->name),
        has_one ? "--variant 'mpi*' selects variants that use MPI; start others without mpirun"
                : "start it without mpirun");
  }
  if (!options.variants.empty() &&
      std::any_of(variants.begin(), variants.end(), [](const auto* v) { return uses_mpi(*v) && v->make; }))
    begin_ranks();
}

// Whether --variant contains the full name of the variant, as opposed to a pattern that matches it.
bool named_exactly(const RunOptions& options, const harness::Variant& variant) {
  const std::string list = "," + options.variants + ",";
  return list.find("," + variant.name + ",") != std::string::npos;
}

}  // namespace

std::vector<Job> jobs_of(const harness::Application& application, const RunOptions& options, const std::string& size,
                         bool named) {
  const auto variants = harness::select_variants(application, options.variants);
  require_ranks(application, variants, options);
  if (format_of(options.format) == Format::npb && !application.npb_title)
    throw UsageError("--format npb: " + application.name + " is not one of the NAS Parallel Benchmarks", "");
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

// The message is one line and includes the values that the run reports, such as the number of iterations.
Engine::Failed Engine::failure_in(const harness::Outcome& o) {
  std::string values;
  for (const auto& [name, value] : o.choices)
    values += fmt::format("{}{} {}", values.empty() ? " (" : ", ", name, value);
  if (!values.empty()) values += ")";
  const bool wrong = o.status == harness::Status::failed;
  return {wrong ? 1 : o.exit_status, wrong ? "verdict" : o.error_id,
          fmt::format("{} {}: {}{}; problem: {}", o.application->name, o.variant->name, o.reason, values,
                      harness::key_of(o.problem))};
}

Engine::Engine(const RunOptions& options, const Arguments& arguments, const std::string& size, bool folder_by_default)
    : options_(options), format_(format_of(options.format)), machine_(machine::detect()) {
  if (!options.json.empty() && options.json == options.csv)
    throw UsageError("--json and --csv name the same file, " + options.json, "");
  terminal_ = isatty(STDERR_FILENO);
  progress_ = wanted("--progress", options.progress, options.quiet == 0);
  measurement_ = measurement_of(options, size, machine_);
  // A launcher may have bound each rank to one core; the machine of the run has the cores of all ranks.
  if (ranks()) machine_ = machine::detect(cpus_of_ranks());
  if (options.verbose > 0 && ranks()) std::cerr << placement_text();
  if (!ranks()) machine::bind_team(measurement_.threads);
  session_ = {arguments.command_line, harness::utc_now(), measurement_.order_seed};
  if (options.dry_run) return;
  on_first_rank([&] {  // files that cannot be written are an error before anything is measured
    for (const std::string& file : {options.json, options.csv})
      if (!file.empty()) io::require_writable(file);
    folder_ = make_output_folder(options, arguments.command, folder_by_default);
    if (folder_.empty()) return;
    for (const char* name : {"/records.jsonl", "/report.html"}) io::require_writable(folder_ + name);
  });
}

Engine::~Engine() {
  if (progress_ && terminal_ && last_progress_ > 0) std::cerr << "\r\x1b[K";
}

// Prints progress on standard error: on a terminal at most ten times a second, overwriting one line; elsewhere a new
// line at most once a minute.
void Engine::show_progress(const std::string& message) {
  if (!progress_) return;
  const double now = now_seconds();
  if (terminal_) {
    if (now - last_progress_ < 0.1) return;
    std::cerr << "\r\x1b[K" << harness::printable(message) << std::flush;
  } else {
    if (last_progress_ > 0 && now - last_progress_ < 60) return;
    if (last_progress_ == 0 && options_.verbose == 0) {
      last_progress_ = now;  // no progress in the first minute unless -v is given
      return;
    }
    std::cerr << "speedwell: " << harness::printable(message) << "\n";
  }
  last_progress_ = now;
}

harness::Context Engine::context() const {
  const int device = measurement_.devices.empty() ? -1 : measurement_.devices.front();
  return {measurement_.threads, device, measurement_.deterministic, ranks()};
}

void Engine::measure_ceilings(const std::vector<const harness::Variant*>& variants) {
  if (rank_count() > 1) return;  // each rank has its own cores, and the other ranks would disturb the measurement
  const auto uses = [&](bool gpu) {
    return std::any_of(variants.begin(), variants.end(), [&](const harness::Variant* v) {
      return (v->backend == harness::Backend::cuda || v->backend == harness::Backend::nccl) == gpu && v->make;
    });
  };
  if (!host_measured_ && uses(false)) {
    show_progress("measuring the host's ceilings");
    auto host = machine::measure_host(measurement_.threads, machine::Effort::quick);
    ceilings_.entries.insert(ceilings_.entries.end(), host.entries.begin(), host.entries.end());
    host_measured_ = true;
    // A virtual machine may report every hardware thread as a core: derive the cores from the measurement.
    if (const auto sharing = host.find(machine::threads_per_core_name); sharing && *sharing > 1)
      machine_.cpu.cores = std::min(machine_.cpu.cores, std::max(1, static_cast<int>(machine_.cpu.threads / *sharing)));
  }
  if (!gpu_measured_ && uses(true) && !measurement_.devices.empty() && machine_.gpus[0].runnable) {
    show_progress("measuring the GPU's ceilings");
    auto gpu = machine::measure_gpu(measurement_.devices.front(), machine::Effort::quick);
    ceilings_.entries.insert(ceilings_.entries.end(), gpu.entries.begin(), gpu.entries.end());
    gpu_measured_ = true;
  }
}

void Engine::print_plan(const std::vector<Job>& jobs, std::optional<double> budget) const {
  const std::atomic<bool> never{false};
  const harness::ExecutionEnvironment environment{
      .machine = &machine_, .ceilings = &ceilings_, .stop = &never, .progress = {}, .ranks = ranks()};
  std::cout << plan_text(jobs, measurement_, environment, budget);
}

// Whether results would go to standard output only, and it is closed, as after `| head`.
bool Engine::output_is_closed() const {
  return !std::cout && folder_.empty() && options_.json.empty() && options_.csv.empty();
}

void Engine::run(const std::vector<Job>& jobs, int rounds, const Done& done, std::optional<double> budget) {
  measurement_.rounds = rounds;
  measurement_.all_rounds = budget.has_value();
  if (is_root() && options_.quiet == 0)
    stop_notice() = terminal_ ? "\r\x1b[Kspeedwell: stopping after this step; again to stop now\n"
                              : "speedwell: stopping after this step; again to stop now\n";
  const double begin = now_seconds();
  harness::ExecutionEnvironment environment{
      .machine = &machine_, .ceilings = &ceilings_, .stop = &stop_requested(), .ranks = ranks()};
  std::vector<harness::Problem> problems;
  std::vector<double> bounds = {0};  // exclusive scan of the jobs' time bounds, in seconds; the last one is the total
  for (const Job& job : jobs) {
    problems.push_back(job.problem);
    bounds.push_back(bounds.back() + time_bound(job, measurement_, environment).all());
  }
  std::vector<std::optional<harness::Experiment>> experiments(jobs.size());
  int round = 1;
  const auto conclude = [&](std::size_t i) {
    const auto outcomes = experiments[i]->conclude();
    experiments[i].reset();
    add_records(outcomes);
    done(i, outcomes);
  };
  // Whether the data of the job may stay in memory between rounds: on one rank, if half of the memory remains free.
  const auto may_stay_allocated = [&](const Job& job) {
    const auto& footprint = job.application->footprint;
    const double needed = footprint ? footprint(job.problem).host_bytes : 0;
    const auto half = static_cast<double>(machine_.cpu.memory_bytes) / 2;
    return rank_count() == 1 && static_cast<double>(machine::available_host_bytes()) - needed > half;
  };
  const auto show = [&](std::size_t i, const std::string& message) {
    const double elapsed = now_seconds() - begin, all = bounds.back() * rounds;
    const auto left = budget ? std::optional(std::max(0.0, *budget - elapsed))
                             : time_left(bounds.back() * (round - 1) + bounds[i], all, elapsed);
    const std::string count = rounds > 1 ? fmt::format("round {}, {}/{}", round, i + 1, jobs.size())
                                         : fmt::format("{}/{}", i + 1, jobs.size());
    const bool is_bound = !left && !measurement_.repeat;
    show_progress(progress_line(count, message, elapsed, is_bound ? std::optional(std::max(0.0, all - elapsed)) : left,
                                is_bound, terminal_ ? terminal_columns() - 1 : std::string::npos));
  };
  std::optional<double> longest;  // with a budget: seconds of the longest pass that this round may contain
  for (; round <= rounds || budget; ++round) {
    if (budget && round > 1) {
      std::vector<harness::PendingVariant> pending;
      for (const auto& e : experiments)
        if (e)
          for (const harness::PendingVariant& v : e->pending()) pending.push_back(v);
      longest = harness::longest_pass_of_next_round(pending, harness::passes_for_an_interval,
                                                    begin + *budget - now_seconds());
      if (!longest) break;
    }
    for (std::size_t i = 0; i < jobs.size() && !any_rank(stop_requested() || output_is_closed()); ++i) {
      const Job& job = jobs[i];
      if (round > 1 && !experiments[i]) continue;  // the job is complete
      if (round == 1) {
        measure_ceilings(job.variants);
        constexpr std::size_t max_name = 40;  // half of a terminal of 80 columns
        environment.title = shortened(harness::short_name(job.problem, problems), max_name);
        environment.progress = [&show, i](const std::string& message) { show(i, message); };
        experiments[i].emplace(*job.application, job.problem, job.variants, measurement_, environment);
      }
      if (longest)
        experiments[i]->advance_once(*longest);
      else if (round < rounds && may_stay_allocated(job))
        experiments[i]->advance(round);
      else
        experiments[i]->advance();
      if (experiments[i]->done()) conclude(i);
    }
  }
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (experiments[i]) conclude(i);  // jobs that the user or the budget stopped
}

std::vector<std::vector<harness::Outcome>> Engine::run_all(const std::vector<Job>& jobs, int rounds,
                                                           std::optional<double> budget) {
  std::vector<std::vector<harness::Outcome>> all(jobs.size());
  const auto store = [&](std::size_t i, const std::vector<harness::Outcome>& outcomes) { all[i] = outcomes; };
  run(jobs, rounds, store, budget);
  return all;
}

// Prints a line per variant for -v.
void Engine::print_details(const std::vector<harness::Outcome>& outcomes) const {
  for (const harness::Outcome& o : outcomes) {
    if (o.execute.empty()) continue;
    double seconds = 0;
    for (const harness::Sample& s : o.execute) seconds += s.seconds;
    std::string text = fmt::format("{} {}: {} passes, {} samples in {}, {} answers checked", o.application->name,
                                   o.variant->name, harness::pass_count(o.execute), o.execute.size(),
                                   core::format_seconds(seconds), o.checked_executes);
    if (!o.plan.empty()) text += ", first plan " + core::format_seconds(o.plan.front());
    for (const auto& [name, value] : o.choices) text += fmt::format(", {} {}", name, value);
    std::cerr << "speedwell: " << harness::printable(text) << "\n";
  }
}

void Engine::add_records(const std::vector<harness::Outcome>& outcomes) {
  for (const harness::Outcome& o : outcomes) {
    runs_.push_back(harness::record_of(o, machine_));
    if (o.host_load && o.device != harness::DeviceKind::gpu) host_load_ += *o.host_load;
    if (!folder_.empty()) {
      harness::Json line = harness::document(machine_, ceilings_, session_);
      line["runs"].push_back(runs_.back());
      io::append_line(folder_ + "/records.jsonl", harness::dump(line, -1));
    }
    if (o.status == harness::Status::failed) status_ = 1;
    if (o.status == harness::Status::error && status_ == 0) status_ = o.exit_status;
    if (o.status == harness::Status::failed || o.status == harness::Status::error) failures_.push_back(failure_in(o));
    if (o.status == harness::Status::skipped && named_exactly(options_, *o.variant)) named_skips_.push_back(o);
  }
  if (progress_ && terminal_) std::cerr << "\r\x1b[K" << std::flush;
  if (options_.verbose > 0 && is_root()) print_details(outcomes);
  if (format_ == Format::npb)
    on_first_rank([&] { std::cout << harness::npb_blocks(outcomes, machine_) << std::flush; });
}

// Warns once for the whole command; the table also marks each row that was measured under load.
void Engine::warn_of_load() const {
  if (options_.quiet > 0 || !machine::is_busy(host_load_)) return;
  const double percent = 100 * (host_load_.others + host_load_.steal);
  std::cerr << fmt::format(
      "speedwell: warning: other processes used {:.0f} % of the processors while this was measured: times of the host "
      "are too long, and speed-ups over them too large\n",
      percent);
}

int Engine::finish() {
  harness::Json document = harness::document(machine_, ceilings_, session_);
  for (const auto& r : runs_) document["runs"].push_back(r);
  // A variant that does not support some problems of a family is skipped there with a reason. That is an error only if
  // it ran on no other problem.
  std::erase_if(named_skips_, [&](const harness::Outcome& skipped) {
    return std::any_of(runs_.begin(), runs_.end(), [&](const harness::Json& r) {
      return r["application"] == skipped.application->name && r["variant"]["name"] == skipped.variant->name &&
             r["status"] != "skipped";
    });
  });
  const bool nothing_ran =
      !runs_.empty() && std::all_of(runs_.begin(), runs_.end(), [](const auto& r) { return r["status"] == "skipped"; });
  if (status_ == 0 && stop_status() == 0 && (!named_skips_.empty() || nothing_ran)) {
    status_ = 4;
    const auto& r = runs_.front();
    const std::string message =
        named_skips_.empty() ? fmt::format("{} {}: {}", r["application"].get<std::string>(),
                                           r["variant"]["name"].get<std::string>(), r["reason"].get<std::string>())
                             : fmt::format("{} {}: {}", named_skips_.front().application->name,
                                           named_skips_.front().variant->name, named_skips_.front().reason);
    std::cerr << "speedwell: error: " << harness::printable(message) << "\n";
    document["error"] = harness::error_document(4, "unavailable", message, "", "", 0, 0)["error"];
  }
  if (stop_status() != 0) status_ = stop_status();
  on_first_rank([&] {
    warn_of_load();
    for (const Failed& f : failures_) {
      std::cerr << "speedwell: error: " << harness::printable(f.message) << "\n";
      if (f.status == status_ && document["error"].is_null())
        document["error"] = harness::error_document(f.status, f.id, f.message, "", "", 0, 0)["error"];
    }
    write(document);
  });
  return status_;
}

void Engine::write(const harness::Json& document) const {
  // Files are written first, so that nothing but an error document is on standard output if that fails.
  const std::string text = harness::dump(document) + "\n";
  if (!options_.json.empty()) io::write_file(options_.json, text);
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
  const std::string reason =
      python_failure({"report", folder_, "--out", folder_ + "/report.html", "--force"}, Streams::none);
  if (format_ != Format::text) return;
  const std::string folder = harness::printable(folder_);
  std::cout << "records: " << folder << "/records.jsonl\n";
  if (reason.empty())
    std::cout << "report:  " << folder << "/report.html\n";
  else
    std::cout << "report:  not made: " << reason << "; later: speedwell report " << folder << "\n";
}

}  // namespace speedwell::cli
