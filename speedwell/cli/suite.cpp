// suite: every application on every backend of this machine: one headline problem of each within a budget of time, or
// all problems of a size; a table, the records, the report.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <optional>

#include "speedwell/catalogue.hpp"
#include "speedwell/cli/command.hpp"
#include "speedwell/cli/options.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/harness/report/answer.hpp"
#include "speedwell/harness/table.hpp"
#include "speedwell/process/ranks.hpp"
#include "speedwell/session/engine.hpp"
#include "speedwell/session/launch.hpp"

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

// One core, all cores and the best row of the GPU; every own row of a GPU where none is called the best.
std::string headline_variants(const harness::Application& application) {
  const auto has = [&](std::string_view name) {
    return std::any_of(application.variants.begin(), application.variants.end(),
                       [&](const auto& v) { return v.name == name; });
  };
  std::string list;
  for (const char* name : {"serial", "openmp", "cuda"})
    if (has(name)) list += (list.empty() ? "" : ",") + std::string(name);
  if (!has("cuda")) list += (list.empty() ? "" : ",") + std::string("cuda*");
  return list;
}

}  // namespace

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
  for (const std::string& text : options.settings)
    if (const auto dot = text.find('.'); dot < text.find('='))
      harness::find_application(applications, text.substr(0, dot));
  if (full && !options.size.empty())
    throw UsageError("--full is --size small; --size " + options.size + " is another", "");
  const bool headline = options.size.empty() && !full;
  const std::string size = headline ? "headline" : full ? "small" : options.size;
  const std::optional<double> budget = budget_of(budget_text, headline ? std::optional(default_budget) : std::nullopt);
  session::select_backend(options);
  std::vector<const harness::Application*> chosen;
  for (const harness::Application& a : applications) {
    if (!names.empty() && std::find(names.begin(), names.end(), a.name) == names.end()) continue;
    if (!options.variants.empty() && applications.size() > 1 && !selects_any(a, options)) continue;
    session::require_backend(a, options);
    chosen.push_back(&a);
  }
  if (chosen.empty())
    throw UsageError("no application has a variant '" + options.variants + "'", "speedwell list variants");
  session::enter_ranks(options, arguments);
  std::vector<session::Job> jobs;
  for (const harness::Application* a : chosen) {
    RunOptions own = options;
    if (headline && options.variants.empty()) own.variants = headline_variants(*a);
    const auto more = session::jobs_of(*a, own, size, false);
    jobs.insert(jobs.end(), more.begin(), more.end());
  }
  session::Engine engine(options, arguments, size, true);
  if (options.dry_run) {
    engine.print_plan(jobs, budget);
    return 0;
  }
  const auto all = engine.run_all(jobs, rounds_of(options, harness::passes_of_the_widest_interval), budget);
  if (!process::is_root()) return engine.finish();  // the first rank alone has whole outcomes
  if (engine.format() == Format::text && headline) {
    std::vector<harness::report::HeadlineRow> rows;
    for (std::size_t i = 0; i < jobs.size(); ++i)
      rows.push_back({harness::find_size(*jobs[i].application, size).summary, all[i]});
    std::cout << harness::report::answer(rows, engine.machine())
              << "\n`speedwell compare APP` shows every variant of an application.\n";
  } else if (engine.format() == Format::text) {
    std::cout << harness::summary_table(all, engine.machine());
    for (const auto& outcomes : all)
      for (const harness::Outcome& o : outcomes)
        if (o.status == harness::Status::failed || o.status == harness::Status::error)
          std::cout << harness::key_of(o.problem) << " " << o.variant->name << ": " << harness::to_string(o.status)
                    << ": " << harness::printable(o.reason) << "\n";
  }
  return engine.finish();
}

}  // namespace speedwell::cli
