// run, compare and ladder: one application, three ways to look at its variants.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/catalogue.hpp"
#include "speedwell/cli/command.hpp"
#include "speedwell/cli/options.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/harness/tables/table.hpp"
#include "speedwell/session/engine.hpp"
#include "speedwell/session/launch.hpp"
#include "speedwell/session/projection.hpp"

namespace speedwell::cli {
namespace {

using Table = std::string(const std::vector<harness::Outcome>&, const machine::Machine&);

/// The command, which decides which variants run and what is printed.
enum class RunMode { run, ladder, compare };

int run_one(const Arguments& arguments, const std::string& summary, Table* table, RunMode mode) {
  CLI::App app(summary, "speedwell " + arguments.command);
  RunOptions options;
  std::string name;
  app.add_option("APP", name, "the application (speedwell list apps)")->required();
  add_run_options(app, options);
  if (mode == RunMode::ladder)
    add_gpus_options(app, options);
  else
    add_ranks_options(app, options);
  add_trace_option(app, options);
  std::string project;
  if (mode == RunMode::compare)
    app.add_option("--project", project,
                   "also foresee the time on another machine: ranks=N, gpus=N and what its model knows")
        ->type_name("KEY=VALUE,…");
  if (const auto done = parse(app, arguments)) return *done;
  format_of(options.format);
  session::select_backend(options);
  const auto applications = catalogue();
  const harness::Application& application = harness::find_application(applications, name);
  session::require_backend(application, options);
  session::enter_ranks(options, arguments);
  const std::string size = options.size.empty() ? "small" : options.size;
  auto jobs = session::jobs_of(application, options, size, true);
  std::optional<harness::Problem> elsewhere;
  if (!project.empty()) {
    if (format_of(options.format) != Format::text) throw UsageError("--project is printed as text alone", "");
    elsewhere = harness::parse_machine(application, project);
  }
  if (mode == RunMode::ladder) session::keep_ladder_steps(jobs, options);
  session::Engine engine(options, arguments, size, false);
  if (options.dry_run) {
    engine.print_plan(jobs);
    return 0;
  }
  std::vector<harness::Problem> problems;
  for (const session::Job& job : jobs) problems.push_back(job.problem);
  std::string skipped;  // told only where something else has run: otherwise the error says it
  bool ran = false;
  engine.run(jobs, rounds_of(options, 1), [&](std::size_t i, const std::vector<harness::Outcome>& outcomes) {
    std::string text;
    if (std::all_of(outcomes.begin(), outcomes.end(),
                    [](const auto& o) { return o.status == harness::Status::skipped; })) {
      text = harness::short_name(jobs[i].problem, problems) + ": nothing ran\n" + harness::reasons(outcomes) + "\n";
    } else {
      ran = true;
      text = session::colored(options, table(outcomes, engine.machine()));
      if (elsewhere)
        text += session::projection_text(application.projector->project(jobs[i].problem, *elsewhere, engine.context()));
      text += "\n";
    }
    if (engine.format() != Format::text) return;
    skipped += text;
    if (ran) std::cout << std::exchange(skipped, "") << std::flush;
  });
  return engine.finish();
}

}  // namespace

int run(const Arguments& a) {
  return run_one(a, "Runs variants of one application: sets up, executes, verifies, times.", harness::comparison_table,
                 RunMode::run);
}
int compare(const Arguments& a) {
  return run_one(a, "All variants of an application on the same problem, interleaved, with speedups.",
                 harness::comparison_table, RunMode::compare);
}
int ladder(const Arguments& a) {
  return run_one(a, "The GPU steps of an application in order, each with its gain over the step before.",
                 harness::ladder_table, RunMode::ladder);
}

}  // namespace speedwell::cli
