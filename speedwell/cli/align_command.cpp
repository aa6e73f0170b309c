// The command `align`: its own options, those of every command, and where the scores are computed.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "speedwell/cli/align.hpp"
#include "speedwell/cli/align_words.hpp"
#include "speedwell/cli/command.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/cli/options.hpp"
#include "speedwell/comm/devices.hpp"
#include "speedwell/comm/environment.hpp"
#include "speedwell/harness/build_info.hpp"
#include "speedwell/machine/machine.hpp"
#include "speedwell/process/child.hpp"
#include "speedwell/process/ranks.hpp"
#include "speedwell/session/launch.hpp"

namespace speedwell::cli {

namespace {

// "2 threads on AMD EPYC", "2 x NVIDIA H200".
std::string device_text(const std::vector<int>& devices, int threads, const machine::Machine& machine) {
  if (devices.empty()) return fmt::format("{} thread{} of {}", threads, threads == 1 ? "" : "s", machine.cpu.name);
  std::string name = "GPU";
  for (const machine::Gpu& gpu : machine.gpus)
    if (gpu.index == devices.front()) name = gpu.name;
  return devices.size() == 1 ? name : fmt::format("{} x {}", devices.size(), name);
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names = {"-h", "--help"};
  for (const CLI::Option* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    for (const auto& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

bool is_on_ranks(const RunOptions& shared) { return !shared.ranks.empty() || process::rank_count() > 1; }

// The GPUs of this process: with --gpus so many of --devices. On ranks one of them, and none without --gpus.
std::vector<int> gpus_of(const RunOptions& shared, const machine::Machine& machine) {
  std::vector<int> devices = devices_of(shared.devices, machine);
  if (shared.gpus.empty()) return process::rank_count() > 1 ? std::vector<int>{} : devices;
  const int wanted = session::gpu_option(shared.gpus);
  if (process::rank_count() > 1) {
    if (wanted != 0 && wanted != process::rank_count())
      throw UsageError(fmt::format("--gpus {}, and the launcher has started {}", shared.gpus, process::rank_count()),
                       "on ranks each has a GPU: --gpus all");
    std::vector<comm::VisibleDevice> visible;
    for (const int device : devices)
      for (const machine::Gpu& gpu : machine.gpus)
        if (gpu.index == device) visible.push_back({gpu.index, gpu.name, gpu.uuid});
    return {comm::devices_of_ranks(*process::ranks(), visible, machine.gpu_reason, shared.oversubscribe).device};
  }
  if (const int count = session::machine_gpus(shared.devices); wanted > count)
    throw UsageError(
        fmt::format("--gpus {}: there {} here", wanted, count == 1 ? "is 1 GPU" : fmt::format("are {} GPUs", count)),
        "");
  if (wanted != 0) devices.resize(static_cast<std::size_t>(wanted));
  return devices;
}

}  // namespace

int align(const Arguments& arguments) {
  CLI::App app("Exact local alignments (Smith-Waterman, affine gaps) of every sequence in QUERY to those in DATABASE.",
               "speedwell align");
  AlignOptions options;
  RunOptions shared;
  options.request.block_residues = static_cast<std::size_t>(machine::available_host_bytes()) / 4;
  add_align_options(app, options);
  app.add_option("--threads", shared.threads, "CPU threads (all cores)")->type_name("N");
  app.add_option("--devices", shared.devices, "GPU indices after CUDA_VISIBLE_DEVICES, all or none")->type_name("LIST");
  app.add_option("--ranks", shared.ranks,
                 "start so many ranks of MPI, each on one core, which share the search (SPEEDWELL_LAUNCHER, srun or "
                 "mpirun)")
      ->type_name("N");
  app.add_option(
         "--gpus", shared.gpus,
         "compute on so many of the GPUs, or on all; on ranks that a launcher has started, on one for each rank")
      ->type_name("N");
  app.add_flag("--oversubscribe", shared.oversubscribe, "more ranks than cores, or than GPUs, are meant");
  add_verbosity_options(app, shared);
  app.footer(
      "Hits of a query come by score, equal scores in the order of DATABASE. One alignment is reported for each pair.\n"
      "Where no column needs an alignment (qseqid sseqid score evalue bitscore qlen slen sstrand qtitle stitle), none "
      "is\n"
      "computed, which is faster.\n"
      "Lower case counts as upper case. '-' and '.' are removed from sequences with a warning.");
  if (!arguments.shapes) refuse_foreign_words(arguments.words, option_names(app));
  if (const auto done = parse(app, arguments)) return *done;

  if (!shared.ranks.empty() && !shared.gpus.empty() && !comm::launcher_ranks())
    throw UsageError("--ranks and --gpus: one of them", "--gpus N needs no ranks on one host; docs/several-devices.md");
  RunOptions launched = shared;
  launched.gpus.clear();  // one process drives all GPUs of a host
  if (!shared.gpus.empty() && !comm::launcher_ranks()) launched.oversubscribe = false;
  if (const std::vector<std::string> words = session::launch_line(launched, arguments); !words.empty())
    return process::run_launcher(words);

  const machine::Machine machine = machine::detect();
  options.request.threads = is_on_ranks(shared) && shared.threads.empty() ? 1 : threads_of(shared.threads, machine);
  options.quiet = shared.quiet > 0;
  const bool terminal = isatty(STDERR_FILENO);
  options.summary = shared.verbose > 0 || terminal;
  if (wanted("--progress", shared.progress, !options.quiet)) {
    options.progress = terminal ? ProgressStyle::bar : ProgressStyle::lines;
    options.progress_interval = terminal ? std::chrono::milliseconds(100) : std::chrono::minutes(1);
  }
  options.output.program_version = harness::build_info().version;
  options.output.command_line = arguments.command_line;
  options.request.stop = &stop_requested();
  options.reading = &stop_at_once();

  options.request.devices = gpus_of(shared, machine);
  options.device = device_text(options.request.devices, options.request.threads, machine);
  if (process::rank_count() > 1) {
    options.device = fmt::format("{} ranks, each on {}", process::rank_count(), options.device);
    options.ranks = process::ranks();
  }
  return run_align(options, std::cout, std::cerr) ? 0 : stop_status();
}

}  // namespace speedwell::cli
