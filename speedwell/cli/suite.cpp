// suite: every application on every backend of this machine: one headline problem of each within a budget of time, or
// all problems of a size; a table, the records, the report.
#include "speedwell/session/suite.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <optional>

#include "speedwell/catalogue.hpp"
#include "speedwell/cli/command.hpp"
#include "speedwell/cli/options.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/process/ranks.hpp"
#include "speedwell/session/engine.hpp"
#include "speedwell/session/launch.hpp"

namespace speedwell::cli {

int suite(const Arguments& arguments) {
  CLI::App app(
      "Every application on every backend of this machine: a table, the records and the report. Without --size or "
      "--full: one "
      "headline problem of each application on one core, all cores and the GPU, within the budget.",
      "speedwell suite");
  RunOptions options;
  std::vector<std::string> names;
  std::string budget_text;
  bool full = false;
  app.add_option("APP", names, "only these applications");
  app.add_option(
         "--budget", budget_text,
         "begin no more passes after about this time; every problem gets one (60s; with --size or --full: none)")
      ->type_name("T");
  app.add_flag("--full", full, "all problems of size small, all variants: what --size small does");
  add_run_options(app, options);
  add_ranks_options(app, options);
  if (const auto done = parse(app, arguments)) return *done;
  format_of(options.format);
  const auto applications = catalogue();
  for (const std::string& name : names) harness::find_application(applications, name);
  if (full && !options.size.empty())
    throw UsageError("--full is --size small; --size " + options.size + " is another", "");
  const bool headline = options.size.empty() && !full;
  const std::string size = headline ? "headline" : full ? "small" : options.size;
  const std::optional<double> budget = budget_of(budget_text, headline ? std::optional(default_budget) : std::nullopt);
  if (options.energy && budget)  // energies are measured behind the last pass of a variant, which a budget leaves open
    throw UsageError("--energy: not within a budget of time",
                     "speedwell compare APP --energy, or suite --full --energy");
  session::select_backend(options);
  const auto chosen = session::suite_applications(applications, names, options);
  session::enter_ranks(options, arguments);
  const std::vector<session::Job> jobs = session::suite_jobs(chosen, options, size, headline);
  session::Engine engine(options, arguments, size, true);
  if (options.dry_run) {
    engine.print_plan(jobs, budget);
    return 0;
  }
  const auto all = engine.run_all(jobs, rounds_of(options, harness::passes_of_the_widest_interval), budget);
  if (!process::is_root()) return engine.finish();  // the first rank alone has whole outcomes
  if (engine.format() == Format::text)
    std::cout << session::colored(options, session::suite_text(jobs, all, engine.machine(), headline))
              << (headline ? "\n`speedwell compare APP` shows every variant of an application.\n" : "");
  return engine.finish();
}

}  // namespace speedwell::cli
