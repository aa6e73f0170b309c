#include "speedwell/cli/options.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <iostream>

#include "speedwell/cli/config.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/core/nearest.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/harness/problems.hpp"

namespace speedwell::cli {
namespace {

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value && *value ? value : nullptr;
}

std::int64_t count_option(const std::string& option, const std::string& text, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  try {
    value = core::parse_count(text);
  } catch (const std::invalid_argument& e) {
    throw UsageError(fmt::format("{}: {}", option, e.what()), "");
  }
  if (value < least || value > most)
    throw UsageError(fmt::format("{}: {} is not between {} and {}", option, text, least, most), "");
  return value;
}

/// The words of "what it is: one, another or a third".
std::vector<std::string> choices_in(std::string_view description) {
  if (const auto colon = description.rfind(": "); colon != std::string_view::npos) description.remove_prefix(colon + 2);
  const auto last = description.rfind(" or ");
  if (last == std::string_view::npos) return {};
  std::vector<std::string> words;
  for (std::string_view rest = description.substr(0, last);;) {
    const auto comma = rest.find(", ");
    words.emplace_back(rest.substr(0, comma));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 2);
  }
  words.emplace_back(description.substr(last + 4));
  const auto is_phrase = [](const std::string& word) { return word.find_first_of(" ()") != std::string::npos; };
  return std::any_of(words.begin(), words.end(), is_phrase) ? std::vector<std::string>{} : words;
}

std::vector<OptionShape> shapes_of(const CLI::App& app) {
  std::vector<OptionShape> shapes;
  for (const CLI::Option* o : app.get_options()) {
    OptionShape shape;
    for (const auto& n : o->get_lnames()) shape.names.push_back("--" + n);
    for (const auto& n : o->get_snames()) shape.names.push_back("-" + n);
    shape.most_values = o->get_items_expected_max();
    if (shape.most_values > 0) {
      shape.value = shape.names.empty() ? o->get_name() : o->get_type_name();
      shape.choices = choices_in(o->get_description());
    }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const OptionShape& shape : shapes_of(app)) names.insert(names.end(), shape.names.begin(), shape.names.end());
  return names;
}

}  // namespace

double time_option(const std::string& option, const std::string& text) {
  try {
    return core::parse_seconds(text);
  } catch (const std::invalid_argument& e) {
    throw UsageError(fmt::format("{}: {}", option, e.what()), "");
  }
}

void add_talk_options(CLI::App& app, RunOptions& o) {
  app.add_flag("-q", o.quiet, "say less on standard error");
  app.add_flag("-v", o.verbose, "say more on standard error (repeatable)");
  app.add_option("--color", o.color, "auto, always or never")->type_name("WHEN");
  app.add_option("--progress", o.progress, "auto, always or never")->type_name("WHEN");
}

void add_problem_options(CLI::App& app, RunOptions& o) {
  app.add_option("--size", o.size, "a named problem: test, small, standard, large …")->type_name("NAME");
  app.add_option("--set", o.settings, "one parameter of the problem")->type_name("KEY=VALUE")->allow_extra_args(false);
  app.add_option("--precision", o.precision, "f64 or f32")->type_name("P");
  app.add_option("--seed", o.seed, "seed of random inputs (1)")->type_name("N");
  app.add_option("--config", o.config, "parameters from a TOML file")->type_name("FILE");
}

void add_run_options(CLI::App& app, RunOptions& o) {
  app.add_option("--variant", o.variants, "which variants: names or globs, separated by commas")->type_name("GLOB,…");
  add_problem_options(app, o);
  app.add_flag("--deterministic", o.deterministic, "the same bits for any number of threads, or status 4");
  app.add_option("--threads", o.threads, "CPU threads (all cores)")->type_name("N");
  app.add_option("--devices", o.devices, "GPU indices after CUDA_VISIBLE_DEVICES, all or none")->type_name("LIST");
  app.add_option("--warmup", o.warmup, "executes before the samples of each pass, the first, cold one included (1)")->type_name("N");
  app.add_option("--repeat", o.repeat, "exactly so many samples per variant")->type_name("N");
  app.add_option("--passes", o.passes, "at least so many passes (set up, execute, take down) per variant, whatever they take (1)")->type_name("N");
  app.add_option("--rounds", o.rounds, "go through all problems so many times, with one pass of each variant each time (suite 8; others 1, with as many passes as it takes)")->type_name("N");
  app.add_option("--min-time", o.min_time, "minimum time of timed phases per variant (0)")->type_name("T");
  app.add_option("--max-time", o.max_time, "time of timed phases per variant after which no pass begins (test 50ms, headline 300ms, small 1s, others 3s)")->type_name("T");
  app.add_flag("--energy", o.energy, "measure energy (two seconds more per variant)");
  app.add_option("--output", o.output, "folder for records.jsonl and report.html")->type_name("DIR");
  app.add_flag("--force", o.force, "write into a folder that is not empty");
  app.add_option("--format", o.format, "what goes to standard output: text, json, csv or npb")->type_name("F");
  app.add_option("--json", o.json, "also write the records to this file")->type_name("FILE");
  app.add_option("--csv", o.csv, "also write one row per run to this file")->type_name("FILE");
  app.add_flag("--dry-run", o.dry_run, "print the plan with memory and times, and do nothing");
  add_talk_options(app, o);
}

std::optional<int> parse(CLI::App& app, const Arguments& arguments) {
  app.allow_extras(false);
  app.set_help_flag("-h,--help", "this text");
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
      const auto names = option_names(app);
      throw UsageError(core::unknown_name("option", word.substr(0, word.find('=')), names),
                       "speedwell " + arguments.command + " --help");
    }
    throw UsageError("the command line cannot be read", "speedwell " + arguments.command + " --help");
  } catch (const CLI::ParseError& e) {
    throw UsageError(e.what(), "speedwell " + arguments.command + " --help");
  }
  for (const CLI::Option* option : app.get_options())
    for (const std::string& value : option->results())
      if (value.empty() && !option->get_positional() && option->get_items_expected_min() > 0)
        throw UsageError(option->get_name() + ": its value is empty", "");
  for (const char* name : {"--color", "--progress"})  // also of commands that have nothing to colour
    if (const CLI::Option* option = app.get_option_no_throw(name); option && option->count() > 0)
      wanted(name, option->as<std::string>(), false);
  return std::nullopt;
}

Format format_of(const std::string& text) {
  if (text == "text") return Format::text;
  if (text == "json") return Format::json;
  if (text == "csv") return Format::csv;
  if (text == "npb") return Format::npb;
  const std::vector<std::string> names = {"text", "json", "csv", "npb"};
  throw UsageError(core::unknown_name("format", text, names), "");
}

bool wanted(const std::string& option, const std::string& when, bool automatic) {
  if (when == "always") return true;
  if (when == "never") return false;
  if (when == "auto") return automatic;
  const std::vector<std::string> names = {"auto", "always", "never"};
  throw UsageError(fmt::format("{}: {}", option, core::unknown_name("value", when, names)), "");
}

int threads_of(const std::string& option, const machine::Machine& machine) {
  // More threads than this do not compute faster; some thousands more, and the OpenMP library ends the process.
  const std::int64_t most = std::max<std::int64_t>(256, std::int64_t{4} * machine.cpu.threads);
  std::optional<int> ours;  // read even where the option takes its place: a mistake in it is not passed over
  if (const char* text = environment("SPEEDWELL_THREADS"))
    ours = static_cast<int>(count_option("SPEEDWELL_THREADS", text, 1, most));
  if (!option.empty()) return static_cast<int>(count_option("--threads", option, 1, most));
  if (ours) return *ours;
  if (const char* omp = environment("OMP_NUM_THREADS")) {
    // A list ("8,2") gives the outer level first. What OpenMP ignores, we ignore: it is not our variable.
    int threads = 0;
    const std::string_view text = omp;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
    if (error == std::errc{} && threads >= 1) {
      if (threads > most)
        throw UsageError(fmt::format("OMP_NUM_THREADS: {} is not between 1 and {}", threads, most), "");
      return threads;
    }
  }
  return std::max(1, machine.cpu.cores);
}

std::vector<int> devices_of(const std::string& option, const machine::Machine& machine) {
  std::string text = option;
  if (text.empty())
    if (const char* ours = environment("SPEEDWELL_DEVICES")) text = ours;
  std::vector<int> devices;
  if (text.empty() || text == "all") {
    for (const machine::Gpu& g : machine.gpus) devices.push_back(g.index);
    return devices;
  }
  if (text == "none") return devices;
  for (std::string_view rest = text;;) {
    const auto comma = rest.find(',');
    const std::string word(rest.substr(0, comma));
    const auto index = static_cast<int>(count_option("--devices", word, 0, 4095));
    if (std::none_of(machine.gpus.begin(), machine.gpus.end(), [&](const auto& g) { return g.index == index; }))
      throw core::Unavailable(
          machine.gpus.empty() ? fmt::format("GPU {} is not here: {}", index, machine.gpu_reason)
                               : fmt::format("GPU {} is not here: there are 0 to {}", index, machine.gpus.size() - 1));
    if (std::find(devices.begin(), devices.end(), index) != devices.end())
      throw UsageError(fmt::format("--devices: {} is named twice", index), "");
    devices.push_back(index);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  return devices;
}

harness::Measurement measurement_of(const RunOptions& o, const std::string& size, const machine::Machine& machine) {
  harness::Measurement m;
  m.threads = threads_of(o.threads, machine);
  m.devices = devices_of(o.devices, machine);
  m.deterministic = o.deterministic;
  m.energy = o.energy;
  m.max_seconds = size == "test" ? 0.05 : size == "headline" ? 0.3 : size == "small" ? 1.0 : 3.0;
  if (!o.warmup.empty()) m.warmup = static_cast<int>(count_option("--warmup", o.warmup, 0, 1000000));
  if (!o.passes.empty()) m.passes = static_cast<int>(count_option("--passes", o.passes, 1, 1000000));
  if (!o.repeat.empty()) m.repeat = static_cast<int>(count_option("--repeat", o.repeat, 1, 10000000));
  if (!o.min_time.empty()) m.min_seconds = time_option("--min-time", o.min_time);
  if (!o.max_time.empty())
    m.max_seconds = time_option("--max-time", o.max_time);
  else
    m.max_seconds = std::max(m.max_seconds, m.min_seconds);
  if (m.min_seconds > m.max_seconds) throw UsageError("--min-time is longer than --max-time", "");
  m.order_seed = seed_of(o);
  return m;
}

int rounds_of(const RunOptions& o, int fallback) {
  return o.rounds.empty() ? fallback : static_cast<int>(count_option("--rounds", o.rounds, 1, 1000000));
}

std::uint64_t seed_of(const RunOptions& o) {
  return static_cast<std::uint64_t>(count_option("--seed", o.seed, 0, std::numeric_limits<std::int64_t>::max()));
}

std::vector<SourcedSetting> sourced_settings_of(const RunOptions& o, const harness::Application& application,
                                                bool named) {
  std::vector<SourcedSetting> settings;
  std::string config = o.config, source = o.config;
  if (config.empty())
    if (const char* ours = environment("SPEEDWELL_CONFIG")) {
      config = ours;
      source = config + " (SPEEDWELL_CONFIG)";
    }
  if (!config.empty())
    for (auto& setting : read_config(config, application)) settings.push_back({std::move(setting), source});
  for (const std::string& text : o.settings) {
    const auto equals = text.find('='), dot = text.find('.');
    if (dot < equals) {
      if (text.substr(0, dot) == application.name)
        settings.push_back({harness::parse_setting(application, text.substr(dot + 1)), "--set"});
      else if (named)
        throw UsageError(fmt::format("--set {}: this run is of {}", text, application.name), "");
      continue;
    }
    if (!named)
      throw UsageError(fmt::format("--set {}: several applications run; name one", text),
                       "--set APPLICATION.KEY=VALUE");
    settings.push_back({harness::parse_setting(application, text), "--set"});
  }
  if (!o.precision.empty()) {
    const bool has = std::any_of(application.parameters.begin(), application.parameters.end(),
                                 [](const auto& p) { return p.key == "precision"; });
    if (has)
      settings.push_back({harness::parse_setting(application, "precision", o.precision), "--precision"});
    else if (named)
      throw UsageError(fmt::format("{} has no choice of precision", application.name), "");
  }
  return settings;
}

std::vector<harness::Setting> settings_of(const RunOptions& o, const harness::Application& application, bool named) {
  std::vector<harness::Setting> settings;
  for (auto& one : sourced_settings_of(o, application, named)) settings.push_back(std::move(one.setting));
  return settings;
}

std::vector<std::string> environment_warnings() {
  const std::vector<std::string> known = {"SPEEDWELL_CONFIG",    "SPEEDWELL_DEVICES", "SPEEDWELL_THREADS",
                                          "SPEEDWELL_CACHE_DIR", "SPEEDWELL_LOG",     "SPEEDWELL_GPU_AWARE_MPI",
                                          "SPEEDWELL_PYTHON",    "SPEEDWELL_HOST"};
  std::vector<std::string> warnings;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    if (!text.starts_with("SPEEDWELL_")) continue;
    const std::string name(text.substr(0, text.find('=')));
    if (std::find(known.begin(), known.end(), name) == known.end())
      warnings.push_back(core::unknown_name("environment variable", name, known));
  }
  return warnings;
}

}  // namespace speedwell::cli
