// suite: every application on every backend of this machine; one table, the records, the report.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "speedwell/catalogue.hpp"
#include "speedwell/cli/command.hpp"
#include "speedwell/cli/engine.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/cli/ranks.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/harness/table.hpp"

namespace speedwell::cli {
namespace {

// The variants that a pattern selects in this application; none if it selects only another's.
bool selects_any(const harness::Application& application, const RunOptions& options) {
  try {
    harness::select_variants(application, options.variants);
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

}  // namespace

int suite(const Arguments& arguments) {
  CLI::App app("Every application on every backend of this machine: one table, the records and the report.", "speedwell suite");
  RunOptions options;
  std::vector<std::string> names;
  app.add_option("APP", names, "only these applications");
  add_run_options(app, options);
  if (const auto done = parse(app, arguments)) return *done;
  format_of(options.format);
  const auto applications = catalogue();
  for (const std::string& name : names) harness::find_application(applications, name);
  for (const std::string& text : options.settings)
    if (const auto dot = text.find('.'); dot < text.find('=')) harness::find_application(applications, text.substr(0, dot));
  const std::string size = options.size.empty() ? "small" : options.size;
  std::vector<Job> jobs;
  for (const harness::Application& a : applications) {
    if (!names.empty() && std::find(names.begin(), names.end(), a.name) == names.end()) continue;
    if (!options.variants.empty() && applications.size() > 1 && !selects_any(a, options)) continue;
    const auto more = jobs_of(a, options, size, false);
    jobs.insert(jobs.end(), more.begin(), more.end());
  }
  if (jobs.empty()) throw UsageError("no application has a variant '" + options.variants + "'", "speedwell list variants");
  Engine engine(options, arguments, size, true);
  if (options.dry_run) {
    engine.print_plan(jobs);
    return 0;
  }
  std::vector<std::vector<harness::Outcome>> all(jobs.size());
  engine.run(jobs, rounds_of(options, harness::passes_of_the_widest_interval),
             [&](std::size_t i, const std::vector<harness::Outcome>& outcomes) { all[i] = outcomes; });
  if (engine.format() == Format::text) {
    std::cout << harness::summary_table(all, engine.machine());
    for (const auto& outcomes : all)
      for (const harness::Outcome& o : outcomes)
        if (o.status == harness::Status::failed || o.status == harness::Status::error)
          std::cout << harness::key_of(o.problem) << " " << o.variant->name << ": " << harness::to_string(o.status) << ": "
                    << harness::printable(o.reason) << "\n";
  }
  return engine.finish();
}

}  // namespace speedwell::cli
