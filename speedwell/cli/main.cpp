// speedwell COMMAND …: finds the command, runs it, and turns every failure into one line and one exit status.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>

#include "speedwell/cli/command.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/cli/options.hpp"
#include "speedwell/core/closest_match.hpp"
#include "speedwell/harness/records/build_info.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/io/escape.hpp"
#include "speedwell/process/ranks.hpp"
#include "speedwell/process/termination.hpp"
#include "speedwell/process/threads.hpp"

namespace speedwell::cli {
namespace {

constexpr Command table[] = {
    {"list", "[APP|variants|sizes|devices]", "what is built in and what this machine has", list, true},
    {"info", "", "version, build, processors, GPUs: paste this into a bug report", info, true},
    {"run", "APP", "variants of one application: set up, execute, verify, time", run, true},
    {"compare", "APP", "all its variants on one problem side by side, with speedups", compare, true},
    {"ladder", "APP", "its GPU steps in order, each with its gain over the step before", ladder, true},
    {"crossover", "APP", "from which problem size on the GPU pays", crossover},
    {"scale", "APP", "one variant on several numbers of ranks or GPUs: speed-up and efficiency", scale},
    {"suite", "[APP…]", "every application on every backend of this machine", suite, true},
    {"machine", "", "measures this machine's ceilings", machine, true},
    {"report", "RECORDS…", "one HTML page from records", report},
    {"compare-machines", "A B…", "machines side by side, with what their ceilings predict", compare_machines},
    {"diff", "BASE NEW", "what became faster or slower, with statistics", diff},
    {"accept", "RECORDS… --rules FILE", "holds records against rules: PASS or FAIL for each node", accept},
    {"align", "QUERY DATABASE", "exact local alignments of sequences in FASTA files", align, true},
    {"solve", "CASE.toml", "the flow of a case file, advanced in time", solve, true},
    {"checkpoint", "list|verify DIR", "the checkpoints of a run, and whether they are whole", checkpoint},
    {"config", "show APP", "every parameter of a problem, its value, and its source", config},
    {"schema", "", "the JSON Schema of records", schema, true},
    {"completion", "SHELL", "a script that completes these words in bash, zsh or fish", completion},
};

void overview(std::ostream& out) {
  out << "Speedwell: what a GPU does for HPC codes on this machine, verified and set against the machine's limits.\n\n"
         "usage: speedwell COMMAND [APP|FILE…] [options]\n\n";
  for (const Command& c : table) out << fmt::format("  {:<17} {}\n", c.name, c.summary);
  out << "\nexamples:\n"
         "  speedwell suite                                one problem of every application, in a minute\n"
         "  speedwell compare stream --set kernel=triad    one core, all cores and the GPU side by side\n"
         "  speedwell align query.fa database.fa           your own sequences\n\n"
         "speedwell help COMMAND tells the options.\n";
}

// Known before the command line is understood: the document that explains why it was not must be JSON too.
bool json_wanted(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") return false;
    if (word == "--format=json") return true;
    if (word == "--format" && i + 1 < argc && std::string_view(argv[i + 1]) == "json") return true;
  }
  return false;
}

int dispatch(int argc, char** argv) {
  std::string name = argc < 2 ? "help" : argv[1];
  std::vector<std::string> words(argv + std::min(argc, 2), argv + argc);
  const bool is_version = name == "--version" || name == "-V" || name == "version";
  if (const std::size_t known = name == "help" ? 1 : 0; (is_version || name == "help") && words.size() > known)
    throw UsageError(fmt::format("'{}' is one word too many for {}", words[known], name), "speedwell --help");
  if (name == "help" && !words.empty()) {  // help COMMAND
    name = words.front();
    words = {"--help"};
  }
  if (name == "--help" || name == "-h" || name == "help") {
    overview(std::cout);
    return 0;
  }
  if (is_version) {
    std::cout << "speedwell " << harness::build_info().version << "\n";
    return 0;
  }
  std::vector<std::string> names;
  for (const Command& c : table) {
    names.emplace_back(c.name);
    if (c.name != name) continue;
    for (const std::string& warning : session::drop_unknown_variables())
      std::cerr << "speedwell: warning: " << io::escape(warning) << "\n";
    Arguments arguments;
    arguments.command = name;
    arguments.words = words;
    arguments.command_line = "speedwell";
    for (int i = 1; i < argc; ++i) arguments.command_line += std::string(" ") + argv[i];
    if (process::rank_count() > 1 && !c.on_ranks)
      throw UsageError(fmt::format("{} ranks, and {} does not use MPI", process::rank_count(), name),
                       "start it without mpirun");
    return c.run(arguments);
  }
  if (name.starts_with("-"))
    throw UsageError(fmt::format("unknown option '{}' before a command", name), "speedwell --help");
  throw UsageError(core::unknown_name("command", name, names), "speedwell --help");
}

}  // namespace

std::span<const Command> commands() { return table; }

int run_command(int argc, char** argv) {
  Failure failure;
  try {
    process::join_launch();
    int status = dispatch(argc, argv);
    std::cout.flush();
    if (!std::cout) {
      if (process::reader_is_gone()) return process::leave_closed_pipe(status);
      std::cerr << "speedwell: error: standard output could not be written\n";
      status = status == 0 ? 5 : status;
    }
    return process::leave(status);
  } catch (const io::OutputError& e) {
    if (e.file() == "<stdout>" && process::reader_is_gone()) return process::leave_closed_pipe(0);
    failure = failure_of(e);
  } catch (const std::exception& e) {
    failure = failure_of(e);
  } catch (...) {
    failure.message = "an exception of unknown type";
    failure.id = "bug";
  }
  return process::leave(failure, json_wanted(argc, argv) ? process::document_of(failure) : "");
}

// For the commands whose threads wait for each other.
void set_up_threads_of_command(int argc, char** argv) {
  constexpr std::array<std::string_view, 8> threaded = {"run",       "compare", "ladder", "suite",
                                                        "crossover", "machine", "align",  "solve"};
  if (argc > 1 && std::find(threaded.begin(), threaded.end(), argv[1]) != threaded.end()) process::set_up_threads(argv);
}

int guarded_main(int argc, char** argv) {
  process::handle_termination(json_wanted(argc, argv));
  process::handle_signals();
  try {
    return run_command(argc, argv);
  } catch (...) {  // there was no memory to say what failed
    process::exit_out_of_memory();
  }
}

}  // namespace speedwell::cli

int main(int argc, char** argv) {
  speedwell::cli::set_up_threads_of_command(argc, argv);
  return speedwell::cli::guarded_main(argc, argv);
}
