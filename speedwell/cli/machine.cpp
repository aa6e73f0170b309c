// machine: measures the ceilings that limits are made of, prints them and caches them.
#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <vector>

#include "speedwell/cli/command.hpp"
#include "speedwell/cli/options.hpp"
#include "speedwell/harness/message_ceilings.hpp"
#include "speedwell/harness/records/record.hpp"
#include "speedwell/harness/tables/ceilings_table.hpp"
#include "speedwell/io/atomic_file.hpp"
#include "speedwell/process/ranks.hpp"
#include "speedwell/session/launch.hpp"

namespace speedwell::cli {

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
  const Format format = format_of(options.format, {"text", "json", "csv"});
  session::enter_ranks(options, arguments);
  process::on_first_rank([&] {
    if (!options.json.empty()) session::require_output("--json", options.json);
  });
  stop_at_once() = true;  // there is nothing to keep before all is measured
  const auto here = machine::detect();
  const auto effort = quick ? machine::Effort::quick : machine::Effort::thorough;
  const int threads = threads_of(options.threads, here.cpu);
  const auto devices = devices_of(options.devices, here);
  // On ranks only messages are measured: the ranks would disturb each other, and each has its own cores.
  const bool messages = process::rank_count() > 1;
  const machine::Ceilings all =
      messages ? harness::measure_messages(*process::ranks(), effort) : machine::measure_all(threads, devices, effort);
  const std::string placement = messages ? process::placement_text() : "";
  if (!process::is_root()) return 0;
  if (!messages && options.verbose > 0)
    if (const auto reason = machine::link_missing(devices))
      std::cerr << "no link between GPUs is measured: " << *reason << "\n";
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
  std::cout << (messages ? placement : machine::describe_all(here, threads, devices)) << harness::ceilings_table(all);
  return 0;
}

}  // namespace speedwell::cli
