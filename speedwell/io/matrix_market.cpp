// The reader processes the file line by line, and checks the sizes in the header against the machine's memory before it
// allocates, and against the lines that follow.
#include "speedwell/io/matrix_market.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "speedwell/io/escape.hpp"
#include "speedwell/io/limits.hpp"

namespace speedwell::io {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

class Lines {
 public:
  Lines(std::unique_ptr<Source> source, std::string file)
      : source_(std::move(source)), file_(std::move(file)), buffer_(limits::buffer_bytes, '\0') {}

  /// The next line without its end; false at the end of the file.
  bool next(std::string_view& line) {
    text_.clear();
    ++number_;
    for (;;) {
      if (at_ == end_ && !fill()) {
        if (text_.empty()) return false;
        break;
      }
      const char* const begin = buffer_.data() + at_;
      const char* const stop = std::find(begin, static_cast<const char*>(buffer_.data() + end_), '\n');
      const auto count = static_cast<std::size_t>(stop - begin);
      if (text_.size() + count > limits::matrix_market_line_bytes)
        fail("line_too_long", fmt::format("a line is longer than {} bytes", limits::matrix_market_line_bytes));
      text_.append(begin, count);
      at_ += count;
      if (at_ < end_) {
        ++at_;
        break;
      }
    }
    if (!text_.empty() && text_.back() == '\r') text_.pop_back();
    line = text_;
    return true;
  }

  /// A word of the line, and the column at which it begins.
  bool word(std::string_view& line, std::string_view& found) const {
    const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
    const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
    found = line.substr(begin, end - begin);
    line.remove_prefix(end);
    return !found.empty();
  }

  [[noreturn]] void fail(std::string_view id, const std::string& message, std::string_view at = {},
                         const std::string& hint = {}) const {
    const bool within = at.data() != nullptr && at.data() >= text_.data() && at.data() <= text_.data() + text_.size();
    const std::size_t column = within ? static_cast<std::size_t>(at.data() - text_.data()) + 1 : 1;
    throw InputError(fmt::format("input.mtx.{}", id), file_, number_, column, message, hint);
  }
  const std::string& file() const { return file_; }

 private:
  bool fill() {
    at_ = 0;
    end_ = source_->read(std::span<char>(buffer_));
    return end_ > 0;
  }

  std::unique_ptr<Source> source_;
  std::string file_, buffer_, text_;
  std::size_t at_ = 0, end_ = 0, number_ = 0;
};

std::string quoted(std::string_view word) { return "'" + escape(word, limits::quoted_bytes) + "'"; }

struct Header {
  bool coordinate = true;
  EntryField field = EntryField::real;
  Symmetry symmetry = Symmetry::general;
};

Header read_banner(Lines& lines) {
  std::string_view line, word;
  if (!lines.next(line)) lines.fail("banner", "the file is empty; it begins with '%%MatrixMarket'");
  std::array<std::string_view, 5> words;
  for (auto& w : words) lines.word(line, w);
  const auto is = [](std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
  };
  if (!is(words[0], "%%MatrixMarket"))
    lines.fail("banner", "the first line is not a banner", words[0],
               "it reads '%%MatrixMarket matrix coordinate real general'");
  if (!is(words[1], "matrix"))
    lines.fail("banner", quoted(words[1]) + " is not an object that is read; 'matrix' is", words[1]);
  Header header;
  header.coordinate = is(words[2], "coordinate");
  if (!header.coordinate && !is(words[2], "array"))
    lines.fail("banner", quoted(words[2]) + " is not a format; 'coordinate' and 'array' are", words[2]);
  if (is(words[3], "real") || is(words[3], "double"))
    header.field = EntryField::real;
  else if (is(words[3], "integer"))
    header.field = EntryField::integer;
  else if (is(words[3], "pattern"))
    header.field = EntryField::pattern;
  else if (is(words[3], "complex"))
    lines.fail("unsupported", "complex matrices are not read", words[3]);
  else
    lines.fail("banner", quoted(words[3]) + " is not a field; 'real', 'integer' and 'pattern' are", words[3]);
  if (is(words[4], "general"))
    header.symmetry = Symmetry::general;
  else if (is(words[4], "symmetric"))
    header.symmetry = Symmetry::symmetric;
  else if (is(words[4], "skew-symmetric"))
    header.symmetry = Symmetry::skew_symmetric;
  else if (is(words[4], "hermitian"))
    lines.fail("unsupported", "hermitian matrices are not read", words[4]);
  else
    lines.fail("banner", quoted(words[4]) + " is not a symmetry; 'general', 'symmetric' and 'skew-symmetric' are",
               words[4]);
  if (lines.word(line, word)) lines.fail("banner", quoted(word) + " follows the banner", word);
  return header;
}

// The next line that is neither blank nor a comment.
bool next_content(Lines& lines, std::string_view& line) {
  while (lines.next(line)) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string_view::npos && line[first] != '%') return true;
  }
  return false;
}

std::int64_t read_count(Lines& lines, std::string_view& line, const char* what) {
  std::string_view word;
  if (!lines.word(line, word)) lines.fail("size", fmt::format("the line of sizes has no {}", what), line);
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
  if (error == std::errc::result_out_of_range)
    lines.fail("too_large", fmt::format("{} {} do not fit 64 bits", quoted(word), what), word);
  if (error != std::errc() || end != word.data() + word.size() || count < 0)
    lines.fail("size", fmt::format("{} is not a number of {}", quoted(word), what), word);
  return count;
}

std::int64_t read_index(Lines& lines, std::string_view& line, std::int64_t most, const char* what) {
  std::string_view word;
  if (!lines.word(line, word)) lines.fail("entry", fmt::format("an entry without its {}", what), line);
  std::int64_t index = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
  if ((error != std::errc() && error != std::errc::result_out_of_range) || end != word.data() + word.size())
    lines.fail("entry", fmt::format("{} is not a {}", quoted(word), what), word);
  if (error != std::errc() || index < 1 || index > most)
    lines.fail("index", fmt::format("{} {} is not from 1 to {}", what, quoted(word), most), word);
  return index - 1;
}

double read_value(Lines& lines, std::string_view& line, EntryField field) {
  std::string_view word;
  if (!lines.word(line, word)) lines.fail("entry", "an entry without its value", line);
  std::string_view digits = word;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  double value = 0;
  std::errc error{};
  const char* end = nullptr;
  if (field == EntryField::integer) {
    std::int64_t whole = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
    error = parsed.ec;
    end = parsed.ptr;
    value = static_cast<double>(whole);
  } else {
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    error = parsed.ec;
    end = parsed.ptr;
  }
  if ((error != std::errc() && error != std::errc::result_out_of_range) || end != digits.data() + digits.size())
    lines.fail("value",
               fmt::format("{} is not {}", quoted(word), field == EntryField::integer ? "an integer" : "a number"),
               word);
  if (error == std::errc::result_out_of_range || !std::isfinite(value))
    lines.fail("value", quoted(word) + " is not a finite number that a double can hold", word);
  return value;
}

void require_end(Lines& lines, std::string_view& line) {
  std::string_view word;
  if (lines.word(line, word)) lines.fail("entry", quoted(word) + " is more than the line should hold", word);
}

void require_memory(const Lines& lines, const MatrixMarketRules& rules, double bytes) {
  const double memory = rules.memory > 0
                            ? static_cast<double>(rules.memory)
                            : static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (bytes > memory)
    lines.fail("too_large",
               fmt::format("a matrix of this size takes {:.3g} GB; there are {:.3g} GB", bytes * 1e-9, memory * 1e-9));
}

struct Entry {
  std::int32_t row, column;
  double value;
};

// Sorts entries by row (counting sort) and then by column, and adds duplicates in the order of the file.
SparseMatrix compressed(std::vector<Entry> entries, std::int64_t rows, std::int64_t columns, std::int64_t& duplicates) {
  SparseMatrix matrix{.rows = rows, .columns = columns, .offsets = {}, .column = {}, .value = {}};
  const auto row_count = static_cast<std::size_t>(rows);
  std::vector<std::size_t> first(row_count + 1, 0);
  for (const Entry& e : entries) ++first[static_cast<std::size_t>(e.row) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::size_t> by_row(entries.size());
  for (std::size_t e = 0; e < entries.size(); ++e) by_row[first[static_cast<std::size_t>(entries[e].row)]++] = e;
  // first[i] is now the end of row i.
  matrix.offsets.assign(row_count + 1, 0);
  duplicates = 0;
  for (std::size_t i = 0, begin = 0; i < row_count; begin = first[i++]) {
    std::sort(by_row.begin() + static_cast<std::ptrdiff_t>(begin),
              by_row.begin() + static_cast<std::ptrdiff_t>(first[i]), [&](std::size_t a, std::size_t b) {
                return entries[a].column != entries[b].column ? entries[a].column < entries[b].column : a < b;
              });
    for (std::size_t at = begin; at < first[i]; ++at) {
      const Entry& e = entries[by_row[at]];
      if (at > begin && matrix.column.back() == e.column) {
        matrix.value.back() += e.value;
        ++duplicates;
      } else {
        matrix.column.push_back(e.column);
        matrix.value.push_back(e.value);
      }
    }
    matrix.offsets[i + 1] = static_cast<std::int64_t>(matrix.value.size());
  }
  return matrix;
}

// The initial allocation for the header's sizes, limited to those of a small file.
constexpr std::int64_t first_room = std::int64_t{1} << 16;

}  // namespace

MatrixMarketFile parse_matrix_market(std::unique_ptr<Source> source, const std::string& file,
                                     const MatrixMarketRules& rules) {
  Lines lines(std::move(source), file);
  const Header header = read_banner(lines);
  if (!header.coordinate)
    lines.fail("unsupported", "an array is a dense matrix, which is not read; arrays are read as vectors");
  if (header.symmetry == Symmetry::skew_symmetric && header.field == EntryField::pattern)
    lines.fail("banner", "a pattern cannot be skew-symmetric: its entries have no sign");
  std::string_view line;
  if (!next_content(lines, line)) lines.fail("size", "the file ends before the line of sizes");
  const std::int64_t rows = read_count(lines, line, "rows"), columns = read_count(lines, line, "columns"),
                     promised = read_count(lines, line, "entries");
  require_end(lines, line);
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (rows > most || columns > most)
    lines.fail("too_large", fmt::format("{} x {}: at most {} rows and columns", rows, columns, most));
  if (header.symmetry != Symmetry::general && rows != columns)
    lines.fail("size", fmt::format("a symmetric matrix of {} x {}; it must be square", rows, columns));
  const double mirrored = header.symmetry == Symmetry::general ? 1 : 2;
  require_memory(lines, rules,
                 16.0 * static_cast<double>(rows) + mirrored * static_cast<double>(promised) * (sizeof(Entry) + 20));

  MatrixMarketFile result;
  result.symmetry = header.symmetry;
  result.field = header.field;
  std::vector<Entry> entries;
  entries.reserve(static_cast<std::size_t>(std::min(promised, first_room)));
  while (next_content(lines, line)) {
    if (result.entries == promised)
      lines.fail("count", fmt::format("more entries than the {} that the header promises", promised), line);
    const std::string_view start = line;
    const std::int64_t i = read_index(lines, line, rows, "row"), j = read_index(lines, line, columns, "column");
    const double value = header.field == EntryField::pattern ? 1 : read_value(lines, line, header.field);
    require_end(lines, line);
    if (header.symmetry != Symmetry::general && j > i)
      lines.fail(
          "triangle",
          fmt::format("({}, {}) is above the diagonal, of which a symmetric file has the other side", i + 1, j + 1),
          start);
    if (header.symmetry == Symmetry::skew_symmetric && i == j)
      lines.fail("diagonal",
                 fmt::format("({}, {}): the diagonal of a skew-symmetric matrix is 0 and not written", i + 1, j + 1),
                 start);
    ++result.entries;
    result.zeros += value == 0;
    entries.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), value});
    if (header.symmetry != Symmetry::general && i != j)
      entries.push_back({static_cast<std::int32_t>(j), static_cast<std::int32_t>(i),
                         header.symmetry == Symmetry::symmetric ? value : -value});
  }
  if (result.entries < promised)
    lines.fail("count", fmt::format("the file ends after {} of {} entries", result.entries, promised), {},
               "it may be incomplete: copy or download it again");
  result.matrix = compressed(std::move(entries), rows, columns, result.duplicates);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t e = result.matrix.offsets[static_cast<std::size_t>(i)];
         e < result.matrix.offsets[static_cast<std::size_t>(i) + 1]; ++e)
      if (!std::isfinite(result.matrix.value[static_cast<std::size_t>(e)]))
        lines.fail("value", fmt::format("the entries at ({}, {}) add up to more than a double can hold", i + 1,
                                        result.matrix.column[static_cast<std::size_t>(e)] + 1));
  return result;
}

std::vector<double> parse_matrix_market_vector(std::unique_ptr<Source> source, const std::string& file,
                                               const MatrixMarketRules& rules) {
  Lines lines(std::move(source), file);
  const Header header = read_banner(lines);
  if (header.coordinate || header.field == EntryField::pattern || header.symmetry != Symmetry::general)
    lines.fail("unsupported", "a vector is 'array real general' or 'array integer general'");
  std::string_view line;
  if (!next_content(lines, line)) lines.fail("size", "the file ends before the line of sizes");
  const std::int64_t rows = read_count(lines, line, "rows"), columns = read_count(lines, line, "columns");
  require_end(lines, line);
  if (rows != 1 && columns != 1)
    lines.fail("size", fmt::format("an array of {} x {}; a vector has one column or one row", rows, columns));
  const std::int64_t promised = rows == 1 ? columns : rows;
  require_memory(lines, rules, 8.0 * static_cast<double>(promised));
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(std::min(promised, first_room)));
  while (next_content(lines, line)) {
    if (static_cast<std::int64_t>(values.size()) == promised)
      lines.fail("count", fmt::format("more values than the {} that the header promises", promised), line);
    values.push_back(read_value(lines, line, header.field));
    require_end(lines, line);
  }
  if (static_cast<std::int64_t>(values.size()) < promised)
    lines.fail("count", fmt::format("the file ends after {} of {} values", values.size(), promised), {},
               "it may be incomplete: copy or download it again");
  return values;
}

MatrixMarketFile read_matrix_market(const std::string& path, const MatrixMarketRules& rules) {
  return parse_matrix_market(open_source(path), display_name(path), rules);
}
std::vector<double> read_matrix_market_vector(const std::string& path, const MatrixMarketRules& rules) {
  return parse_matrix_market_vector(open_source(path), display_name(path), rules);
}

}  // namespace speedwell::io
