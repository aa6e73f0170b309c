#include "speedwell/session/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "speedwell/comm/environment.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/machine/host/cpu.hpp"
#include "speedwell/machine/machine.hpp"
#include "speedwell/process/failure.hpp"
#include "speedwell/process/ranks.hpp"
#include "speedwell/session/devices.hpp"
#include "speedwell/session/launch.hpp"
#include "speedwell/simulation/driver.hpp"

namespace speedwell::session {
namespace {

using Gpu = simulation::SimulationOptions::Gpu;
using process::UsageError;

bool is_on_gpus(const RunOptions& options) { return !options.gpus.empty() || options.variants == "multi"; }
bool is_on_cores(const RunOptions& options) {
  return !options.ranks.empty() || (process::rank_count() > 1 && !is_on_gpus(options));
}

void require_no_contradiction(const RunOptions& options, int threads) {
  if (!options.ranks.empty() && is_on_gpus(options))
    throw UsageError(
        options.gpus.empty() ? "--ranks and --variant multi: one of them" : "--ranks and --gpus: one of them",
        "--gpus N starts a rank for each of N GPUs");
  if (!options.gpus.empty() && (options.variants == "cuda" || options.variants == "openmp"))
    throw UsageError(
        fmt::format("--gpus {}, and --variant {} does not run on several GPUs", options.gpus, options.variants),
        "leave one of them out");
  if (is_on_cores(options) && options.variants == "cuda")
    throw UsageError("--variant cuda: runs on ranks are runs on CPUs", "--ranks or --variant cuda; --gpus N for GPUs");
  if (is_on_cores(options) && !options.threads.empty() && threads != 1)
    throw UsageError(fmt::format("--threads {}: each rank runs on one core", options.threads),
                     "more ranks take more cores");
}

void require_case(const simulation::SimulationOptions& solve, int ranks) {
  std::error_code error;
  const std::string file = solve.file.empty() ? solve.folder + "/case.toml" : solve.file;
  if (std::filesystem::is_regular_file(file, error)) simulation::require_ranks(solve, ranks);
}

// Without --gpus a process alone uses the first GPU of --devices. Where --devices is not given that is the one that
// CUDA begins with, and the solver asks whether there is one.
void choose_gpu(const RunOptions& options, simulation::SimulationOptions& solve) {
  if (is_on_gpus(options)) {
    RunOptions of_process = options;
    if (options.gpus.empty()) of_process.gpus = process::rank_count() > 1 ? "all" : "1";
    solve.gpu_device = gpus_of_process(of_process, machine::detect()).front();
    return;
  }
  if (solve.gpu == Gpu::never || (options.devices.empty() && !environment("SPEEDWELL_DEVICES"))) return;
  const machine::Machine machine = machine::detect();
  const std::vector<int> devices = devices_of(options.devices, machine);
  if (!devices.empty())
    solve.gpu_device = devices.front();
  else if (solve.gpu == Gpu::always)
    throw core::Unavailable("--variant cuda: " + (machine.gpus.empty() ? machine.gpu_reason : "--devices none"));
  else if (!machine.gpus.empty())
    solve.gpu = Gpu::never;
}

}  // namespace

std::vector<std::string> enter_solve(const RunOptions& options, const CommandLine& line,
                                     simulation::SimulationOptions& solve) {
  const bool on_gpus = is_on_gpus(options), on_cores = is_on_cores(options);
  solve.threads = threads_of(options.threads, machine::detect_cpu());  // which asks no GPU
  require_no_contradiction(options, solve.threads);
  solve.gpu = on_gpus || options.variants == "cuda"      ? Gpu::always
              : on_cores || options.variants == "openmp" ? Gpu::never
                                                         : Gpu::if_possible;
  const int gpus = options.gpus.empty() ? 0 : gpu_option(options.gpus);  // 0: all
  // Whether several GPUs do the case does not depend on those that are here.
  if (gpus > 1 && !comm::launcher_ranks()) require_case(solve, gpus);
  std::vector<std::string> words = launch_line(options, line);
  if (!words.empty()) {
    if (on_cores) require_case(solve, rank_option(options.ranks));
    if (on_gpus && gpus == 0) require_case(solve, machine_gpus(options.devices));
    return words;
  }
  if (on_cores) solve.threads = 1;
  if (on_gpus && options.threads.empty()) solve.threads = std::max(1, solve.threads / process::rank_count());
  solve.ranks = process::ranks();
  choose_gpu(options, solve);
  return words;
}

}  // namespace speedwell::session
