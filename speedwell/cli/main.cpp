// speedwell COMMAND …: finds the command, runs it, and turns every failure into one line and one exit status.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <iostream>

#include "speedwell/cli/command.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/cli/last_resort.hpp"
#include "speedwell/cli/options.hpp"
#include "speedwell/cli/ranks.hpp"
#include "speedwell/cli/spinning.hpp"
#include "speedwell/core/closest_match.hpp"
#include "speedwell/harness/build_info.hpp"
#include "speedwell/harness/record.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/io/escape.hpp"
#include "speedwell/io/source.hpp"

namespace speedwell::cli {
namespace {

std::atomic<bool> stop{false}, at_once{false};
std::atomic<int> stop_signal{0};
std::atomic<const char*> notice{nullptr};
static_assert(std::atomic<const char*>::is_always_lock_free);
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

// A terminal, timeout, mpirun and srun may give one signal to a process twice, within milliseconds.
constexpr std::int64_t one_signal_ns = 1000000000;
std::atomic<std::int64_t> first_signal_ns{0};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

extern "C" void on_signal(int signal) {
  if (at_once) std::_Exit(128 + signal);
  struct timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);  // may be called in a handler of signals
  const std::int64_t ns = std::int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
  std::int64_t first = 0;
  if (first_signal_ns.compare_exchange_strong(first, ns)) {
    stop_signal = signal;
    stop = true;
    if (const char* const text = notice) {
      const int error = errno;
      std::size_t length = 0;
      while (text[length]) ++length;
      const ssize_t ignored = ::write(STDERR_FILENO, text, length);
      (void)ignored;
      errno = error;
    }
    return;
  }
  if (signal == SIGUSR1) return;  // batch systems may say it several times
  if (stop_signal != SIGUSR1 && ns - first < one_signal_ns) return;
  std::_Exit(128 + signal);  // the second signal does not wait
}

// An input may be a pipe to which no process writes. Nothing is lost if the process ends instead of waiting for it.
void end_reading() {
  const int signal = stop_signal;
  if (stop && signal != SIGUSR1) std::_Exit(128 + signal);
}

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
    {"align", "QUERY DATABASE", "exact local alignments of sequences in FASTA files", align},
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
         "  speedwell suite                                everything, in minutes, with a report\n"
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
  if (argc < 2) {
    overview(std::cout);
    return 0;
  }
  std::string name = argv[1];
  std::vector<std::string> words(argv + 2, argv + argc);
  if (name == "help" && !words.empty()) {  // help COMMAND
    name = words.front();
    words = {"--help"};
  }
  if (name == "--help" || name == "-h" || name == "help") {
    overview(std::cout);
    return 0;
  }
  if (name == "--version" || name == "-V" || name == "version") {
    std::cout << "speedwell " << harness::build_info().version << "\n";
    return 0;
  }
  std::vector<std::string> names;
  for (const Command& c : table) {
    names.emplace_back(c.name);
    if (c.name != name) continue;
    for (const std::string& warning : environment_warnings())
      std::cerr << "speedwell: warning: " << io::escape(warning) << "\n";
    Arguments arguments;
    arguments.command = name;
    arguments.words = words;
    arguments.command_line = "speedwell";
    for (int i = 1; i < argc; ++i) arguments.command_line += std::string(" ") + argv[i];
    if (rank_count() > 1 && !c.on_ranks)
      throw UsageError(fmt::format("{} ranks, and {} does not use MPI", rank_count(), name), "start it without mpirun");
    return c.run(arguments);
  }
  if (name.starts_with("-"))
    throw UsageError(fmt::format("unknown option '{}' before a command", name), "speedwell --help");
  throw UsageError(core::unknown_name("command", name, names), "speedwell --help");
}

}  // namespace

std::span<const Command> commands() { return table; }
const std::atomic<bool>& stop_requested() { return stop; }
std::atomic<bool>& stop_at_once() { return at_once; }
bool reader_is_gone() {
  struct pollfd out = {STDOUT_FILENO, POLLOUT, 0};
  return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}
std::atomic<const char*>& stop_notice() { return notice; }
int stop_status() {
  if (!stop) return 0;
  return stop_signal == SIGUSR1 ? 7 : 128 + stop_signal.load();
}

// Ends in silence, as grep and others do when `| head` has read enough: by SIGPIPE, which the shell calls 141, unless
// there is a failure to tell.
int leave_closed_pipe(int status) {
  leave_in_order();
  if (status != 0 || rank_count() > 1) return leave(status == 0 ? 128 + SIGPIPE : status);
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
  return 128 + SIGPIPE;
}

int run_command(int argc, char** argv) {
  Failure failure;
  try {
    join_launch();
    int status = dispatch(argc, argv);
    std::cout.flush();
    if (!std::cout) {
      if (reader_is_gone()) return leave_closed_pipe(status);
      std::cerr << "speedwell: error: standard output could not be written\n";
      status = status == 0 ? 5 : status;
    }
    leave_in_order();
    return leave(status);
  } catch (const io::OutputError& e) {
    if (e.file() == "<stdout>" && reader_is_gone()) return leave_closed_pipe(0);
    failure = failure_of(e);
  } catch (const std::exception& e) {
    failure = failure_of(e);
  } catch (...) {
    failure.message = "an exception of unknown type";
    failure.id = "bug";
  }
  const std::string document =
      json_wanted(argc, argv)
          ? harness::dump(harness::error_document(failure.status, failure.id, failure.message, failure.hint,
                                                  failure.file, failure.line, failure.column)) +
                "\n"
          : std::string();
  leave_in_order();
  return leave(failure, document);
}

int guarded_main(int argc, char** argv) {
  guard_ends(json_wanted(argc, argv));
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGUSR1, &action, nullptr);  // "the time is nearly over" of batch systems
  io::set_reading_check(end_reading);
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is found when stdout is flushed, and files are written all the same
  std::signal(SIGXFSZ, SIG_IGN);  // and so is a file beyond the limit of its size
  try {
    return run_command(argc, argv);
  } catch (...) {  // there was no memory to say what failed
    end_without_memory();
  }
}

}  // namespace speedwell::cli

int main(int argc, char** argv) {
  speedwell::cli::bound_spinning(argc, argv);
  return speedwell::cli::guarded_main(argc, argv);
}
