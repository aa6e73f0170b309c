// planted_faults: plants faults in what every application's variants compute, and exits with 1 if a verdict accepts
// one.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <map>

#include "speedwell/catalogue.hpp"
#include "speedwell/harness/records/build_info.hpp"
#include "tests/campaign/campaign.hpp"

namespace {

using namespace speedwell;
using campaign::Finding;
using campaign::Result;

int run(int argc, char** argv) {
  CLI::App app("Plants faults in the results of every application and looks whether verdicts reject them.");
  campaign::Options options;
  std::string csv, faults, known;
  app.add_option("--size", options.size,
                 "the named size of every application's problem: test, small, standard or large");
  app.add_option("--app", options.applications, "applications, with commas between; all where left out");
  app.add_option("--variant", options.variants, "globs of variants, with commas between");
  app.add_option("--fault", faults, "faults, with commas between, race among them; all where left out");
  app.add_option("--budget", options.budget, "seconds after which nothing is begun")->check(CLI::Range(1e-3, 1e6));
  app.add_option("--threads", options.threads, "threads of variants on all cores; all where left out")
      ->check(CLI::Range(1, 4096));
  app.add_option("--seed", options.seed, "of the data and of where faults are");
  app.add_option("--csv", csv, "write every verdict to this file, each when it is there");
  app.add_option("--known", known, "pass over what has every verdict in this file of an earlier run");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& e) {
    throw std::invalid_argument(e.what());
  }
  for (std::size_t begin = 0; begin < faults.size();) {
    const std::size_t end = std::min(faults.find(',', begin), faults.size());
    options.faults.push_back(faults.substr(begin, end - begin));
    begin = end + 1;
  }

  if (!known.empty()) options.known = campaign::known_cells(known);

  std::ofstream rows;
  if (!csv.empty()) {
    rows.open(csv);
    if (!rows) throw std::invalid_argument("--csv " + csv + ": cannot be written");
    rows << campaign::csv_header() << std::flush;
  }
  std::vector<Finding> findings;
  const machine::Machine machine = machine::detect();
  const bool gpu = options.variants.find("cuda") != std::string::npos && !machine.gpus.empty();
  const std::string where = gpu ? machine.gpus.front().name : machine.cpu.name;
  const std::string commit =
      fmt::format("{}{}", harness::build_info().commit, harness::build_info().dirty ? "-dirty" : "");
  run_campaign(catalogue(), options, machine, [&](const Finding& f) {
    findings.push_back(f);
    if (!csv.empty()) rows << campaign::csv_line(f, where, commit) << std::flush;
    if (f.result == Result::accepted || f.result == Result::control_failed)
      std::cout << fmt::format("{}: {}: {} {} {}: {} (error {:.4g}, tolerance {:.4g}) {}\n", to_string(f.result),
                               f.problem, f.variant, f.output, f.fault, f.place, f.error, f.tolerance, f.note)
                << std::flush;
  });

  std::map<std::string, int> counts;
  for (const Finding& f : findings) ++counts[to_string(f.result)];
  for (const auto& [result, count] : counts) std::cout << fmt::format("{:>16}: {}\n", result, count);
  return counts["accepted"] + counts["control_failed"] > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::invalid_argument& e) {
    std::cerr << "planted_faults: error: " << e.what() << "\n";
    return 2;
  } catch (const std::exception& e) {
    std::cerr << "planted_faults: error: " << e.what() << "\n";
    return 70;
  }
}
