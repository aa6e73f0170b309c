#include "speedwell/session/scaling.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <set>
#include <vector>

#include "speedwell/catalogue.hpp"
#include "speedwell/comm/environment.hpp"
#include "speedwell/comm/launch.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/harness/records/record_reader.hpp"
#include "speedwell/harness/scaling.hpp"
#include "speedwell/harness/tables/table.hpp"
#include "speedwell/io/atomic_file.hpp"
#include "speedwell/machine/machine.hpp"
#include "speedwell/process/child.hpp"
#include "speedwell/process/failure.hpp"
#include "speedwell/process/signals.hpp"
#include "speedwell/session/engine.hpp"
#include "speedwell/session/launch.hpp"

namespace speedwell::session {
namespace {

namespace fs = std::filesystem;
using harness::records::Run;

/// What a number of ranks counts, and how many of them this machine has.
struct Resource {
  harness::Backend backend = harness::Backend::mpi;  // of the variants that use it
  int available = 1;                                 // cores, or GPUs
  int cores = 1;
  bool is_gpu() const { return backend == harness::Backend::multi; }
};

/// 1, 2, 4, ... and all.
std::vector<int> default_counts(int available) {
  std::vector<int> counts;
  for (int n = 1; n < available; n *= 2) counts.push_back(n);
  counts.push_back(available);
  return counts;
}

std::vector<int> counts_of(const std::string& text, const Resource& resource) {
  if (text.empty()) return default_counts(resource.available);
  std::set<int> counts;
  for (const std::string& word : items_of(text)) {
    const int count = resource.is_gpu() ? gpu_option(word) : rank_option(word);
    counts.insert(count == 0 ? resource.available : count);
  }
  return {counts.begin(), counts.end()};
}

/// The problem on `ranks` ranks: of weak scaling, as many times as large.
harness::Problem problem_on(const harness::Application& application, const harness::Problem& one, bool weak,
                            int ranks) {
  if (!weak) return one;
  std::vector<harness::Setting> settings = one.settings();
  for (const harness::Setting& grown : application.weak(one, ranks)) {
    const auto same = std::find_if(settings.begin(), settings.end(), [&](const auto& s) { return s.key == grown.key; });
    same->value = grown.value;
  }
  return {one.application(), one.size(), std::move(settings), one.seed()};
}

/// The words of `run` for one variant on one problem, which are given in full: what --config says is in them.
std::vector<std::string> run_words(const ScalingOptions& options, const harness::Problem& problem,
                                   const std::string& variant, const std::string& file) {
  std::vector<std::string> words{process::own_program(),
                                 "run",
                                 options.application,
                                 "--variant",
                                 variant,
                                 "--json",
                                 file,
                                 "--size",
                                 problem.size(),
                                 "--seed",
                                 std::to_string(problem.seed()),
                                 "--progress",
                                 "never"};
  for (const harness::Setting& s : problem.settings())
    words.insert(words.end(), {"--set", s.key + "=" + harness::to_string(s.value)});
  const RunOptions& o = options.run;
  for (const auto& [name, value] : {std::pair{"--warmup", o.warmup},
                                    {"--repeat", o.repeat},
                                    {"--passes", o.passes},
                                    {"--min-time", o.min_time},
                                    {"--max-time", o.max_time},
                                    {"--check-time", o.check_time}})
    if (!value.empty()) words.insert(words.end(), {name, value});
  if (o.deterministic) words.emplace_back("--deterministic");
  words.insert(words.end(), static_cast<std::size_t>(o.quiet), "-q");
  return words;
}

/// The file of the trace on so many ranks: t-4.json for t.json.
std::string trace_file(const std::string& path, int ranks) {
  const fs::path whole(path);
  return (whole.parent_path() / fmt::format("{}-{}{}", whole.stem().string(), ranks, whole.extension().string()))
      .string();
}

class RecordedRuns {
 public:
  explicit RecordedRuns(std::string folder) : folder_(std::move(folder)) {}

  /// The run of a variant that the words start; one of status error where it left no record.
  Run measure(const std::string& variant, std::vector<std::string> words, const std::string& file) {
    std::error_code ignored;
    fs::remove(file, ignored);
    const int status = process::run_child(words);
    if (status_ == 0) status_ = status;
    Run run;
    run.variant.name = variant;
    run.status = harness::records::Status::error;
    run.reason = process::stop_status() != 0 ? "stopped" : fmt::format("the run ended with status {}", status);
    if (!fs::exists(file)) return run;
    std::ifstream recorded(file, std::ios::binary);  // io::read_file() ends a command that is to stop
    const std::string text{std::istreambuf_iterator<char>(recorded), {}};
    const auto document = harness::records::parse_document(text, file);
    io::append_line(folder_ + "/records.jsonl", harness::dump(harness::Json::parse(text), -1));
    fs::remove(file, ignored);
    for (const Run& found : document.runs)
      if (found.variant.name == variant) return found;
    return run;
  }
  int status() const { return status_; }

 private:
  std::string folder_;
  int status_ = 0;
};

bool has_variant(const harness::Application& application, const std::string& name) {
  return std::any_of(application.variants.begin(), application.variants.end(),
                     [&](const harness::Variant& v) { return v.name == name && v.make; });
}

/// The backend whose variants the options are for: that of --gpus, of --ranks, or of the variant.
harness::Backend backend_of(const harness::Application& application, const ScalingOptions& options) {
  using harness::Backend;
  if (!options.ranks.empty() && !options.gpus.empty())
    throw process::UsageError("--ranks and --gpus: one of them", "--gpus starts a rank for each GPU");
  if (!options.gpus.empty()) return Backend::multi;
  for (const harness::Variant& v : application.variants)
    if (options.ranks.empty() && v.name == options.run.variants) return v.backend;
  return Backend::mpi;
}

/// Throws UsageError for an application or a variant that does not run on ranks, or on several GPUs.
void require_on(harness::Backend backend, const harness::Application& application, const std::string& variant) {
  const std::string where = backend == harness::Backend::multi ? "several GPUs" : "ranks";
  for (const harness::Variant& v : application.variants) {
    if (v.name != variant) continue;
    if (v.backend != backend || !harness::uses_ranks(backend))
      throw process::UsageError(fmt::format("{} {} does not run on {}", application.name, variant, where), "");
    if (!v.make) throw core::Unavailable(fmt::format("{} {}: {}", application.name, variant, v.unavailable_reason));
    return;
  }
  std::vector<std::string> names;
  for (const harness::Application& other : catalogue())
    if (std::any_of(other.variants.begin(), other.variants.end(), [&](const auto& v) { return v.backend == backend; }))
      names.push_back(other.name);
  throw process::UsageError(fmt::format("{} has no variant '{}'", application.name, variant),
                            names.empty() ? fmt::format("no application runs on {}", where)
                                          : fmt::format("these run on {}: {}", where, fmt::join(names, ", ")));
}

/// What a variant is compared with: `cuda` of `multi` and `openmp` of `mpi`, or `cuda-pair` of `multi-pair` where there
/// is one.
std::string compared_variant(const harness::Application& application, harness::Backend backend,
                             const std::string& variant) {
  const bool on_gpus = backend == harness::Backend::multi;
  const std::string plain = on_gpus ? "cuda" : "openmp", prefix = on_gpus ? "multi" : "mpi";
  const std::string same = plain + (variant.starts_with(prefix) ? variant.substr(prefix.size()) : "");
  return has_variant(application, same) ? same : plain;
}

/// The commands of one number of ranks or GPUs.
struct PlannedPoint {
  int ranks = 1;
  harness::Problem problem;
  std::string file;                                           // of the records of each run, until they are collected
  std::vector<std::string> run_command;                       // of the variant
  std::optional<std::vector<std::string>> comparing_command;  // of what it is compared with, in one process
};

/// The variant on each number, and what it is compared with, unless that is empty: on ranks `openmp` on as many
/// threads, on GPUs `cuda` once, on one GPU, of weak scaling on the problem of one. Throws as comm::launch_command().
std::vector<PlannedPoint> plan_points(const ScalingOptions& options, const harness::Application& application,
                                      const harness::Problem& base, const std::string& variant,
                                      const std::string& compared, const Resource& resource,
                                      const std::vector<int>& counts, const std::string& folder) {
  std::vector<PlannedPoint> points;
  for (const int ranks : counts) {
    const harness::Problem problem = problem_on(application, base, options.weak, ranks);
    const std::string file = fmt::format("{}/.ranks-{}.json", folder, ranks);
    PlannedPoint point{ranks, problem, file, {}, {}};
    std::vector<std::string>& words = point.run_command;
    words = comm::launch_command(
        {.ranks = ranks, .oversubscribe = ranks > resource.cores, .one_core_each = !resource.is_gpu()});
    for (std::string& word : run_words(options, problem, variant, file)) words.push_back(std::move(word));
    if (!options.run.trace.empty()) words.insert(words.end(), {"--trace", trace_file(options.run.trace, ranks)});
    if (resource.is_gpu() && options.oversubscribe) words.emplace_back("--oversubscribe");
    const bool on_threads = !resource.is_gpu() && ranks <= resource.cores;
    if (!compared.empty() && (on_threads || (resource.is_gpu() && points.empty()))) {
      point.comparing_command = run_words(options, resource.is_gpu() ? base : problem, compared, file);
      if (on_threads)
        point.comparing_command->insert(point.comparing_command->end(), {"--threads", std::to_string(ranks)});
    }
    points.push_back(std::move(point));
  }
  return points;
}

/// The commands, each on a line that a shell understands.
std::string text_of(const std::vector<PlannedPoint>& points) {
  std::string text;
  const auto line = [&](const std::vector<std::string>& words) {
    for (std::size_t n = 0; n < words.size(); ++n) text += (n > 0 ? " " : "") + process::shell_word(words[n]);
    text += "\n";
  };
  for (const PlannedPoint& point : points) {
    line(point.run_command);
    if (point.comparing_command) line(*point.comparing_command);
  }
  return text;
}

/// Runs the commands, in the order of the numbers. Stops at a signal.
std::vector<harness::ScalingPoint> measure_points(RecordedRuns& runs, const std::vector<PlannedPoint>& planned,
                                                  const std::string& variant, const std::string& compared, bool on_gpus,
                                                  bool progress) {
  std::vector<harness::ScalingPoint> points;
  std::optional<Run> one_gpu;
  for (const PlannedPoint& plan : planned) {
    if (process::stop_status() != 0) break;
    if (progress)
      std::cerr << fmt::format("{}: {} on {} of {} {}\n", harness::key_of(plan.problem), variant, plan.ranks,
                               planned.back().ranks, on_gpus ? "GPUs" : "ranks");
    harness::ScalingPoint point{
        .ranks = plan.ranks, .run = runs.measure(variant, plan.run_command, plan.file), .compared = {}};
    if (plan.comparing_command && process::stop_status() == 0) {
      point.compared = runs.measure(compared, *plan.comparing_command, plan.file);
      if (on_gpus) one_gpu = point.compared;
    }
    if (on_gpus) point.compared = one_gpu;
    points.push_back(std::move(point));
  }
  return points;
}

/// Below this efficiency of the last number, a strong scaling names the weak one: more than half of the cores or GPUs
/// are then of no use.
constexpr double poor_efficiency = 0.5;

/// The command of weak scaling after a strong scaling that did not pay; empty after others, and if there is none.
std::string weak_scaling_hint(const harness::Application& application,
                              const std::vector<harness::ScalingPoint>& points) {
  if (!application.weak || points.size() < 2) return "";
  const auto figures = harness::figures_of(points.front(), points.back());
  if (!figures || figures->efficiency >= poor_efficiency) return "";
  const bool has_size = std::any_of(application.sizes.begin(), application.sizes.end(), [](const harness::Size& size) {
    return size.name == "weak" && size.sweeps.empty();
  });
  return fmt::format("a problem that grows with the ranks: speedwell scale {} --weak{}\n", application.name,
                     has_size ? " --size weak" : "");
}

}  // namespace

int measure_scaling(const ScalingOptions& options, const std::string& command, std::ostream& out) {
  if (options.strong && options.weak) throw process::UsageError("--strong and --weak: one of them", "");
  if (comm::launcher_ranks())
    throw process::UsageError("scale starts the launcher itself",
                              "speedwell scale " + options.application + " without mpirun");
  const auto applications = catalogue();
  const harness::Application& application = harness::find_application(applications, options.application);
  Resource resource{.backend = backend_of(application, options), .available = machine_cores()};
  resource.cores = resource.available;
  const std::string variant = !options.run.variants.empty() ? options.run.variants
                              : resource.is_gpu()           ? "multi"
                                                            : "mpi";
  require_on(resource.backend, application, variant);
  if (options.weak && !application.weak)
    throw process::UsageError(application.name + " has no problem that grows with the ranks", "--strong");
  const std::string& numbers = resource.is_gpu() ? options.gpus : options.ranks;
  // The plan of numbers that are given may be one for another machine.
  const bool plans = options.run.dry_run && !numbers.empty() && numbers.find("all") == std::string::npos;
  if (resource.is_gpu()) {
    (void)counts_of(numbers.empty() ? "1" : numbers,
                    resource);  // a mistake in it is one on a machine without a GPU, too
    if (!plans) resource.available = machine_gpus("");
  }
  const std::vector<int> counts = counts_of(numbers, resource);
  if (plans)
    resource.available = resource.cores = counts.back();
  else if (resource.is_gpu())
    require_gpus(counts.back(), "", options.oversubscribe);
  else
    require_cores(counts.back(), resource.cores, options.oversubscribe);
  (void)comm::launch_command({.ranks = 1, .oversubscribe = counts.back() > resource.cores});  // throws before any run

  const std::string size = options.run.size.empty() ? "headline" : options.run.size;
  (void)measurement_of(options.run, size,
                       machine::detect());  // refuses a value before a run begins
  RunOptions chosen = options.run;
  chosen.variants.clear();  // those on ranks would begin MPI in this process, which is the launcher's parent
  const std::vector<Job> jobs = jobs_of(application, chosen, size, true);
  if (jobs.size() != 1)
    throw process::UsageError(fmt::format("{}: this is {} problems; scale takes one", options.application, jobs.size()),
                              "--set KEY=VALUE chooses among them: speedwell list sizes " + options.application);
  const harness::Problem& base = jobs.front().problem;
  harness::ScalingWords words;
  if (resource.is_gpu() && counts.back() <= resource.available) words.unit = "GPU";  // else ranks share GPUs
  std::optional<ScaleProjection> projection;
  if (!options.projection.counts.empty())
    projection.emplace(options.projection, application, variant, words.unit,
                       [&](int ranks) { return problem_on(application, base, options.weak, ranks); });
  else if (!options.projection.links.empty())
    throw process::UsageError("--links is for --project", "");
  const std::string other = compared_variant(application, resource.backend, variant);
  const std::string compared = has_variant(application, other) ? other : "";
  const auto plan_in = [&](const std::string& folder) {
    return plan_points(options, application, base, variant, compared, resource, counts, folder);
  };
  if (options.run.dry_run) {
    out << text_of(plan_in(options.run.output.empty() ? "." : options.run.output));
    return 0;
  }
  if (projection && !options.projection.links.empty()) projection->find_link("", false);
  const std::string folder = make_output_folder(options.run, command, true);
  io::require_writable(folder + "/records.jsonl");
  if (!options.run.trace.empty())
    for (const int ranks : counts) io::require_writable(trace_file(options.run.trace, ranks));

  if (projection && options.projection.links.empty() &&
      !projection->find_link(folder, resource.cores < 2 || options.oversubscribe))
    return process::stop_status();
  ::setenv("OMPI_MCA_orte_execute_quiet", "1", 0);  // a run that fails has said why; the table has its status
  if (!compared.empty()) words.compared = (resource.is_gpu() ? "over " : "x ") + compared;
  RecordedRuns runs(folder);
  const auto points = measure_points(runs, plan_in(folder), variant, compared, resource.is_gpu(),
                                     wanted("--progress", options.run.progress, options.run.quiet == 0));
  out << fmt::format(
             "{}: {} scaling of {}, {}\n", application.title, options.weak ? "weak" : "strong", variant,
             options.weak ? fmt::format("of one {} {}", words.unit, harness::key_of(base)) : harness::key_of(base))
      << colored(options.run, harness::scaling_table(
                                  points, words,
                                  projection ? projection->predicted(points) : std::vector<harness::PredictedPoint>{}))
      << fmt::format("  speed-up: of the rate over that of the first row; efficiency: that over the ratio of the {}s\n",
                     words.unit);
  if (projection) out << projection->notes(points);
  const harness::Scaling scaling = options.weak ? harness::Scaling::weak : harness::Scaling::strong;
  if (const std::string summary = harness::scaling_summary(points, scaling, words); !summary.empty())
    out << summary << "\n";
  if (!options.weak) out << weak_scaling_hint(application, points);
  out << "records: " << harness::printable(folder) << "/records.jsonl\n";
  return process::stop_status() != 0 ? process::stop_status() : runs.status();
}

}  // namespace speedwell::session
