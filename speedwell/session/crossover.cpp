#include "speedwell/session/crossover.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>

#include "speedwell/core/error.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/harness/tables/table.hpp"
#include "speedwell/machine/machine.hpp"
#include "speedwell/process/failure.hpp"
#include "speedwell/process/python.hpp"

namespace speedwell::session {
namespace {

constexpr std::size_t min_sizes = 3;  // fewer say nothing of a curve

bool has_size(const harness::Application& application) {
  return std::any_of(application.sizes.begin(), application.sizes.end(),
                     [](const harness::Size& s) { return s.name == crossover_size; });
}

}  // namespace

void require_crossover_sizes(const harness::Application& application, const std::vector<harness::Application>& all) {
  if (has_size(application)) return;
  std::vector<std::string> names;
  for (const harness::Application& a : all)
    if (has_size(a)) names.push_back(a.name);
  throw process::UsageError(
      fmt::format("{} has no range of sizes (size 'crossover') that both devices could go through; these have one: {}",
                  application.name, fmt::join(names, ", ")),
      "");
}

std::string crossover_variants(const harness::Application& application, const RunOptions& options) {
  const machine::Machine machine = machine::detect();
  const std::vector<int> devices = devices_of(options.devices, machine);
  const auto runs_on_gpu = [](const harness::Variant& v) { return v.name == "cuda" && v.make; };
  const bool built = std::any_of(application.variants.begin(), application.variants.end(), runs_on_gpu);
  const machine::Gpu* const gpu = devices.empty() ? nullptr : machine::find_gpu(machine, devices.front());
  const bool runnable = gpu && gpu->runnable;
  if (built && runnable) return "openmp,cuda";
  if (threads_of(options.threads, machine.cpu) > 1) return "serial,openmp";
  throw core::Unavailable("there are neither a GPU nor several cores here: crossover compares two devices");
}

std::vector<Job> crossover_jobs(const harness::Application& application, const RunOptions& options,
                                const std::string& size) {
  std::vector<Job> jobs = jobs_of(application, options, size, true);
  if (jobs.size() < min_sizes)
    throw process::UsageError(
        fmt::format("{}: this leaves {}; a crossover takes {} at least", application.name,
                    core::counted(jobs.size(), "size"), min_sizes),
        fmt::format("speedwell list sizes {}; a key that --set, --config or SPEEDWELL_CONFIG gives is not varied",
                    application.name));
  return jobs;
}

void print_crossover_analysis(const Engine& engine, const std::string& application, std::ostream& out) {
  const std::string reason = process::python_failure({"crossover", engine.folder(), "--application", application},
                                                     process::Streams::standard_output);
  if (!reason.empty())
    out << "crossover: not computed: " << reason << "; later: python3 -m speedwell crossover "
        << harness::printable(engine.folder()) << "\n";
}

}  // namespace speedwell::session
