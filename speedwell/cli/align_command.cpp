// The command `align`: its own options, those of every command, and where the scores are computed.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "speedwell/cli/align.hpp"
#include "speedwell/cli/align_words.hpp"
#include "speedwell/cli/command.hpp"
#include "speedwell/cli/options.hpp"
#include "speedwell/harness/build_info.hpp"
#include "speedwell/machine/machine.hpp"

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
  add_verbosity_options(app, shared);
  app.footer(
      "Hits of a query come by score, equal scores in the order of DATABASE. One alignment is reported for each pair.\n"
      "Where no column needs an alignment (qseqid sseqid score evalue bitscore qlen slen sstrand qtitle stitle), none "
      "is\n"
      "computed, which is faster.\n"
      "Lower case counts as upper case. '-' and '.' are removed from sequences with a warning.");
  if (!arguments.shapes) refuse_foreign_words(arguments.words, option_names(app));
  if (const auto done = parse(app, arguments)) return *done;

  const machine::Machine machine = machine::detect();
  options.request.threads = threads_of(shared.threads, machine);
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

  options.request.devices = devices_of(shared.devices, machine);
  options.device = device_text(options.request.devices, options.request.threads, machine);
  return run_align(options, std::cout, std::cerr) ? 0 : stop_status();
}

}  // namespace speedwell::cli
