// The interface of every command: a name, a sentence, and a function from its arguments to an exit status.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "speedwell/process/failure.hpp"
#include "speedwell/process/signals.hpp"
#include "speedwell/session/completion.hpp"
#include "speedwell/session/options.hpp"

namespace speedwell::cli {

using process::Failure;
using process::failure_of;
using process::stop_at_once;
using process::stop_requested;
using process::stop_status;
using process::text_of;
using process::UsageError;
using session::OptionShape;

/// The words after `speedwell COMMAND`.
struct Arguments : session::CommandLine {
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
