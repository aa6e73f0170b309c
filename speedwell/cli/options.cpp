#include "speedwell/cli/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <tuple>

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
  const char* const group = "Messages";
  app.add_flag("-q", o.quiet, "say less on standard error")->group(group);
  app.add_flag("-v", o.verbose, "say more on standard error (repeatable)")->group(group);
  app.add_option("--color", o.color, "when to colour (auto): auto, always or never")->type_name("WHEN")->group(group);
  app.add_option("--progress", o.progress, "when to show progress (auto): auto, always or never")
      ->type_name("WHEN")
      ->group(group);
}

void add_problem_options(CLI::App& app, RunOptions& o) {
  const char* const group = "Problem";
  app.add_option(
         "--size", o.size,
         "a named problem or family of problems, such as test, small, standard, large (suite and scale headline, "
         "crossover crossover; others small)")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--set", o.settings,
                 "one parameter of the problem; several values (n=64,128), or several --set of one "
                 "key, are taken in turn (those of the size)")
      ->type_name("KEY=VALUE[,VALUE…]")
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("--precision", o.precision, "numbers (those of the size): f64 or f32")->type_name("P")->group(group);
  app.add_option("--seed", o.seed, "seed of random inputs (1)")->type_name("N")->group(group);
  app.add_option("--config", o.config, "parameters from a TOML file (SPEEDWELL_CONFIG, or none)")
      ->type_name("FILE")
      ->group(group);
}

namespace {

void add_measuring_options(CLI::App& app, RunOptions& o) {
  const char* const group = "Measuring";
  const auto add = [&](const char* name, std::string& value, const char* type, const char* text) {
    app.add_option(name, value, text)->type_name(type)->group(group);
  };
  app.add_flag("--deterministic", o.deterministic, "the same bits for any number of threads, or status 4")
      ->group(group);
  add("--threads", o.threads, "N", "CPU threads (SPEEDWELL_THREADS, OMP_NUM_THREADS, or all cores)");
  add("--devices", o.devices, "LIST",
      "GPU indices after CUDA_VISIBLE_DEVICES, all or none (SPEEDWELL_DEVICES, or all)");
  add("--warmup", o.warmup, "N", "executes before the samples of each pass, the first, cold one included (1)");
  add("--repeat", o.repeat, "N", "exactly so many samples per variant (until precise or out of time)");
  add("--passes", o.passes, "N",
      "at least so many passes (set up, execute, take down) per variant, whatever they take (1)");
  add("--rounds", o.rounds, "N",
      "go through all problems so many times, with one pass of each variant each time (suite and crossover 8; others "
      "1, with as many passes as it takes)");
  add("--min-time", o.min_time, "T", "minimum time of timed phases per variant (0s)");
  add("--max-time", o.max_time, "T",
      "time of timed phases per variant after which no pass begins (test 50ms, headline and crossover 300ms, small 1s, "
      "others 3s)");
  add("--check-time", o.check_time, "T",
      "untimed checks of more answers per variant (test 50ms, headline and crossover 300ms, small 3s, others 120s)");
  app.add_flag("--energy", o.energy, "measure energy (four seconds more per variant)")->group(group);
}

void add_output_options(CLI::App& app, RunOptions& o) {
  const char* const group = "Output";
  app.add_option(
         "--output", o.output,
         "folder for records.jsonl and report.html (suite, crossover: a new one in speedwell-output; others: none)")
      ->type_name("DIR")
      ->group(group);
  app.add_flag("--force", o.force, "write into a folder that is not empty")->group(group);
  app.add_option("--format", o.format, "what goes to standard output (text): text, json, csv or npb")
      ->type_name("F")
      ->group(group);
  app.add_option("--json", o.json, "also write the records to this file")->type_name("FILE")->group(group);
  app.add_option("--csv", o.csv, "also write one row per run to this file")->type_name("FILE")->group(group);
  app.add_flag("--dry-run", o.dry_run, "print the plan with memory and times, and do nothing")->group(group);
}

}  // namespace

void add_run_options(CLI::App& app, RunOptions& o) {
  app.add_option("--variant", o.variants, "which variants: names or globs, separated by commas (all)")
      ->type_name("GLOB,…")
      ->group("Problem");
  add_problem_options(app, o);
  add_measuring_options(app, o);
  add_output_options(app, o);
  add_verbosity_options(app, o);
}

void add_ranks_options(CLI::App& app, RunOptions& o) {
  const char* const group = "Measuring";
  app.add_option(
         "--ranks", o.ranks,
         "start so many ranks of MPI, each on one core, and run the variants that use them (SPEEDWELL_LAUNCHER, "
         "srun or mpirun)")
      ->type_name("N")
      ->group(group);
  add_gpus_options(app, o);
}

void add_gpus_options(CLI::App& app, RunOptions& o) {
  const char* const group = "Measuring";
  app.add_option("--gpus", o.gpus,
                 "start a rank of MPI for each of so many GPUs, or of all, and run the variants that use them (multi*)")
      ->type_name("N")
      ->group(group);
  app.add_flag("--oversubscribe", o.oversubscribe, "more ranks than cores, or than GPUs, are meant")->group(group);
}

void add_trace_option(CLI::App& app, RunOptions& o) {
  app.add_option("--trace", o.trace,
                 "a time line of one more pass of each variant, which is not measured, for https://ui.perfetto.dev")
      ->type_name("FILE")
      ->group("Output");
}

void add_scale_options(CLI::App& app, RunOptions& o) {
  app.add_option("--variant", o.variants, "the variant on ranks (mpi; with --gpus: multi)")
      ->type_name("NAME")
      ->group("Problem");
  add_problem_options(app, o);
  const char* const group = "Measuring";
  app.add_flag("--deterministic", o.deterministic, "the same bits for any number of threads, or status 4")
      ->group(group);
  for (const auto& [name, value, type, text] :
       {std::tuple{"--warmup", &o.warmup, "N", "executes before the samples of each pass (1)"},
        {"--repeat", &o.repeat, "N", "exactly so many samples per run (until precise or out of time)"},
        {"--passes", &o.passes, "N", "at least so many passes per run (1)"},
        {"--min-time", &o.min_time, "T", "at least so much time in executes per run"},
        {"--max-time", &o.max_time, "T", "about so much time in timed phases per run"},
        {"--check-time", &o.check_time, "T", "untimed checks of more answers per run"}})
    app.add_option(name, *value, text)->type_name(type)->group(group);
  app.add_option("--output", o.output, "folder for records.jsonl (a new one in speedwell-output)")
      ->type_name("DIR")
      ->group("Output");
  app.add_flag("--force", o.force, "write into a folder that is not empty")->group("Output");
  app.add_flag("--dry-run", o.dry_run, "print the commands of all runs, and do nothing")->group("Output");
  app.add_option("--trace", o.trace,
                 "time lines of one more pass on each number, which is not measured: t.json becomes t-4.json")
      ->type_name("FILE")
      ->group("Output");
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
    const std::string text = e.what(), option = text.substr(0, text.find(": 1 required "));
    throw UsageError(option == text ? text : option + ": its value is missing",
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
