// crossover: both devices over the sizes of one problem: from which size on the GPU pays. The program measures and
// prints the times; the Python package says where the curves cross.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <optional>

#include "speedwell/catalogue.hpp"
#include "speedwell/cli/command.hpp"
#include "speedwell/cli/engine.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/cli/reporting.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/harness/crossover_table.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/harness/table.hpp"

namespace speedwell::cli {
namespace {

constexpr const char* default_size = "crossover";
constexpr std::size_t min_sizes = 3;  // fewer say nothing of a curve

bool has_size(const harness::Application& application) {
  return std::any_of(application.sizes.begin(), application.sizes.end(),
                     [](const harness::Size& s) { return s.name == default_size; });
}

// Throws UsageError for an application whose problems are no family of sizes.
void require_sizes(const harness::Application& application, const std::vector<harness::Application>& all) {
  if (has_size(application)) return;
  std::vector<std::string> names;
  for (const harness::Application& a : all)
    if (has_size(a)) names.push_back(a.name);
  throw UsageError(
      fmt::format("{} has no range of sizes (size 'crossover') that both devices could go through; these have one: {}",
                  application.name, fmt::join(names, ", ")),
      "");
}

/// The host and the GPU, or without one, one core and all cores. Throws core::Unavailable where there is nothing to
/// compare.
std::string default_variants(const harness::Application& application, const RunOptions& options) {
  const machine::Machine machine = machine::detect();
  const std::vector<int> devices = devices_of(options.devices, machine);
  const auto runs_on_gpu = [](const harness::Variant& v) { return v.name == "cuda" && v.make; };
  const bool built = std::any_of(application.variants.begin(), application.variants.end(), runs_on_gpu);
  if (built && !devices.empty() && machine.gpus.front().runnable) return "openmp,cuda";
  if (threads_of(options.threads, machine) > 1) return "serial,openmp";
  throw core::Unavailable("there are neither a GPU nor several cores here: crossover compares two devices");
}

std::vector<Job> sweep_of(const harness::Application& application, const RunOptions& options, const std::string& size) {
  std::vector<Job> jobs = jobs_of(application, options, size, true);
  if (jobs.size() < min_sizes)
    throw UsageError(
        fmt::format("{}: this leaves {} size{}; a crossover takes {} at least", application.name, jobs.size(),
                    jobs.size() == 1 ? "" : "s", min_sizes),
        fmt::format("speedwell list sizes {}; a key that --set, --config or SPEEDWELL_CONFIG gives is not varied",
                    application.name));
  return jobs;
}

// The sentence and the numbers, from the records that have been written.
void print_analysis(const Engine& engine, const std::string& application) {
  const std::string reason =
      python_failure({"crossover", engine.folder(), "--application", application}, Streams::standard_output);
  if (!reason.empty())
    std::cout << "crossover: not computed: " << reason << "; later: python3 -m speedwell crossover "
              << harness::printable(engine.folder()) << "\n";
}

}  // namespace

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
  if (options.size.empty()) require_sizes(application, applications);
  const std::string size = options.size.empty() ? default_size : options.size;
  const double budget = budget_of(budget_text, default_budget).value();
  if (options.variants.empty()) options.variants = default_variants(application, options);
  const std::vector<Job> jobs = sweep_of(application, options, size);
  Engine engine(options, arguments, size, true);
  if (options.dry_run) {
    engine.print_plan(jobs, budget);
    return 0;
  }
  const auto all = engine.run_all(jobs, rounds_of(options, harness::passes_of_the_widest_interval), budget);
  if (engine.format() == Format::text) {
    std::cout << application.title << " (" << name << "): " << harness::find_size(application, size).summary << "\n"
              << harness::crossover_table(jobs, all, engine.machine()) << "\n"
              << std::flush;
    if (stop_status() == 0) print_analysis(engine, name);
  }
  return engine.finish();
}

}  // namespace speedwell::cli
