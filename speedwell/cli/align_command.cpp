// The command `align`: its own options, those of every command, and where the scores are computed.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "speedwell/cli/align.hpp"
#include "speedwell/cli/command.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/cli/options.hpp"
#include "speedwell/comm/environment.hpp"
#include "speedwell/harness/records/build_info.hpp"
#include "speedwell/machine/machine.hpp"
#include "speedwell/process/child.hpp"
#include "speedwell/process/ranks.hpp"
#include "speedwell/search/other_programs.hpp"
#include "speedwell/session/devices.hpp"
#include "speedwell/session/launch.hpp"

namespace speedwell::cli {
namespace {

bool is_on_ranks(const RunOptions& shared) { return !shared.ranks.empty() || process::rank_count() > 1; }

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
  if (!arguments.shapes)
    if (const auto foreign = search::find_foreign_option(arguments.words, option_names(app)))
      throw UsageError(foreign->message, foreign->hint);
  if (const auto done = parse(app, arguments)) return *done;

  if (!shared.ranks.empty() && !shared.gpus.empty() && !comm::launcher_ranks())
    throw UsageError("--ranks and --gpus: one of them", "--gpus N needs no ranks on one host; docs/several-devices.md");
  RunOptions launched = shared;
  launched.gpus.clear();  // one process drives all GPUs of a host
  if (!shared.gpus.empty() && !comm::launcher_ranks()) launched.oversubscribe = false;
  if (const std::vector<std::string> words = session::launch_line(launched, arguments); !words.empty())
    return process::run_launcher(words);

  const machine::Machine machine = machine::detect();
  options.request.threads = is_on_ranks(shared) && shared.threads.empty() ? 1 : threads_of(shared.threads, machine.cpu);
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

  options.request.devices = session::gpus_of_process(shared, machine);
  options.device = session::devices_text(options.request.devices, options.request.threads, machine);
  if (process::rank_count() > 1) options.ranks = process::ranks();
  return run_align(options, std::cout, std::cerr) ? 0 : stop_status();
}

}  // namespace speedwell::cli
