#include "speedwell/session/options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "speedwell/core/closest_match.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/harness/tables/verdict_colors.hpp"
#include "speedwell/io/atomic_file.hpp"
#include "speedwell/process/failure.hpp"

namespace speedwell::session {

using process::UsageError;

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

double time_option(const std::string& option, const std::string& text) {
  try {
    return core::parse_seconds(text);
  } catch (const std::invalid_argument& e) {
    throw UsageError(fmt::format("{}: {}", option, e.what()), "");
  }
}

std::vector<std::string> items_of(const std::string& list) {
  std::vector<std::string> items;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    items.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value && *value ? value : nullptr;
}

Format format_of(const std::string& text, const std::vector<std::string>& allowed) {
  if (std::find(allowed.begin(), allowed.end(), text) == allowed.end())
    throw UsageError(core::unknown_name("format", text, allowed), "");
  if (text == "json") return Format::json;
  if (text == "csv") return Format::csv;
  return text == "npb" ? Format::npb : Format::text;
}

bool wanted(const std::string& option, const std::string& when, bool automatic) {
  if (when == "always") return true;
  if (when == "never") return false;
  if (when == "auto") return automatic;
  const std::vector<std::string> names = {"auto", "always", "never"};
  throw UsageError(fmt::format("{}: {}", option, core::unknown_name("value", when, names)), "");
}

bool has_colored_terminal() {
  const char* const terminal = environment("TERM");
  return isatty(STDOUT_FILENO) != 0 && !environment("NO_COLOR") && terminal && std::string_view(terminal) != "dumb";
}

std::string colored(const RunOptions& options, const std::string& table) {
  return wanted("--color", options.color, has_colored_terminal()) ? harness::with_colors(table) : table;
}

void require_output(const std::string& option, const std::string& path) {
  if (path == "-")
    throw UsageError(
        option + " -: this is no name of a file",
        option == "--json" || option == "--csv" ? "--format " + option.substr(2) + " is for standard output" : "");
  io::require_writable(path);
}

int threads_of(const std::string& option, const machine::Cpu& cpu) {
  // More threads than this do not compute faster; some thousands more, and the OpenMP library ends the process.
  const std::int64_t most = std::max<std::int64_t>(256, std::int64_t{4} * cpu.threads);
  std::optional<int> ours;  // read even where the option takes its place: a mistake in it is not passed over
  if (const char* text = environment("SPEEDWELL_THREADS"))
    ours = static_cast<int>(count_option("SPEEDWELL_THREADS", text, 1, most));
  if (option.find(',') != std::string::npos)
    throw UsageError(fmt::format("--threads: '{}' is a list; a run has one number of threads", option),
                     "run it once for each number");
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
  return std::max(1, cpu.cores);
}

std::vector<int> devices_of(const std::string& option, const machine::Machine& machine) {
  std::string text = option, source = "--devices";
  if (text.empty())
    if (const char* ours = environment("SPEEDWELL_DEVICES")) {
      text = ours;
      source = "SPEEDWELL_DEVICES";
    }
  std::vector<int> devices;
  if (text.empty() || text == "all") {
    for (const machine::Gpu& g : machine.gpus) devices.push_back(g.index);
    return devices;
  }
  if (text == "none") return devices;
  for (const std::string& word : items_of(text)) {
    if (word.empty() || std::isdigit(static_cast<unsigned char>(word[0])) == 0)
      throw UsageError(fmt::format("{}: '{}' is not the number of a GPU, and neither 'all' nor 'none'", source, word),
                       "speedwell list devices");
    const auto index = static_cast<int>(count_option(source, word, 0, 4095));
    if (!machine::find_gpu(machine, index))
      throw core::Unavailable(
          machine.gpus.empty()
              ? fmt::format("{}: GPU {} is not here: {}", source, index, machine.gpu_reason)
              : fmt::format("{}: GPU {} is not here: there are 0 to {}", source, index, machine.gpus.size() - 1));
    if (std::find(devices.begin(), devices.end(), index) != devices.end())
      throw UsageError(fmt::format("{}: {} is named twice", source, index), "");
    devices.push_back(index);
  }
  return devices;
}

harness::Measurement measurement_of(const RunOptions& o, const std::string& size, const machine::Machine& machine) {
  harness::Measurement m;
  m.threads = threads_of(o.threads, machine.cpu);
  m.devices = devices_of(o.devices, machine);
  m.deterministic = o.deterministic;
  m.energy = o.energy;
  m.max_seconds = size == "test" ? 0.05 : size == "headline" || size == "crossover" ? 0.3 : size == "small" ? 1.0 : 3.0;
  // Twenty answers of published sizes are gigabytes to download and to compare.
  m.check_seconds = !o.check_time.empty() ? time_option("--check-time", o.check_time)
                    : size == "small"     ? 3
                    : m.max_seconds < 3   ? m.max_seconds
                                          : 120;
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

std::optional<double> budget_of(const std::string& text, std::optional<double> fallback) {
  return text.empty() ? fallback : time_option("--budget", text);
}

std::uint64_t seed_of(const RunOptions& o) {
  return static_cast<std::uint64_t>(count_option("--seed", o.seed, 0, std::numeric_limits<std::int64_t>::max()));
}

std::vector<std::string> drop_unknown_variables() {
  const std::string ours = "SPEEDWELL_";
  // What follows it: with it, all names would be similar. LOOPS_BY_HOST is for compute-sanitizer.
  const std::vector<std::string> known = {"CONFIG",   "DEVICES", "THREADS", "CACHE_DIR",     "HOST",
                                          "LAUNCHER", "PYTHON",  "LOG",     "LOOPS_BY_HOST", "SHARED_MEMORY"};
  std::vector<std::string> unknown, warnings;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry, name = text.substr(0, text.find('='));
    if (!name.starts_with(ours)) continue;
    if (std::find(known.begin(), known.end(), name.substr(ours.size())) == known.end())
      unknown.push_back(name.substr(ours.size()));
  }
  for (const std::string& name : unknown) {
    unsetenv((ours + name).c_str());
    const std::string close = core::similar(name, known);
    warnings.push_back(fmt::format("unknown environment variable '{}{}'{}", ours, name,
                                   close.empty() ? "" : "; the nearest is '" + ours + close + "'"));
  }
  return warnings;
}

}  // namespace speedwell::session
