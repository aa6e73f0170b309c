#include "speedwell/cli/align.hpp"

#include <optional>
#include <ostream>

#include "speedwell/cli/errors.hpp"

namespace speedwell::cli {
namespace {

// Prints progress, and takes a bar away in the end.
class ProgressPrinter {
 public:
  ProgressPrinter(ProgressStyle style, std::ostream& err) : bar_(style == ProgressStyle::bar), err_(err) {}
  ~ProgressPrinter() {
    if (drawn_ && bar_) err_ << "\r\x1b[K" << std::flush;
  }
  ProgressPrinter(const ProgressPrinter&) = delete;
  ProgressPrinter& operator=(const ProgressPrinter&) = delete;

  void print(const search::Progress& progress) {
    const std::string text = search::progress_text(progress, bar_);
    if (bar_)
      err_ << "\r\x1b[K" << text << std::flush;
    else
      err_ << "speedwell: " << text << "\n" << std::flush;
    drawn_ = true;
  }

 private:
  bool bar_;
  std::ostream& err_;
  bool drawn_ = false;
};

}  // namespace

bool run_align(const AlignOptions& options, std::ostream& out, std::ostream& err) try {
  if (options.request.queries == "-" && options.request.database == "-")
    throw UsageError("only one of QUERY and DATABASE can be standard input", "");
  if (!options.output.columns.empty() && !search::is_tabular(options.output.format))
    throw UsageError("--columns is for --out-format tab", "");
  if (options.output.sam_md && options.output.format != search::Format::sam)
    throw UsageError("--sam-md is for --out-format sam", "");
  search::FileSearchOptions given = options;
  if (!options.quiet)
    given.request.on_message = [&](const search::SearchMessage& message) {
      const bool warning = message.kind == search::SearchMessage::Kind::warning;
      err << "speedwell: " << (warning ? "warning: " : "") << message.text << "\n";
    };
  std::optional<search::SearchTotals> totals;
  {
    ProgressPrinter printer(options.progress, err);
    if (options.progress != ProgressStyle::none)
      given.on_progress = [&](const search::Progress& progress) { printer.print(progress); };
    totals = search::run(given, out);
  }
  if (totals && options.summary && !options.quiet)
    err << "speedwell: " << search::summary_text(*totals, options.device) << "\n";
  return totals.has_value();
} catch (const search::RequestError& error) {
  throw UsageError(error.what(), error.hint());
}

}  // namespace speedwell::cli
