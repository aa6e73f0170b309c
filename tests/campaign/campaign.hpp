// The campaign plants every fault in every output of variants of the catalogue and collects their verdicts.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "speedwell/harness/measurement/application.hpp"
#include "speedwell/machine/machine.hpp"
#include "tests/campaign/faults.hpp"

namespace speedwell::campaign {

enum class Result {
  rejected,        // the verdict failed, or verify() threw: the harness would print no figure
  accepted,        // the verdict passed a wrong answer
  control_passed,  // the right answer passed
  control_failed,  // the right answer failed, or the run did
  not_applicable,  // the fault changes nothing, or has no meaning for this output
  not_run,         // the variant cannot run here, or there was no time left
};
std::string to_string(Result result);

/// One verdict.
struct Finding {
  std::string application, problem, variant, output, fault, place;
  Result result = Result::not_run;
  double error = 0, tolerance = 0, seconds = 0;
  std::string note;
};

/// The fault that strikes one of twenty executes; it takes a whole experiment, and is none of faults.hpp's.
inline constexpr const char* race = "race";
inline constexpr const char* control = "control";

struct Options {
  std::string size = "small";
  std::string applications;         // names with commas between; empty: all
  std::string variants = "openmp";  // as --variant of `speedwell run`
  std::vector<std::string> faults;  // empty: all
  std::set<std::string> known;      // names of cells (cell_name()) that are passed over
  double budget = 600;              // seconds: nothing is begun after them
  int threads = 0;                  // 0: all
  std::uint64_t seed = 1;
};

/// Runs the campaign; `say` is told every finding when it is there. Problems of an application follow each other in
/// rounds, so that each application has had its first problem before any has its second. The budget is looked at
/// between steps: a verdict that has begun is waited for. Throws std::invalid_argument for names that nothing has.
void run_campaign(const std::vector<harness::Application>& catalogue, const Options& options,
                  const machine::Machine& machine, const std::function<void(const Finding&)>& say);

/// The name of a variant on a problem in Options::known.
std::string cell_name(const std::string& problem, const std::string& variant);
/// The cells of which a file of such lines has every verdict, the race's too. Throws std::invalid_argument if it cannot
/// be read or is no such file.
std::set<std::string> known_cells(const std::string& path);

/// RFC 4180: the header, and one line. tools/fault_table.py makes the table of docs/verification.md of them.
std::string csv_header();
std::string csv_line(const Finding& finding, const std::string& machine, const std::string& commit);

}  // namespace speedwell::campaign
