// The interface of every command: a name, a sentence, and a function from its arguments to an exit status.
#pragma once

#include <atomic>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace speedwell::cli {

/// An option or operand as a shell completes it.
struct OptionShape {
  std::vector<std::string> names;  // with their dashes; an operand has none
  std::string value;               // what --help calls its value; empty: it takes none
  int max_values = 0;
  std::vector<std::string> choices;  // of values, where --help names them
};

/// The words after `speedwell COMMAND`.
struct Arguments {
  std::string command;
  std::vector<std::string> words;
  std::string command_line;                    // the whole, as it was typed, for the record
  std::vector<OptionShape>* shapes = nullptr;  // if there, the command puts its options here and does nothing else
};

struct Command {
  std::string_view name;
  std::string_view usage;  // what follows the name
  std::string_view summary;
  int (*run)(const Arguments&);
  bool on_ranks = false;  // may be started with several: looks after them itself, or prints on the first
};

/// All commands, in the order of the overview.
std::span<const Command> commands();

/// Set by SIGINT, SIGTERM and SIGUSR1; a second one of the first two ends the process at once, but for one within a
/// second of the first, which is taken for the same.
const std::atomic<bool>& stop_requested();
/// While true the first one does, too: nothing has been begun that would have to be cleaned up.
std::atomic<bool>& stop_at_once();
/// The message of the first signal on standard error, printed at once: null, or a text that stays valid until the
/// process ends.
std::atomic<const char*>& stop_notice();
/// 130, 143 or, for SIGUSR1, 7 once a signal has come, else 0.
int stop_status();
/// Whether standard output is a pipe whose reading end has been closed.
bool reader_is_gone();

int list(const Arguments&);
int info(const Arguments&);
int run(const Arguments&);
int compare(const Arguments&);
int ladder(const Arguments&);
int crossover(const Arguments&);
int scale(const Arguments&);
int suite(const Arguments&);
int machine(const Arguments&);
int report(const Arguments&);
int diff(const Arguments&);
int accept(const Arguments&);
int compare_machines(const Arguments&);
int align(const Arguments&);
int solve(const Arguments&);
int checkpoint(const Arguments&);
int config(const Arguments&);
int schema(const Arguments&);
int completion(const Arguments&);

}  // namespace speedwell::cli
