// Command lines of `speedwell align` and `speedwell run`: the first byte of the input picks one, every line of the rest
// is a word. Each ends as options whose values are in range, or as one line with status 2, or 4 for a GPU that is not
// there. Nothing is opened or run.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "fuzz/properties.hpp"
#include "speedwell/apps/alignment/database_search/scoring_request.hpp"
#include "speedwell/catalogue.hpp"
#include "speedwell/cli/align.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/cli/options.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/io/escape.hpp"

namespace {

using namespace speedwell;

using fuzz::require;

cli::Arguments arguments_of(std::string_view text, const char* command) {
  cli::Arguments arguments;
  arguments.command = command;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    arguments.words.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return arguments;
}

machine::Machine small_machine() {
  machine::Machine made;
  made.cpu.cores = 4;
  made.gpus.resize(2);
  made.gpus[1].index = 1;
  return made;
}

template <class Number>
bool within(const std::optional<Number>& value, Number least, Number most) {
  return !value || (*value >= least && *value <= most);
}

// The options of a command, declared once: that takes longer than to read a line of them.
struct AlignLine {
  CLI::App app{"", "speedwell align"};
  cli::AlignOptions options;
  cli::RunOptions shared;
  AlignLine() {
    cli::add_align_options(app, options);
    app.add_option("--threads", shared.threads);
    app.add_option("--devices", shared.devices);
    cli::add_verbosity_options(app, shared);
  }
};
struct RunLine {
  CLI::App app{"", "speedwell run"};
  std::string name;
  cli::RunOptions options;
  RunLine() {
    app.add_option("APP", name)->required();
    cli::add_run_options(app, options);
  }
};

// The handling of a command line by align_command.cpp and run_align() before they open a file.
void read_align(const cli::Arguments& arguments, const machine::Machine& machine) {
  static AlignLine line;
  auto& [app, o, shared] = line;
  o = cli::AlignOptions();
  shared = {};
  if (cli::parse(app, arguments)) return;
  const int threads = cli::threads_of(shared.threads, machine.cpu);
  cli::wanted("--progress", shared.progress, true);
  cli::wanted("--color", shared.color, false);
  cli::devices_of(shared.devices, machine);
  require(threads >= 1 && threads <= 65536, "threads");
  require(!o.request.queries.empty() && !o.request.database.empty(), "two files");
  const database_search::ScoringRequest& scoring = o.request.scoring;
  require(within(scoring.gap_open, 0, 1 << 20) && within(scoring.gap_extend, 0, 1 << 20), "gap costs");
  require(within(scoring.match, 1, 127) && within(scoring.mismatch, -128, 0), "match and mismatch");
  require(!scoring.max_evalue || (std::isfinite(*scoring.max_evalue) && *scoring.max_evalue >= 0), "E-value");
  require(o.request.min_score >= 0, "least score");
  // A matrix may be a file: then resolve_scoring() would read it.
  if (!scoring.matrix.empty() && !database_search::alphabet_of({.matrix = scoring.matrix})) return;
  const auto alphabet = database_search::alphabet_of(scoring).value_or(alignment::Alphabet::protein);
  const auto resolved = database_search::resolve_scoring(scoring, alphabet, o.request.names);
  require(resolved.scoring.matrix.alphabet() == alphabet, "a matrix for the alphabet");
  require(resolved.scoring.gap_open >= 0 && resolved.scoring.gap_extend >= 0, "no gap cost below 0");
  require(resolved.scoring.gap_open + resolved.scoring.gap_extend > 0, "gaps are not free");
  require(database_search::describe(resolved).find('\n') == std::string::npos, "one line");
}

// The same for the options of run, compare, ladder and suite.
void read_run(const cli::Arguments& arguments, const machine::Machine& machine) {
  static const std::vector<harness::Application> applications = catalogue();
  static RunLine line;
  auto& [app, name, o] = line;
  name.clear();
  o = {};
  if (cli::parse(app, arguments)) return;
  cli::format_of(o.format);
  const harness::Application& application = harness::find_application(applications, name);
  const harness::Size& size = harness::find_size(application, o.size.empty() ? "small" : o.size);
  harness::select_variants(application, o.variants);
  o.config.clear();  // it would be read
  const auto settings = cli::settings_of(o, application, true);
  const auto problems = harness::swept_problems(application, size, settings, cli::seed_of(o));
  require(!problems.empty(), "a problem");
  for (const harness::Problem& problem : problems) require(!harness::key_of(problem).empty(), "a problem has a key");
  const harness::Measurement measurement = cli::measurement_of(o, size.name, machine);
  require(measurement.min_seconds <= measurement.max_seconds, "times");
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  for (const char* name : {"SPEEDWELL_CONFIG", "SPEEDWELL_DEVICES", "SPEEDWELL_THREADS", "OMP_NUM_THREADS"})
    ::unsetenv(name);
  std::cout.setstate(std::ios::badbit);  // --help prints
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const machine::Machine machine = small_machine();
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    if (data[0] & 1)
      read_run(arguments_of(text, "run"), machine);
    else
      read_align(arguments_of(text, "align"), machine);
  } catch (const std::exception& error) {
    const cli::Failure failure = cli::failure_of(error);
    const bool no_gpu = failure.status == 4 && failure.message.starts_with("--devices: GPU ");
    if (failure.status != 2 && !no_gpu) std::fprintf(stderr, "status %d: %s\n", failure.status, error.what());
    require(failure.status == 2 || no_gpu, "a command line is refused with status 2");
    require(!failure.message.empty(), "there is a message");
    const std::string shown = cli::text_of(failure);
    const auto lines = std::count(shown.begin(), shown.end(), '\n');
    require(shown.starts_with("speedwell: error: ") && lines == (failure.hint.empty() ? 1 : 2) && shown.back() == '\n',
            "one line, and one for the hint");
    std::string without_ends = shown;
    std::erase(without_ends, '\n');
    require(io::escape(without_ends) == without_ends, "nothing that a terminal might interpret");
  }
  return 0;
}
