// The options that several commands share, with one meaning everywhere, and how command lines are read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "speedwell/cli/command.hpp"
#include "speedwell/session/options.hpp"

namespace CLI {
class App;
class Validator;
}  // namespace CLI

namespace speedwell::cli {

using session::budget_of;
using session::count_option;
using session::default_budget;
using session::devices_of;
using session::Format;
using session::format_of;
using session::measurement_of;
using session::rounds_of;
using session::RunOptions;
using session::seed_of;
using session::settings_of;
using session::sourced_settings_of;
using session::threads_of;
using session::time_option;
using session::wanted;

/// Adds what says which problem: --size, --set, --precision, --seed, --config.
void add_problem_options(CLI::App& app, RunOptions& options);
/// Adds --variant … --csv to a command, with those of the problem.
void add_run_options(CLI::App& app, RunOptions& options);
/// Adds --gpus and --oversubscribe to a command whose runs may be on several GPUs: see enter_ranks().
void add_gpus_options(CLI::App& app, RunOptions& options);
/// Adds --ranks, too.
void add_ranks_options(CLI::App& app, RunOptions& options);
/// Adds --trace.
void add_trace_option(CLI::App& app, RunOptions& options);
/// Adds what a command passes on to the runs that it starts, and --output.
void add_scale_options(CLI::App& app, RunOptions& options);
/// Adds -q, -v, --color and --progress.
void add_verbosity_options(CLI::App& app, RunOptions& options);

/// For the check() of an option that takes one of these words: another is a UsageError that names the nearest, or all.
CLI::Validator one_of(const std::vector<std::string>& words);

/// The names of all options of `app`, with their dashes.
std::vector<std::string> option_names(const CLI::App& app);

/// Parses `arguments` with `app`. Help asked for is printed to stdout, shapes asked for are given: then 0 is returned,
/// and the command has nothing else to do. Throws UsageError naming the nearest option for one that does not exist.
std::optional<int> parse(CLI::App& app, const Arguments& arguments);

}  // namespace speedwell::cli
