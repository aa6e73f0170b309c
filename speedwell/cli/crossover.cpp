// crossover: both devices over the sizes of one problem: from which size on the GPU pays. The program measures and
// prints the times; the Python package says where the curves cross.
#include "speedwell/session/crossover.hpp"

#include <CLI/CLI.hpp>
#include <iostream>

#include "speedwell/catalogue.hpp"
#include "speedwell/cli/command.hpp"
#include "speedwell/cli/options.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/harness/tables/crossover_table.hpp"

namespace speedwell::cli {

int crossover(const Arguments& arguments) {
  CLI::App app(
      "From which problem size on the GPU pays: the processor and the GPU over the sizes of one problem, executing "
      "alone and "
      "end to end; without a GPU, all cores against one.",
      "speedwell crossover");
  RunOptions options;
  std::string name, budget_text;
  app.add_option("APP", name, "the application (speedwell list apps)")->required();
  app.add_option("--budget", budget_text, "begin no more passes after about this time; every size gets one (60s)")
      ->type_name("T");
  add_run_options(app, options);
  if (const auto done = parse(app, arguments)) return *done;
  format_of(options.format);
  const auto applications = catalogue();
  const harness::Application& application = harness::find_application(applications, name);
  if (options.size.empty()) session::require_crossover_sizes(application, applications);
  const std::string size = options.size.empty() ? session::crossover_size : options.size;
  const double budget = budget_of(budget_text, default_budget).value();
  if (options.energy) throw UsageError("--energy: not within a budget of time", "speedwell compare APP --energy");
  if (options.variants.empty()) options.variants = session::crossover_variants(application, options);
  const std::vector<session::Job> jobs = session::crossover_jobs(application, options, size);
  session::Engine engine(options, arguments, size, true);
  if (options.dry_run) {
    engine.print_plan(jobs, budget);
    return 0;
  }
  const auto all = engine.run_all(jobs, rounds_of(options, harness::passes_of_the_widest_interval), budget);
  if (engine.format() == Format::text) {
    std::cout << application.title << " (" << name << "): " << harness::find_size(application, size).summary << "\n"
              << harness::crossover_table(jobs, all, engine.machine()) << "\n"
              << std::flush;
    if (stop_status() == 0) session::print_crossover_analysis(engine, name, std::cout);
  }
  return engine.finish();
}

}  // namespace speedwell::cli
