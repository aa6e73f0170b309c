#include "speedwell/cli/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "speedwell/cli/errors.hpp"
#include "speedwell/cli/help.hpp"
#include "speedwell/core/closest_match.hpp"

namespace speedwell::cli {
namespace {

std::vector<OptionShape> shapes_of(const CLI::App& app) {
  std::vector<OptionShape> shapes;
  for (const CLI::Option* o : app.get_options()) {
    OptionShape shape;
    for (const auto& n : o->get_lnames()) shape.names.push_back("--" + n);
    for (const auto& n : o->get_snames()) shape.names.push_back("-" + n);
    shape.max_values = o->get_items_expected_max();
    if (shape.max_values > 0) {
      shape.value = shape.names.empty() ? o->get_name() : o->get_type_name();
      shape.choices = session::choices_in(o->get_description());
    }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

// Adds options to one group of the help.
struct Group {
  CLI::App& app;
  const char* name;

  CLI::Option* option(const char* names, auto& value, const char* type, const char* text) const {
    return app.add_option(names, value, text)->type_name(type)->group(name);
  }
  void flag(const char* names, auto& value, const char* text) const { app.add_flag(names, value, text)->group(name); }
};

}  // namespace

CLI::Validator one_of(const std::vector<std::string>& words) {
  const auto check = [words](const std::string& text) {
    const bool known = std::find(words.begin(), words.end(), text) != words.end();
    return known ? std::string() : core::unknown_name("value", text, words);
  };
  return {check, ""};  // without a description, which the help would add to the option's name
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const OptionShape& shape : shapes_of(app)) names.insert(names.end(), shape.names.begin(), shape.names.end());
  return names;
}

void add_verbosity_options(CLI::App& app, RunOptions& o) {
  const Group messages{app, "Messages"};
  messages.flag("-q", o.quiet, "say less on standard error");
  messages.flag("-v", o.verbose, "say more on standard error (repeatable)");
  messages.option("--color", o.color, "WHEN", "when to colour (auto): auto, always or never");
  messages.option("--progress", o.progress, "WHEN", "when to show progress (auto): auto, always or never");
}

void add_problem_options(CLI::App& app, RunOptions& o) {
  const Group problem{app, "Problem"};
  problem.option("--size", o.size, "NAME",
                 "a named problem or family of problems, such as test, small, standard, large (suite and scale "
                 "headline, crossover crossover; others small)");
  problem
      .option("--set", o.settings, "KEY=VALUE[,VALUE…]",
              "one parameter of the problem; several values (n=64,128), or several --set of one key, are taken in turn "
              "(those of the size)")
      ->allow_extra_args(false);
  problem.option("--precision", o.precision, "P", "numbers (those of the size): f64 or f32");
  problem.option("--seed", o.seed, "N", "seed of random inputs (1)");
  problem.option("--config", o.config, "FILE", "parameters from a TOML file (SPEEDWELL_CONFIG, or none)");
}

namespace {

void add_deterministic_flag(const Group& measuring, RunOptions& o) {
  measuring.flag("--deterministic", o.deterministic, "the same bits for any number of threads, or status 4");
}

void add_measuring_options(CLI::App& app, RunOptions& o) {
  const Group measuring{app, "Measuring"};
  add_deterministic_flag(measuring, o);
  measuring.option("--threads", o.threads, "N", "CPU threads (SPEEDWELL_THREADS, OMP_NUM_THREADS, or all cores)");
  measuring.option("--devices", o.devices, "LIST",
                   "GPU indices after CUDA_VISIBLE_DEVICES, all or none (SPEEDWELL_DEVICES, or all)");
  measuring.option("--warmup", o.warmup, "N",
                   "executes before the samples of each pass, the first, cold one included (1)");
  measuring.option("--repeat", o.repeat, "N", "exactly so many samples per variant (until precise or out of time)");
  measuring.option("--passes", o.passes, "N",
                   "at least so many passes (set up, execute, take down) per variant, whatever they take (1)");
  measuring.option(
      "--rounds", o.rounds, "N",
      "go through all problems so many times, with one pass of each variant each time (suite and crossover 8; others "
      "1, with as many passes as it takes)");
  measuring.option("--min-time", o.min_time, "T", "minimum time of timed phases per variant (0s)");
  measuring.option(
      "--max-time", o.max_time, "T",
      "time of timed phases per variant after which no pass begins (test 50ms, headline and crossover 300ms, small 1s, "
      "others 3s)");
  measuring.option(
      "--check-time", o.check_time, "T",
      "untimed checks of more answers per variant (test 50ms, headline and crossover 300ms, small 3s, others 120s)");
  measuring.flag("--energy", o.energy, "measure energy (four seconds more per variant)");
}

void add_output_options(CLI::App& app, RunOptions& o) {
  const Group output{app, "Output"};
  output.option(
      "--output", o.output, "DIR",
      "folder for records.jsonl and report.html (suite, crossover: a new one in speedwell-output; others: none)");
  output.flag("--force", o.force, "write into a folder that is not empty");
  output.option("--format", o.format, "F", "what goes to standard output (text): text, json, csv or npb");
  output.option("--json", o.json, "FILE", "also write the records to this file");
  output.option("--csv", o.csv, "FILE", "also write one row per run to this file");
  output.flag("--dry-run", o.dry_run, "print the plan with memory and times, and do nothing");
}

}  // namespace

void add_run_options(CLI::App& app, RunOptions& o) {
  Group{app, "Problem"}.option("--variant", o.variants, "GLOB,…",
                               "which variants: names or globs, separated by commas (all)");
  add_problem_options(app, o);
  add_measuring_options(app, o);
  add_output_options(app, o);
  add_verbosity_options(app, o);
}

void add_ranks_options(CLI::App& app, RunOptions& o) {
  Group{app, "Measuring"}.option("--ranks", o.ranks, "N",
                                 "start so many ranks of MPI, each on one core, and run the variants that use them "
                                 "(SPEEDWELL_LAUNCHER, srun or mpirun)");
  add_gpus_options(app, o);
}

void add_gpus_options(CLI::App& app, RunOptions& o) {
  const Group measuring{app, "Measuring"};
  measuring.option(
      "--gpus", o.gpus, "N",
      "start a rank of MPI for each of so many GPUs, or of all, and run the variants that use them (multi*)");
  measuring.flag("--oversubscribe", o.oversubscribe, "more ranks than cores, or than GPUs, are meant");
}

void add_trace_option(CLI::App& app, RunOptions& o) {
  Group{app, "Output"}.option(
      "--trace", o.trace, "FILE",
      "a time line of one more pass of each variant, which is not measured, for https://ui.perfetto.dev");
}

void add_scale_options(CLI::App& app, RunOptions& o) {
  Group{app, "Problem"}.option("--variant", o.variants, "NAME", "the variant on ranks (mpi; with --gpus: multi)");
  add_problem_options(app, o);
  const Group measuring{app, "Measuring"}, output{app, "Output"};
  add_deterministic_flag(measuring, o);
  measuring.option("--warmup", o.warmup, "N", "executes before the samples of each pass (1)");
  measuring.option("--repeat", o.repeat, "N", "exactly so many samples per run (until precise or out of time)");
  measuring.option("--passes", o.passes, "N", "at least so many passes per run (1)");
  measuring.option("--min-time", o.min_time, "T", "at least so much time in executes per run");
  measuring.option("--max-time", o.max_time, "T", "about so much time in timed phases per run");
  measuring.option("--check-time", o.check_time, "T", "untimed checks of more answers per run");
  output.option("--output", o.output, "DIR", "folder for records.jsonl (a new one in speedwell-output)");
  output.flag("--force", o.force, "write into a folder that is not empty");
  output.flag("--dry-run", o.dry_run, "print the commands of all runs, and do nothing");
  output.option("--trace", o.trace, "FILE",
                "time lines of one more pass on each number, which is not measured: t.json becomes t-4.json");
  add_verbosity_options(app, o);
}

std::optional<int> parse(CLI::App& app, const Arguments& arguments) {
  app.allow_extras(false);
  app.set_help_flag("-h,--help", "this text")->group("Messages");
  set_help_style(app, arguments.command);
  if (arguments.shapes) {
    *arguments.shapes = shapes_of(app);
    return 0;
  }
  for (const std::string& word : arguments.words)
    if (word == "--")
      break;
    else if (word.starts_with("--") && word.find('=') == word.size() - 1)
      throw UsageError(word.substr(0, word.size() - 1) + ": its value is empty", "");
  std::vector<std::string> reversed(arguments.words.rbegin(), arguments.words.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return 0;
  } catch (const CLI::ExtrasError&) {
    // CLI11 names all that is left over; the first is what the user should look at.
    for (const std::string& word : app.remaining()) {
      if (word.size() < 2 || word[0] != '-')
        throw UsageError(fmt::format("'{}' is one word too many for {}", word, arguments.command),
                         "speedwell " + arguments.command + " --help");
      const std::string option = word.substr(0, word.find('='));
      const std::string close = core::similar(option, option_names(app));  // all of them are in the help
      throw UsageError(
          fmt::format("unknown option '{}'{}", option, close.empty() ? "" : "; the nearest is '" + close + "'"),
          "speedwell " + arguments.command + " --help");
    }
    throw UsageError("the command line cannot be read", "speedwell " + arguments.command + " --help");
  } catch (const CLI::ParseError& e) {
    const std::string text = e.what(), option = text.substr(0, text.find(": 1 required ")),
                      repeated = text.substr(0, text.find(": At Most 1 required "));
    throw UsageError(repeated != text ? repeated + ": given more than once"
                     : option != text ? option + ": its value is missing"
                                      : text,
                     "speedwell " + arguments.command + " --help");
  }
  const bool words = arguments.command == "completion";  // the word that is to be completed may be empty
  for (const CLI::Option* option : app.get_options())
    for (const std::string& value : option->results())
      if (value.empty() && !(words && option->get_positional()) && option->get_items_expected_min() > 0)
        throw UsageError(option->get_name() + ": its value is empty", "");
  for (const char* name : {"--color", "--progress"})  // also of commands that have nothing to colour
    if (const CLI::Option* option = app.get_option_no_throw(name); option && option->count() > 0)
      wanted(name, option->as<std::string>(), false);
  return std::nullopt;
}

}  // namespace speedwell::cli
