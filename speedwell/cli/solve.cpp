#include "speedwell/cli/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <ostream>
#include <string_view>

#include "speedwell/cli/errors.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/io/case_keys.hpp"
#include "speedwell/io/escape.hpp"
#include "speedwell/simulation/driver.hpp"
#include "speedwell/simulation/simulation_case.hpp"

namespace speedwell::cli {
namespace {

// A path as one word for a shell.
std::string as_word(const std::string& path) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("/._-+,:@%").find(c) != std::string_view::npos;
  };
  if (!path.empty() && path[0] != '-' && std::all_of(path.begin(), path.end(), plain)) return path;
  std::string word = "'";
  for (const char c : path) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return io::escape(word + "'");
}

// Four lines and more.
void print_plan(const SolveOptions& options, const simulation::RunPlan& plan, std::ostream& out) {
  out << plan.what << "\nsteps:  " << plan.steps << "\ntime:   ";
  if (plan.seconds)
    out << (*plan.seconds < 1 ? "less than a second" : "about " + core::format_clock(*plan.seconds)) << ", ";
  out << plan.measured << "\nmemory: " << core::format_bytes(plan.bytes) << " needed";
  if (std::isfinite(options.available_bytes))
    out << ", " << core::format_bytes(options.available_bytes) << " available";
  double all = 0;
  std::string files;
  for (const simulation::PlannedFiles& f : plan.files) {
    if (!(f.count > 0)) continue;
    all += f.count * f.bytes;
    files += fmt::format("{}{:.10g} {} of {}", files.empty() ? "" : ", ", f.count, f.count == 1 ? f.one : f.many,
                         core::format_bytes(f.bytes));
  }
  out << "\noutput: about " << core::format_bytes(all) << ": " << files << "\n";
}

// Then throws core::Unavailable, on all ranks, for a run that needs more memory than there is.
void plan_solve(const SolveOptions& options, std::ostream& out) {
  const simulation::RunPlan plan = simulation::plan(options);
  double needed = plan.bytes;
  SolveOptions of_first = options;
  if (options.ranks) {
    needed = options.ranks->broadcast(needed);
    of_first.available_bytes = options.ranks->broadcast(options.available_bytes);
  }
  if (!options.ranks || options.ranks->rank() == 0) print_plan(options, plan, out);
  simulation::require_memory(of_first, needed);
}

// Prints how to resume a run that was stopped and saved.
void print_how_to_resume(const SolveOptions& options, const simulation::SimulationEnd& end, std::ostream& err) {
  if (options.quiet || (end.reason != StopReason::interrupted && end.reason != StopReason::time_limit)) return;
  err << fmt::format("speedwell: saved after step {}; continue with: speedwell solve --resume --output {}\n", end.step,
                     as_word(options.folder));
}

void print_message(const simulation::Message& message, bool quiet, std::ostream& err) {
  using Kind = simulation::Message::Kind;
  if (quiet && (message.kind == Kind::status || message.kind == Kind::note)) return;
  const char* kind = message.kind == Kind::note      ? "note: "
                     : message.kind == Kind::warning ? "warning: "
                     : message.kind == Kind::error   ? "error: "
                                                     : "";
  err << "speedwell: " << kind << message.text << "\n";
}

// On a terminal one line that changes.
void print_progress(const simulation::Progress& progress, bool terminal, std::ostream& err) {
  if (terminal)
    err << "\r\033[K" << progress.text << (progress.last ? "\n" : "") << std::flush;
  else
    err << progress.text << "\n";
}

}  // namespace

std::string solve_keys(const std::string& name) {
  if (!name.empty()) {
    const simulation::SolverType* type = simulation::find_solver_type(name);
    if (!type)
      throw UsageError(fmt::format("--keys: unknown solver '{}'; {}", name, simulation::required_solver_types()),
                       "speedwell solve --keys");
    return io::case_template(type->schema());
  }
  std::string all;
  for (const simulation::SolverType& type : simulation::solver_types())
    all += (all.empty() ? "" : "\n") + io::case_template(type.schema());
  return all;
}

void check_ranks(const SolveOptions& options, int ranks) {
  std::error_code error;
  const std::string file = options.file.empty() ? options.folder + "/case.toml" : options.file;
  if (std::filesystem::is_regular_file(file, error)) simulation::require_ranks(options, ranks);
}

StopReason run_solve(const SolveOptions& given, std::ostream& out, std::ostream& err) try {
  SolveOptions options = given;
  options.on_message = [&](const simulation::Message& message) { print_message(message, options.quiet, err); };
  options.progress_interval = options.terminal ? 0.1 : 60;
  if (options.progress)
    options.on_progress = [&](const simulation::Progress& now) { print_progress(now, options.terminal, err); };
  if (options.dry_run) {
    plan_solve(options, out);
    return StopReason::end_reached;
  }
  const simulation::SimulationEnd end = simulation::run(options);
  out << end.summary;
  if (!options.ranks || options.ranks->rank() == 0) print_how_to_resume(options, end, err);
  return end.reason;
} catch (const simulation::FolderNotEmpty& e) {
  throw UsageError(e.what(), "--force writes into it, --resume continues it");
}

}  // namespace speedwell::cli
