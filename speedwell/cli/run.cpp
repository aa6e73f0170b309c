// run, compare and ladder: one application, three ways to look at its variants.
#include <iostream>

#include "speedwell/catalogue.hpp"
#include "speedwell/cli/command.hpp"
#include "speedwell/cli/engine.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/harness/table.hpp"

namespace speedwell::cli {
namespace {

using Table = std::string(const std::vector<harness::Outcome>&, const machine::Machine&);

// The variants that are steps of the ladder, in their order.
void keep_steps(Job& job) {
  std::erase_if(job.variants, [](const harness::Variant* v) {
    return v->role != harness::Role::step && v->role != harness::Role::best;
  });
}

int run_one(const Arguments& arguments, const std::string& summary, Table* table, bool steps_only) {
  CLI::App app(summary, "speedwell " + arguments.command);
  RunOptions options;
  std::string name;
  app.add_option("APP", name, "the application (speedwell list apps)")->required();
  add_run_options(app, options);
  if (const auto done = parse(app, arguments)) return *done;
  format_of(options.format);
  const auto applications = catalogue();
  const harness::Application& application = harness::find_application(applications, name);
  const std::string size = options.size.empty() ? "small" : options.size;
  auto jobs = jobs_of(application, options, size, true);
  if (steps_only)
    for (Job& job : jobs) {
      keep_steps(job);
      if (job.variants.empty()) throw UsageError(application.name + " has no steps among these variants", "speedwell list variants " + application.name);
    }
  Engine engine(options, arguments, size, false);
  if (options.dry_run) {
    engine.print_plan(jobs);
    return 0;
  }
  for (std::size_t i = 0; i < jobs.size() && !stop_requested(); ++i) {
    const auto outcomes = engine.run(jobs[i], i, jobs.size());
    if (engine.format() == Format::text) std::cout << table(outcomes, engine.machine()) << std::endl;
  }
  return engine.finish();
}

}  // namespace

int run(const Arguments& a) {
  return run_one(a, "Runs variants of one application: sets up, executes, verifies, times.", harness::comparison_table, false);
}
int compare(const Arguments& a) {
  return run_one(a, "All variants of an application on the same problem, interleaved, with speedups.", harness::comparison_table, false);
}
int ladder(const Arguments& a) {
  return run_one(a, "The GPU steps of an application in order, each with its gain over the step before.", harness::ladder_table, true);
}

}  // namespace speedwell::cli
