#include "speedwell/cli/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <streambuf>
#include <utility>

#include "speedwell/cli/child.hpp"
#include "speedwell/comm/environment.hpp"
#include "speedwell/comm/launch.hpp"
#include "speedwell/comm/placement.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/machine/machine.hpp"

namespace speedwell::cli {
namespace {

std::unique_ptr<comm::Environment> mpi;

// Takes everything and keeps nothing.
class NullStreambuf : public std::streambuf {
  int overflow(int c) override { return traits_type::not_eof(c); }
};

}  // namespace

void join_launch() {
  if (comm::launcher_ranks().value_or(1) < 2) return;
  begin_ranks();
  if (is_root()) return;
  static auto* const silence = new NullStreambuf;  // never destroyed: the streams are flushed after everything static
  std::cout.rdbuf(silence);
  std::cerr.rdbuf(silence);
}

void begin_ranks() {
  if (!mpi) mpi = std::make_unique<comm::Environment>();
}

int rank_option(const std::string& text) { return static_cast<int>(count_option("--ranks", text, 1, 1 << 20)); }

int machine_cores() { return machine::detect().cpu.cores; }

int gpu_option(const std::string& text) {
  return text == "all" ? 0 : static_cast<int>(count_option("--gpus", text, 1, 1 << 20));
}

bool placed_by_others() { return environment("SLURM_JOB_ID") || environment("SPEEDWELL_LAUNCHER"); }

void require_cores(int ranks, int cores, bool oversubscribe) {
  if (ranks <= cores || oversubscribe || placed_by_others()) return;
  throw UsageError(fmt::format("--ranks {}: there are {} cores here", ranks, cores),
                   "--oversubscribe starts more ranks than cores; their times are no measure");
}

int machine_gpus(const std::string& devices) {
  const machine::Machine machine = machine::detect();
  if (machine.gpus.empty()) throw core::Unavailable("--gpus: " + machine.gpu_reason);
  const std::size_t count = devices_of(devices, machine).size();
  if (count == 0) throw UsageError("--gpus: no GPU is to be used (--devices none)", "");
  return static_cast<int>(count);
}

void require_gpus(int ranks, const std::string& devices, bool oversubscribe) {
  if (placed_by_others()) return;  // on hosts that this process does not see
  const int count = machine_gpus(devices);
  if (ranks > count && !oversubscribe)
    throw UsageError(
        fmt::format("--gpus {}: there {} here", ranks, count == 1 ? "is 1 GPU" : fmt::format("are {} GPUs", count)),
        "--oversubscribe lets ranks share GPUs; their times are no measure");
  const machine::Machine machine = machine::detect();
  std::vector<std::string> models;
  for (const int device : devices_of(devices, machine))
    for (const machine::Gpu& g : machine.gpus)
      if (g.index == device && std::cmp_less(models.size(), ranks)) models.push_back(g.name);
  for (const std::string& model : models)
    if (model != models.front())
      throw core::Unavailable(
          fmt::format("--gpus {}: GPUs of different models, {} and {}", ranks, models.front(), model));
}

void select_backend(RunOptions& options) {
  if (!options.ranks.empty() && !options.gpus.empty())
    throw UsageError("--ranks and --gpus: one of them", "--gpus N starts a rank for each of N GPUs");
  if (!options.ranks.empty()) rank_option(options.ranks);
  if (!options.gpus.empty()) gpu_option(options.gpus);
  if (!options.variants.empty()) return;
  if (!options.ranks.empty()) options.variants = "mpi*";
  if (!options.gpus.empty()) options.variants = "multi*";
}

void require_backend(const harness::Application& application, const RunOptions& options) {
  if (options.ranks.empty() && options.gpus.empty()) return;
  const bool on_gpus = !options.gpus.empty();
  const auto may_run = [&](const harness::Variant& v) {
    return on_gpus ? v.backend == harness::Backend::multi : harness::uses_ranks(v.backend);
  };
  if (std::none_of(application.variants.begin(), application.variants.end(), may_run))
    throw UsageError(
        fmt::format("{} has no variant that runs on {}", application.name, on_gpus ? "several GPUs" : "ranks"),
        "speedwell list variants");
  for (const harness::Variant* v : harness::select_variants(application, options.variants))
    if (on_gpus && !may_run(*v))
      throw UsageError(
          fmt::format("--gpus {}, and {} {} does not run on several GPUs", options.gpus, application.name, v->name),
          fmt::format("speedwell list {}", application.name));
}

std::vector<std::string> launch_line(const RunOptions& options, const Arguments& arguments) {
  const bool on_gpus = !options.gpus.empty(), under_launcher = comm::launcher_ranks().has_value();
  if (options.ranks.empty() && !on_gpus) {
    if (options.oversubscribe && !under_launcher) throw UsageError("--oversubscribe is for --ranks and --gpus", "");
    return {};
  }
  const std::string option = on_gpus ? "--gpus " + options.gpus : "--ranks " + options.ranks;
  int wanted = on_gpus ? gpu_option(options.gpus) : rank_option(options.ranks);
  if (under_launcher) {
    if (const int started = *comm::launcher_ranks(); wanted != 0 && started != wanted)
      throw UsageError(fmt::format("{}, and the launcher has started {}", option, started), "leave one of them out");
    return {};
  }
  if (wanted == 0) wanted = machine_gpus(options.devices);
  const int cores = machine_cores();
  if (on_gpus)
    require_gpus(wanted, options.devices, options.oversubscribe);
  else
    require_cores(wanted, cores, options.oversubscribe);
  if (wanted == 1) return {};
  const bool crowded = on_gpus ? wanted > cores : options.oversubscribe;
  std::vector<std::string> words =
      comm::launch_command({.ranks = wanted, .oversubscribe = crowded, .one_core_each = !on_gpus});
  words.insert(words.end(), {own_program(), arguments.command});
  words.insert(words.end(), arguments.words.begin(), arguments.words.end());
  return words;
}

void enter_ranks(const RunOptions& options, const Arguments& arguments) {
  if (const std::vector<std::string> words = launch_line(options, arguments); !words.empty()) become(words);
}

const comm::Communicator* ranks() { return mpi ? &mpi->world() : nullptr; }
int rank_count() { return mpi ? ranks()->size() : 1; }
bool is_root() { return !mpi || ranks()->rank() == 0; }

bool any_rank(bool mine) { return mpi ? ranks()->reduce(std::int64_t{mine}, comm::Reduction::maximum) != 0 : mine; }

std::vector<int> cpus_of_ranks() {
  std::string mine;
  for (const int cpu : machine::allowed_cpus()) mine += std::to_string(cpu) + " ";
  std::set<int> all;
  for (const std::string& of_rank : ranks()->split_by_host().gather(mine)) {
    std::istringstream numbers(of_rank);
    for (int cpu = 0; numbers >> cpu;) all.insert(cpu);
  }
  return {all.begin(), all.end()};
}

std::string placement_text() {
  std::string text;
  for (const comm::Placement& p : comm::placement(*ranks()))
    text += fmt::format("rank {} on {} ({} there), cores {}\n", p.rank, p.host, p.local_rank, p.cores);
  return text;
}

int leave(int status) {
  if (!mpi) return status;
  const auto all = static_cast<int>(ranks()->reduce(std::int64_t{status}, comm::Reduction::maximum));
  mpi.reset();
  return all;
}

int leave(const Failure& failure, const std::string& document) {
  constexpr std::chrono::seconds timeout{2};  // ranks that fail for one reason come here within moments of each other
  const auto all = mpi ? mpi->all_failed(failure.status, timeout) : failure.status;
  if (all)
    std::cerr << text_of(failure);
  else
    fmt::print(stderr, "[rank {} {}] {}", ranks()->rank(), comm::host_name(), text_of(failure));
  std::cout << document << std::flush;
  if (!all) mpi->abort(failure.status);
  mpi.reset();
  return *all;
}

}  // namespace speedwell::cli
