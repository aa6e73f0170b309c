// scale: one variant on several numbers of ranks. Each number is a process of this program under a launcher, which
// verifies its runs; the records of all are collected.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "speedwell/catalogue.hpp"
#include "speedwell/cli/child.hpp"
#include "speedwell/cli/command.hpp"
#include "speedwell/cli/engine.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/cli/ranks.hpp"
#include "speedwell/comm/environment.hpp"
#include "speedwell/comm/launch.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/harness/record_reader.hpp"
#include "speedwell/harness/scaling.hpp"
#include "speedwell/harness/table.hpp"
#include "speedwell/io/atomic_file.hpp"
#include "speedwell/io/source.hpp"
#include "speedwell/machine/machine.hpp"

namespace speedwell::cli {
namespace {

namespace fs = std::filesystem;
using harness::records::Run;

struct ScaleOptions {
  std::string application, ranks;
  bool strong = false, weak = false, oversubscribe = false;
  RunOptions run;
};

/// 1, 2, 4, ... and the number of cores.
std::vector<int> default_counts(int cores) {
  std::vector<int> counts;
  for (int n = 1; n < cores; n *= 2) counts.push_back(n);
  counts.push_back(cores);
  return counts;
}

std::vector<int> counts_of(const ScaleOptions& options, int cores) {
  if (options.ranks.empty()) return default_counts(cores);
  std::set<int> counts;
  for (std::size_t begin = 0; begin <= options.ranks.size();) {
    const std::size_t end = std::min(options.ranks.find(',', begin), options.ranks.size());
    counts.insert(rank_option(options.ranks.substr(begin, end - begin)));
    begin = end + 1;
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
std::vector<std::string> run_words(const ScaleOptions& options, const harness::Problem& problem,
                                   const std::string& variant, const std::string& file) {
  std::vector<std::string> words{own_program(),
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
                                    {"--max-time", o.max_time}})
    if (!value.empty()) words.insert(words.end(), {name, value});
  if (o.deterministic) words.emplace_back("--deterministic");
  words.insert(words.end(), static_cast<std::size_t>(o.quiet), "-q");
  return words;
}

class Scale {
 public:
  Scale(const ScaleOptions& options, const harness::Application& application, std::string folder)
      : options_(options), application_(application), folder_(std::move(folder)) {}

  /// The run of a variant that the words start; one of status error where it left no record.
  Run measure(const std::string& variant, std::vector<std::string> words, const std::string& file) {
    std::error_code ignored;
    fs::remove(file, ignored);
    const int status = run_child(words);
    if (status_ == 0 || stop_status() != 0) status_ = stop_status() != 0 ? stop_status() : status;
    Run run;
    run.variant.name = variant;
    run.status = harness::records::Status::error;
    run.reason = stop_status() != 0 ? "stopped" : fmt::format("the run ended with status {}", status);
    if (!fs::exists(file)) return run;
    const std::string text = io::read_file(file, harness::records::max_file_bytes);
    fs::remove(file, ignored);
    const auto document = harness::records::parse_document(text, file);
    io::append_line(folder_ + "/records.jsonl", harness::dump(harness::Json::parse(text), -1));
    for (const Run& found : document.runs)
      if (found.variant.name == variant) return found;
    return run;
  }
  int status() const { return status_; }

 private:
  const ScaleOptions& options_;
  const harness::Application& application_;
  std::string folder_;
  int status_ = 0;
};

bool has_variant(const harness::Application& application, const std::string& name) {
  return std::any_of(application.variants.begin(), application.variants.end(),
                     [&](const harness::Variant& v) { return v.name == name && v.make; });
}

/// Throws UsageError for an application or a variant that does not run on ranks.
void require_on_ranks(const harness::Application& application, const std::string& variant) {
  for (const harness::Variant& v : application.variants) {
    if (v.name != variant) continue;
    if (v.backend != harness::Backend::mpi)
      throw UsageError(fmt::format("{} {} does not run on ranks", application.name, variant), "");
    if (!v.make) throw core::Unavailable(fmt::format("{} {}: {}", application.name, variant, v.unavailable_reason));
    return;
  }
  std::vector<std::string> names;
  for (const harness::Application& other : catalogue())
    if (std::any_of(other.variants.begin(), other.variants.end(),
                    [](const auto& v) { return v.backend == harness::Backend::mpi; }))
      names.push_back(other.name);
  throw UsageError(fmt::format("{} has no variant '{}'", application.name, variant),
                   fmt::format("these run on ranks: {}", fmt::join(names, ", ")));
}

}  // namespace

int scale(const Arguments& arguments) {
  CLI::App app(
      "How the time of a variant falls with the number of ranks (strong scaling), or stays with a problem that grows "
      "with it (weak scaling): each number is started by the launcher of MPI, verified and recorded.",
      "speedwell scale");
  ScaleOptions options;
  app.add_option("APP", options.application, "the application (speedwell list apps)")->required();
  app.add_option("--ranks", options.ranks, "numbers of ranks (1, 2, 4, … and all cores)")->type_name("N,…");
  app.add_flag("--strong", options.strong, "the same problem on all numbers (the default)");
  app.add_flag("--weak", options.weak, "a problem that is as many times as large as there are ranks");
  app.add_flag("--oversubscribe", options.oversubscribe, "more ranks than cores are meant");
  add_scale_options(app, options.run);
  if (const auto done = parse(app, arguments)) return *done;
  if (options.strong && options.weak) throw UsageError("--strong and --weak: one of them", "");
  if (comm::launcher_ranks())
    throw UsageError("scale starts the launcher itself", "speedwell scale " + options.application + " without mpirun");
  const auto applications = catalogue();
  const harness::Application& application = harness::find_application(applications, options.application);
  const std::string variant = options.run.variants.empty() ? "mpi" : options.run.variants;
  require_on_ranks(application, variant);
  if (options.weak && !application.weak)
    throw UsageError(application.name + " has no problem that grows with the ranks", "--strong");
  const int cores = machine_cores();
  const std::vector<int> counts = counts_of(options, cores);
  require_cores(counts.back(), cores, options.oversubscribe);
  const comm::LaunchOptions launch{.ranks = 1, .oversubscribe = counts.back() > cores};
  (void)comm::launch_command(launch);  // throws before anything is measured

  const std::string size = options.run.size.empty() ? "headline" : options.run.size;
  (void)measurement_of(options.run, size,
                       machine::detect());  // refuses a value before a run begins
  RunOptions chosen = options.run;
  chosen.variants.clear();  // those on ranks would begin MPI in this process, which is the launcher's parent
  const std::vector<Job> jobs = jobs_of(application, chosen, size, true);
  if (jobs.size() != 1)
    throw UsageError(fmt::format("{}: this is {} problems; scale takes one", options.application, jobs.size()),
                     "--set KEY=VALUE chooses among them: speedwell list sizes " + options.application);
  const std::string folder = make_output_folder(options.run, arguments.command, true);
  io::require_writable(folder + "/records.jsonl");

  const harness::Scaling scaling = options.weak ? harness::Scaling::weak : harness::Scaling::strong;
  const std::string threaded = has_variant(application, "openmp") ? "openmp" : "";
  const bool progress = wanted("--progress", options.run.progress, options.run.quiet == 0);
  Scale scale(options, application, folder);
  std::vector<harness::ScalingPoint> points;
  for (const int ranks : counts) {
    if (stop_status() != 0) break;
    const harness::Problem problem = problem_on(application, jobs.front().problem, options.weak, ranks);
    const std::string file = fmt::format("{}/.ranks-{}.json", folder, ranks);
    if (progress)
      std::cerr << fmt::format("{}: {} on {} of {} ranks\n", harness::key_of(problem), variant, ranks, counts.back());
    std::vector<std::string> words = comm::launch_command({.ranks = ranks, .oversubscribe = ranks > cores});
    for (std::string& word : run_words(options, problem, variant, file)) words.push_back(std::move(word));
    harness::ScalingPoint point{.ranks = ranks, .run = scale.measure(variant, std::move(words), file), .threaded = {}};
    if (!threaded.empty() && ranks <= cores && stop_status() == 0) {
      words = run_words(options, problem, threaded, file);
      words.insert(words.end(), {"--threads", std::to_string(ranks)});
      point.threaded = scale.measure(threaded, std::move(words), file);
    }
    points.push_back(std::move(point));
  }
  std::cout << fmt::format("{}: {} scaling of {}, {}\n", application.title, options.weak ? "weak" : "strong", variant,
                           options.weak ? "of one rank " + harness::key_of(jobs.front().problem)
                                        : harness::key_of(jobs.front().problem))
            << harness::scaling_table(points, threaded)
            << "  speed-up: of the rate over that of the first row; efficiency: that over the ratio of the ranks\n";
  if (const std::string summary = harness::scaling_summary(points, scaling); !summary.empty())
    std::cout << summary << "\n";
  std::cout << "records: " << harness::printable(folder) << "/records.jsonl\n";
  return scale.status();
}

}  // namespace speedwell::cli
