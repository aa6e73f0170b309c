// HTML written safely: everything that comes from a record passes through escape(), and figures are formatted in one
// place.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "speedwell/harness/record_reader.hpp"
#include "speedwell/harness/report/analysis.hpp"

namespace speedwell::harness::report {

/// `text` for HTML content and quoted attributes. Control codes, invisible and direction-changing characters and bytes
/// that are not UTF-8 become a visible mark; beyond `limit` characters the rest is replaced by "…".
std::string escape(std::string_view text, std::size_t limit = 400);

/// The first `limit` characters of `text`, with "…" for the rest: labels of plots. Valid UTF-8 whatever `text` holds.
std::string clip(std::string_view text, std::size_t limit);
/// Characters, as far as width goes.
std::size_t length(std::string_view text);

/// "12.3 µs"; four digits where an interval stands beside it.
std::string seconds(double value, int digits = 3);
/// "[12.28, 12.35]", in the unit in which seconds() gives `median`.
std::string seconds_interval(double median, const std::pair<double, double>& ends);
/// "14.2×" and "[13.9, 14.6]".
std::string times(double ratio);
std::string times_interval(const std::pair<double, double>& ends);
/// Three significant digits, thousands without exponent up to 10^6: "4310", "0.052".
std::string figure(double value);
std::string percent(double fraction);

/// A cell of a table: HTML that is already safe, and a hint shown on hovering.
struct Cell {
  std::string html;
  std::string hint;
  std::string style;  // CSS classes
};
Cell text(std::string_view plain);
/// Right-aligned.
Cell value(std::string_view plain, std::string_view hint = {});
/// A time or a ratio, with its interval, if it has one, below it.
Cell time_cell(const records::Phase& phase);
Cell ratio_cell(const Ratio& ratio);
/// An en dash; the reason is the hint.
Cell missing(std::string_view reason);
/// A name in the program's own letters.
Cell code(std::string_view plain);

/// A table that scrolls sideways on its own or, if `cards`, turns every row into a card on a narrow screen.
struct Table {
  std::string caption;
  std::vector<std::string> columns;  // plain text
  std::vector<std::vector<Cell>> rows;
  bool cards = false;

  /// With at most `most` rows; how many were left out is said below.
  std::string html(std::size_t most) const;
};

}  // namespace speedwell::harness::report
