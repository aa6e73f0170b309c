// The options of a command that measures, as typed, and their values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "speedwell/harness/config_file.hpp"
#include "speedwell/harness/measurement/application.hpp"
#include "speedwell/harness/measurement/experiment.hpp"
#include "speedwell/machine/machine.hpp"

namespace speedwell::session {

/// A command of the program with its words.
struct CommandLine {
  std::string command;
  std::vector<std::string> words;  // after the command
  std::string command_line;        // the whole, as it was typed, for the record
};

enum class Format { text, json, csv, npb };

/// Options as typed. The functions below convert them to values by the grammar of counts and times.
struct RunOptions {
  std::string variants, size, precision, seed = "1", threads, devices, warmup, repeat, passes, rounds, min_time,
                                         max_time, check_time;
  std::vector<std::string> settings;
  std::string config, output, format = "text", json, csv, progress = "auto", color = "auto";
  std::string trace;  // the file of --trace
  bool force = false, deterministic = false, dry_run = false, energy = false;
  std::string ranks, gpus;  // numbers of ranks and GPUs
  bool oversubscribe = false;
  int quiet = 0, verbose = 0;
};

/// A count between two bounds, both included. Throws UsageError that names the option.
std::int64_t count_option(const std::string& option, const std::string& text, std::int64_t least, std::int64_t most);
/// A time in seconds. Throws UsageError that names the option.
double time_option(const std::string& option, const std::string& text);

/// The items of a list with commas between. An empty one stays: who reads the items refuses it.
std::vector<std::string> items_of(const std::string& list);

/// The format that `text` names, which is one of `allowed`. Throws UsageError for another.
Format format_of(const std::string& text, const std::vector<std::string>& allowed = {"text", "json", "csv", "npb"});
/// auto, always or never. Throws UsageError for another word.
bool wanted(const std::string& option, const std::string& when, bool automatic);
/// Whether standard output is a terminal whose TERM is not `dumb`, and NO_COLOR is not set.
bool has_colored_terminal();
/// A table of verdicts in colours where --color wants them: if it says `auto`, if has_colored_terminal().
std::string colored(const RunOptions& options, const std::string& table);

/// Checks that a file can be written at the path that an option names. Throws UsageError for "-", and io::OutputError.
void require_output(const std::string& option, const std::string& path);

/// Number of threads: --threads, SPEEDWELL_THREADS, OMP_NUM_THREADS, else the physical cores. Throws UsageError.
int threads_of(const std::string& option, const machine::Cpu& cpu);
/// GPU indices: --devices, SPEEDWELL_DEVICES, else all. Throws UsageError, or core::Unavailable for one that is not
/// here.
std::vector<int> devices_of(const std::string& option, const machine::Machine& machine);
/// Returns how to measure, with the default times of the size. Throws UsageError.
harness::Measurement measurement_of(const RunOptions& options, const std::string& size,
                                    const machine::Machine& machine);
/// --rounds, or else `fallback`. Throws UsageError.
int rounds_of(const RunOptions& options, int fallback);
std::uint64_t seed_of(const RunOptions& options);
/// The time that commands with a budget take if --budget is not given.
inline constexpr double default_budget = 60;  // seconds
/// --budget in seconds, or else `fallback`. Throws UsageError.
std::optional<double> budget_of(const std::string& text, std::optional<double> fallback);

using harness::SourcedSetting;

/// The settings for one application: --config, then --set KEY=VALUE (or APP.KEY=VALUE), then --precision; the last one
/// of a key counts, but several --set of one key are several values of it. `named`: the command names this application,
/// so that every plain key must be its own.
std::vector<SourcedSetting> sourced_settings_of(const RunOptions& options, const harness::Application& application,
                                                bool named);
std::vector<harness::Sweep> settings_of(const RunOptions& options, const harness::Application& application, bool named);

/// The value of an environment variable; null where it is not set or empty.
const char* environment(const char* name);
/// Warnings for SPEEDWELL_* variables that do not exist. They are removed from the environment, so that ranks and other
/// processes started from here do not warn again.
std::vector<std::string> drop_unknown_variables();

}  // namespace speedwell::session
