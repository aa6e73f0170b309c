#include "speedwell/cli/solve.hpp"

#include <fmt/format.h>

#include <optional>
#include <ostream>

#include "speedwell/cli/errors.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/io/cases/case_keys.hpp"
#include "speedwell/io/escape.hpp"
#include "speedwell/machine/host/host_load.hpp"
#include "speedwell/process/child.hpp"
#include "speedwell/process/status_line.hpp"
#include "speedwell/simulation/driver.hpp"
#include "speedwell/simulation/simulation_case.hpp"

namespace speedwell::cli {
namespace {

// Prints where the results are, or how to resume a run that was stopped and saved.
void print_next_step(const SolveOptions& options, const simulation::SimulationEnd& end, std::ostream& err) {
  if (options.quiet) return;
  const std::string folder = io::escape(process::shell_word(options.folder));
  if (end.reason != StopReason::interrupted && end.reason != StopReason::time_limit)
    err << fmt::format("speedwell: results: {}\n", folder);
  else if (!end.saved)
    err << "speedwell: stopped while the initial flow developed; nothing is saved\n";
  else
    err << fmt::format("speedwell: saved after step {}; continue with: speedwell solve --resume --output {}\n",
                       end.step, folder);
}

// Threads that wait for each other lose more than what others take.
void hint_at_other_processes(const SolveOptions& options, const simulation::SimulationEnd& end,
                             const std::optional<machine::HostLoad>& load, std::ostream& err) {
  if (options.quiet || options.threads < 2 || end.on_gpu || !load || !machine::is_busy(*load)) return;
  err << fmt::format(
      "speedwell: note: other processes used {:.0f} % of the processors meanwhile, and {} threads waited for each "
      "other: with fewer (--threads) it may be faster\n",
      100 * (load->others + load->steal), options.threads);
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

StopReason run_solve(const SolveOptions& given, std::ostream& out, std::ostream& err) try {
  SolveOptions options = given;
  process::StatusLine status_line(err, options.terminal);
  options.on_message = [&](const simulation::Message& message) { print_message(message, options.quiet, err); };
  options.progress_interval = options.terminal ? 0.1 : 60;
  if (options.progress)
    options.on_progress = [&](const simulation::Progress& now) {
      status_line.show(now.text);
      if (now.last) status_line.keep();
    };
  const bool is_first = !options.ranks || options.ranks->rank() == 0;
  if (options.dry_run) {
    const simulation::RunPlan plan = simulation::plan(options);
    if (is_first) out << simulation::plan_text(plan, options.available_bytes);
    simulation::require_memory(options, plan);
    return StopReason::end_reached;
  }
  machine::HostLoadMeter meter;
  meter.begin();
  const simulation::SimulationEnd end = simulation::run(options);
  const auto load = meter.end();
  out << end.summary;
  if (is_first) hint_at_other_processes(options, end, load, err);
  if (is_first) print_next_step(options, end, err);
  return end.reason;
} catch (const simulation::FolderNotEmpty& e) {
  throw UsageError(e.what(), "--force writes into it, --resume continues it");
}

}  // namespace speedwell::cli
