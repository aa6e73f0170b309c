// machine: measures the ceilings that limits are made of, prints them and caches them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "speedwell/cli/command.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/cli/options.hpp"
#include "speedwell/harness/ceilings_table.hpp"
#include "speedwell/harness/message_ceilings.hpp"
#include "speedwell/harness/record.hpp"
#include "speedwell/io/atomic_file.hpp"
#include "speedwell/machine/binding.hpp"
#include "speedwell/process/ranks.hpp"
#include "speedwell/session/launch.hpp"

namespace speedwell::cli {

namespace {

// The ceilings of this process's machine. `link_missing` receives the reason if there is no link between GPUs.
machine::Ceilings measure(int threads, const std::vector<int>& devices, machine::Effort effort,
                          const std::optional<std::string>& link_missing) {
  machine::bind_team(threads);
  machine::Ceilings all = machine::measure_host(threads, effort);
  const auto add = [&](const machine::Ceilings& more) {
    all.entries.insert(all.entries.end(), more.entries.begin(), more.entries.end());
  };
  if (!devices.empty()) add(machine::measure_gpu(devices.front(), effort));
  if (!link_missing) add(machine::measure_link(devices, effort));
  return all;
}

// "gpu 0: NVIDIA H200", and the link between GPUs.
std::string gpu_lines(const machine::Machine& here, const std::vector<int>& devices, bool link) {
  if (here.gpus.empty()) return "gpu: none: " + here.gpu_reason + "\n";
  if (devices.empty()) return {};
  std::string text =
      fmt::format("gpu {}: {}\n", devices.front(), here.gpus.at(static_cast<std::size_t>(devices.front())).name);
  if (link) text += "link: " + machine::describe_link(devices) + "\n";
  return text;
}

}  // namespace

int machine(const Arguments& arguments) {
  CLI::App app("Measures this machine's ceilings: bandwidths, arithmetic rates, links and latencies.",
               "speedwell machine");
  RunOptions options;
  bool quick = false;
  app.add_option("--threads", options.threads, "CPU threads (all cores)")->type_name("N");
  app.add_option("--devices", options.devices, "GPU indices, all or none")->type_name("LIST");
  app.add_option("--format", options.format, "what is printed (text): text, json or csv")->type_name("F");
  app.add_option("--json", options.json, "also write the document to this file")->type_name("FILE");
  app.add_flag("--quick", quick, "about a second for the host and one for a GPU");
  add_verbosity_options(app, options);
  app.add_option(
         "--ranks", options.ranks,
         "start so many ranks of MPI, and measure messages between two of them instead (SPEEDWELL_LAUNCHER, srun "
         "or mpirun)")
      ->type_name("N");
  app.add_flag("--oversubscribe", options.oversubscribe, "with --ranks: more ranks than cores are meant");
  if (const auto done = parse(app, arguments)) return *done;
  const Format format = format_of(options.format);
  if (format == Format::npb) throw UsageError("machine prints text, json or csv", "");
  session::enter_ranks(options, arguments);
  process::on_first_rank([&] {
    if (!options.json.empty()) io::require_writable(options.json);
  });
  stop_at_once() = true;  // there is nothing to keep before all is measured
  const auto here = machine::detect();
  const auto effort = quick ? machine::Effort::quick : machine::Effort::thorough;
  const int threads = threads_of(options.threads, here);
  const auto devices = devices_of(options.devices, here);
  // On ranks only messages are measured: the ranks would disturb each other, and each has its own cores.
  const bool messages = process::rank_count() > 1;
  const auto link_missing = machine::link_missing(devices);
  const machine::Ceilings all =
      messages ? harness::measure_messages(*process::ranks(), effort) : measure(threads, devices, effort, link_missing);
  const std::string placement = messages ? process::placement_text() : "";
  if (!process::is_root()) return 0;
  if (!messages && link_missing && options.verbose > 0)
    std::cerr << "no link between GPUs is measured: " << *link_missing << "\n";
  const harness::Session session{arguments.command_line, harness::utc_now(), 0};
  const std::string document = harness::dump(harness::document(here, all, session)) + "\n";
  if (!options.json.empty()) io::write_file(options.json, document);
  if (format == Format::json) {
    std::cout << document;
    return 0;
  }
  if (format == Format::csv) {
    std::cout << harness::ceilings_csv(all);
    return 0;
  }
  if (messages)
    std::cout << placement;
  else
    std::cout << fmt::format("host: {} threads on {} cores of {}\n", threads, here.cpu.cores, here.cpu.name)
              << gpu_lines(here, devices, !link_missing);
  std::cout << harness::ceilings_table(all);
  return 0;
}

}  // namespace speedwell::cli
