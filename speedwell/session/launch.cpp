#include "speedwell/session/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "speedwell/comm/environment.hpp"
#include "speedwell/comm/launch.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/machine/host/cpu.hpp"
#include "speedwell/machine/machine.hpp"
#include "speedwell/process/child.hpp"
#include "speedwell/process/failure.hpp"

namespace speedwell::session {

int rank_option(const std::string& text) { return static_cast<int>(count_option("--ranks", text, 1, 1 << 20)); }

int machine_cores() { return machine::detect_cpu().cores; }

int gpu_option(const std::string& text) {
  return text == "all" ? 0 : static_cast<int>(count_option("--gpus", text, 1, 1 << 20));
}

bool placed_by_others() { return environment("SLURM_JOB_ID") || environment("SPEEDWELL_LAUNCHER"); }

void require_cores(int ranks, int cores, bool oversubscribe) {
  if (ranks <= cores || oversubscribe || placed_by_others()) return;
  throw process::UsageError(fmt::format("--ranks {}: {} here", ranks, core::there_are(cores, "core")),
                            "--oversubscribe starts more ranks than cores; their times are no measure");
}

int machine_gpus(const std::string& devices) {
  const machine::Machine machine = machine::detect();
  if (machine.gpus.empty()) throw core::Unavailable("--gpus: " + machine.gpu_reason);
  const std::size_t count = devices_of(devices, machine).size();
  if (count == 0) throw process::UsageError("--gpus: no GPU is to be used (--devices none)", "");
  return static_cast<int>(count);
}

void require_gpus(int ranks, const std::string& devices, bool oversubscribe) {
  if (placed_by_others()) return;  // on hosts that this process does not see
  const int count = machine_gpus(devices);
  if (ranks > count && !oversubscribe)
    throw process::UsageError(fmt::format("--gpus {}: {} here", ranks, core::there_are(count, "GPU")),
                              "--oversubscribe lets ranks share GPUs; their times are no measure");
  const machine::Machine machine = machine::detect();
  std::vector<std::string> models;
  for (const int device : devices_of(devices, machine))
    if (const machine::Gpu* const gpu = machine::find_gpu(machine, device); gpu && std::cmp_less(models.size(), ranks))
      models.push_back(gpu->name);
  for (const std::string& model : models)
    if (model != models.front())
      throw core::Unavailable(
          fmt::format("--gpus {}: GPUs of different models, {} and {}", ranks, models.front(), model));
}

void select_backend(RunOptions& options) {
  if (!options.ranks.empty() && !options.gpus.empty())
    throw process::UsageError("--ranks and --gpus: one of them", "--gpus N starts a rank for each of N GPUs");
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
    throw process::UsageError(
        fmt::format("{} has no variant that runs on {}", application.name, on_gpus ? "several GPUs" : "ranks"),
        "speedwell list variants");
  for (const harness::Variant* v : harness::select_variants(application, options.variants))
    if (on_gpus && !may_run(*v))
      throw process::UsageError(
          fmt::format("--gpus {}, and {} {} does not run on several GPUs", options.gpus, application.name, v->name),
          fmt::format("speedwell list {}", application.name));
}

std::vector<std::string> launch_line(const RunOptions& options, const CommandLine& line) {
  const bool on_gpus = !options.gpus.empty(), under_launcher = comm::launcher_ranks().has_value();
  if (options.ranks.empty() && !on_gpus) {
    if (options.oversubscribe && !under_launcher)
      throw process::UsageError("--oversubscribe is for --ranks and --gpus", "");
    return {};
  }
  const std::string option = on_gpus ? "--gpus " + options.gpus : "--ranks " + options.ranks;
  int wanted = on_gpus ? gpu_option(options.gpus) : rank_option(options.ranks);
  if (under_launcher) {
    if (const int started = *comm::launcher_ranks(); wanted != 0 && started != wanted)
      throw process::UsageError(fmt::format("{}, and the launcher has started {}", option, started),
                                "leave one of them out");
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
  words.insert(words.end(), {process::own_program(), line.command});
  words.insert(words.end(), line.words.begin(), line.words.end());
  return words;
}

void enter_ranks(const RunOptions& options, const CommandLine& line) {
  const std::vector<std::string> words = launch_line(options, line);
  if (words.empty()) return;
  // A launcher may give the first rank a terminal of its own, whatever standard output is here.
  if (!has_colored_terminal()) setenv("NO_COLOR", "1", 1);
  process::become(words);
}

}  // namespace speedwell::session
