// machine: measures the ceilings that limits are made of, prints them and caches them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "speedwell/cli/command.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/cli/options.hpp"
#include "speedwell/harness/ceilings_table.hpp"
#include "speedwell/harness/record.hpp"
#include "speedwell/io/atomic_file.hpp"
#include "speedwell/machine/binding.hpp"

namespace speedwell::cli {

int machine(const Arguments& arguments) {
  CLI::App app("Measures this machine's ceilings: bandwidths, arithmetic rates, link and latencies.",
               "speedwell machine");
  RunOptions options;
  bool quick = false;
  app.add_option("--threads", options.threads, "CPU threads (all cores)")->type_name("N");
  app.add_option("--devices", options.devices, "GPU indices, all or none")->type_name("LIST");
  app.add_option("--format", options.format, "what is printed (text): text, json or csv")->type_name("F");
  app.add_option("--json", options.json, "also write the document to this file")->type_name("FILE");
  app.add_flag("--quick", quick, "about a second for the host and one for a GPU");
  add_verbosity_options(app, options);
  if (const auto done = parse(app, arguments)) return *done;
  const Format format = format_of(options.format);
  if (format == Format::npb) throw UsageError("machine prints text, json or csv", "");
  if (!options.json.empty()) io::require_writable(options.json);
  stop_at_once() = true;  // there is nothing to keep before all is measured
  const auto here = machine::detect();
  const auto effort = quick ? machine::Effort::quick : machine::Effort::thorough;
  const int threads = threads_of(options.threads, here);
  const auto devices = devices_of(options.devices, here);
  machine::bind_team(threads);
  machine::Ceilings all = machine::measure_host(threads, effort);
  if (!devices.empty()) {
    const auto gpu = machine::measure_gpu(devices.front(), effort);
    all.entries.insert(all.entries.end(), gpu.entries.begin(), gpu.entries.end());
  }
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
  std::cout << fmt::format("host: {} threads on {} cores of {}\n", threads, here.cpu.cores, here.cpu.name);
  if (here.gpus.empty())
    std::cout << "gpu: none: " << here.gpu_reason << "\n";
  else if (!devices.empty())
    std::cout << fmt::format("gpu {}: {}\n", devices.front(),
                             here.gpus.at(static_cast<std::size_t>(devices.front())).name);
  std::cout << harness::ceilings_table(all);
  return 0;
}

}  // namespace speedwell::cli
