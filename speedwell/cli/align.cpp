#include "speedwell/cli/align.hpp"

#include <optional>
#include <ostream>

#include "speedwell/cli/errors.hpp"
#include "speedwell/process/status_line.hpp"

namespace speedwell::cli {

bool run_align(const AlignOptions& options, std::ostream& out, std::ostream& err) try {
  if (options.request.queries == "-" && options.request.database == "-")
    throw UsageError("only one of QUERY and DATABASE can be standard input", "");
  if (!options.output.columns.empty() && !search::is_tabular(options.output.format))
    throw UsageError("--columns is for --out-format tab and tab-comments", "");
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
    const bool bar = options.progress == ProgressStyle::bar;
    process::StatusLine status_line(err, bar, "speedwell: ");
    if (options.progress != ProgressStyle::none)
      given.on_progress = [&](const search::Progress& progress) {
        status_line.show(search::progress_text(progress, bar));
      };
    totals = search::run(given, out);
  }
  if (totals && options.summary && !options.quiet)
    err << "speedwell: " << search::summary_text(*totals, options.device) << "\n";
  return totals.has_value();
} catch (const search::RequestError& error) {
  throw UsageError(error.what(), error.hint());
}

}  // namespace speedwell::cli
