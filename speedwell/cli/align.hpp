// speedwell align: exact local alignments of the sequences of one file to those of another.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "speedwell/search/search.hpp"

namespace CLI {
class App;
}

namespace speedwell::cli {

enum class ProgressStyle {
  none,
  bar,   // for a terminal: one line that is drawn over itself
  lines  // elsewhere: a line each time
};

/// The options of `speedwell align`. run_align() sets on_message and on_progress.
struct AlignOptions : search::FileSearchOptions {
  AlignOptions();

  std::vector<std::string> operands;     // as typed without an option's name: what --query and --db leave open
  std::optional<search::Outfmt> outfmt;  // BLAST's word for format and columns

  bool quiet = false;    // no warnings, no log line
  bool summary = false;  // a closing line
  std::string device;    // for that: where scores are computed
  ProgressStyle progress = ProgressStyle::none;
};

/// Adds the options of the command itself (not --threads, --devices, -q, --progress). Values are checked as they are
/// parsed: std::invalid_argument.
void add_align_options(CLI::App& app, AlignOptions& options);

/// Searches as search::run() does: the result to `out` or a file, messages and progress to `err`. Returns false if it
/// was stopped. Throws as that does, with UsageError for options that do not fit together.
bool run_align(const AlignOptions& options, std::ostream& out, std::ostream& err);

}  // namespace speedwell::cli
