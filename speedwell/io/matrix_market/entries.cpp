#include "speedwell/io/matrix_market/entries.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <new>
#include <numeric>
#include <span>

#include "speedwell/core/parts.hpp"
#include "speedwell/io/limits.hpp"

namespace speedwell::io {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// Reads the words of a line. Each function returns false where the line is not plainly right.
class PlainLine {
 public:
  PlainLine(const char* begin, const char* end) : at_(begin), end_(end) {
    if (end_ > at_ && end_[-1] == '\r') --end_;
  }
  bool is_empty_or_comment() {
    skip_blanks();
    return at_ == end_ || *at_ == '%';
  }
  bool is_at_end() {
    skip_blanks();
    return at_ == end_;
  }
  bool index(std::int64_t most, std::int64_t& value) { return number(value) && value >= 1 && value <= most; }
  bool value(EntryField field, double& value) {
    skip_blanks();
    if (end_ - at_ > 1 && at_[0] == '+' && at_[1] != '-') ++at_;
    if (field == EntryField::real) return number(value) && std::isfinite(value);
    std::int64_t whole = 0;
    const bool is_right = number(whole);
    value = static_cast<double>(whole);
    return is_right;
  }

 private:
  void skip_blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }
  /// A number that ends at a blank or the end of the line.
  template <class Number>
  bool number(Number& value) {
    skip_blanks();
    const auto [stop, error] = std::from_chars(at_, end_, value);
    at_ = stop;
    return error == std::errc() && (at_ == end_ || is_blank(*at_));
  }

  const char *at_, *end_;
};

/// Parses a line into `list`, or returns false.
bool parse_plain_line(const char* begin, const char* end, const EntryRules& rules, EntryList& list) {
  if (end - begin > static_cast<std::ptrdiff_t>(limits::matrix_market_line_bytes)) return false;
  PlainLine line(begin, end);
  if (line.is_empty_or_comment()) return true;
  std::int64_t row = 0, column = 0;
  double value = 1;
  if (!line.index(rules.rows, row) || !line.index(rules.columns, column)) return false;
  if (rules.field != EntryField::pattern && !line.value(rules.field, value)) return false;
  if (!line.is_at_end() || (rules.symmetry != Symmetry::general && column > row) ||
      (rules.symmetry == Symmetry::skew_symmetric && column == row))
    return false;
  list.add(rules, row - 1, column - 1, value);
  return true;
}

bool parse_plain_lines(std::string_view text, const EntryRules& rules, EntryList& list) {
  list.all.reserve(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n') + 1) *
                   (rules.symmetry == Symmetry::general ? 1 : 2));
  for (const char *at = text.data(), *const end = at + text.size(); at != end;) {
    const char* const stop = std::find(at, end, '\n');
    if (!parse_plain_line(at, stop, rules, list)) return false;
    at = stop == end ? end : stop + 1;
  }
  return true;
}

/// Text in `count` parts of whole lines, which may be empty.
std::vector<std::string_view> parts_of_lines(std::string_view text, std::size_t count) {
  std::vector<std::string_view> parts;
  for (std::size_t p = count; p > 0; --p) {
    const std::size_t line = text.find('\n', text.size() / p > 0 ? text.size() / p - 1 : 0);
    const std::size_t size = p == 1 || line == std::string_view::npos ? text.size() : line + 1;
    parts.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return parts;
}

struct Element {
  std::int32_t column;
  double value;
};

/// Orders the elements of a row by column, and adds those of a column in their order. Returns how many are left.
std::size_t merge_row(std::span<Element> row) {
  const auto before = [](const Element& a, const Element& b) { return a.column < b.column; };
  if (!std::is_sorted(row.begin(), row.end(), before)) std::stable_sort(row.begin(), row.end(), before);
  std::size_t kept = 0;
  for (const Element& e : row) {
    if (kept > 0 && row[kept - 1].column == e.column)
      row[kept - 1].value += e.value;
    else
      row[kept++] = e;
  }
  return kept;
}

}  // namespace

void EntryList::add(const EntryRules& rules, std::int64_t row, std::int64_t column, double value) {
  ++lines;
  zeros += value == 0;
  const auto i = static_cast<std::int32_t>(row), j = static_cast<std::int32_t>(column);
  all.push_back({i, j, value});
  if (rules.symmetry != Symmetry::general && i != j)
    all.push_back({j, i, rules.symmetry == Symmetry::symmetric ? value : -value});
}

std::vector<EntryList> parse_plain_entries(std::string_view text, const EntryRules& rules) {
  const auto parts = parts_of_lines(text, static_cast<std::size_t>(core::resolve_threads(0)));
  std::vector<EntryList> lists(parts.size());
  std::atomic<bool> is_plain = true;
  core::parallel_for(
      parts.size(), 4096, 0,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end && is_plain; ++p) try {
            if (!parse_plain_lines(parts[p], rules, lists[p])) is_plain = false;
          } catch (const std::bad_alloc&) {
            is_plain = false;  // a thread must not throw
          }
      },
      1);
  if (!is_plain) lists.clear();
  return lists;
}

SparseMatrix compressed_rows(std::vector<EntryList>& lists, const EntryRules& rules, std::int64_t& duplicates) {
  const auto rows = static_cast<std::size_t>(rules.rows);
  SparseMatrix matrix{.rows = rules.rows, .columns = rules.columns, .offsets = {}, .column = {}, .value = {}};
  std::vector<std::size_t> end(rows + 1, 0);  // of each row; first the number of its elements, then its begin
  for (const EntryList& list : lists)
    for (const MatrixEntry& e : list.all) ++end[static_cast<std::size_t>(e.row) + 1];
  std::partial_sum(end.begin(), end.end(), end.begin());
  std::vector<Element> elements(end.back());
  for (EntryList& list : lists) {
    for (const MatrixEntry& e : list.all) elements[end[static_cast<std::size_t>(e.row)]++] = {e.column, e.value};
    list = {};
  }

  matrix.offsets.assign(rows + 1, 0);
  const std::size_t row_bytes =
      std::max<std::size_t>(elements.size() * sizeof(Element) / std::max<std::size_t>(rows, 1), 1);
  const auto begin_of = [&](std::size_t row) { return row > 0 ? end[row - 1] : 0; };
  core::parallel_for(rows, row_bytes, 0, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      matrix.offsets[i + 1] =
          static_cast<std::int64_t>(merge_row(std::span(elements).subspan(begin_of(i), end[i] - begin_of(i))));
  });
  std::partial_sum(matrix.offsets.begin(), matrix.offsets.end(), matrix.offsets.begin());
  duplicates = static_cast<std::int64_t>(elements.size()) - matrix.offsets.back();
  matrix.column.resize(static_cast<std::size_t>(matrix.offsets.back()));
  matrix.value.resize(matrix.column.size());
  core::parallel_for(rows, row_bytes, 0, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      auto to = static_cast<std::size_t>(matrix.offsets[i]);
      for (std::size_t from = begin_of(i); to < static_cast<std::size_t>(matrix.offsets[i + 1]); ++from, ++to) {
        matrix.column[to] = elements[from].column;
        matrix.value[to] = elements[from].value;
      }
    }
  });
  return matrix;
}

}  // namespace speedwell::io
