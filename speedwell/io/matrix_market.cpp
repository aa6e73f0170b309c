// The reader checks the sizes in the header against the machine's memory before it allocates, and against the lines
// that follow. All threads parse these, block by block. A block with a line that is not plainly right is processed line
// by line, which finds out what is wrong with the first of them, or that it is right.
#include "speedwell/io/matrix_market.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>

#include "speedwell/core/parts.hpp"
#include "speedwell/io/escape.hpp"
#include "speedwell/io/limits.hpp"
#include "speedwell/io/matrix_market/entries.hpp"

namespace speedwell::io {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

class Lines {
 public:
  /// `number`: of the lines of the file before this source.
  Lines(std::unique_ptr<Source> source, std::string file, std::size_t number = 0)
      : source_(std::move(source)), file_(std::move(file)), buffer_(limits::buffer_bytes, '\0'), number_(number) {}

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
    const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
    const auto at = std::find_if_not(line.begin(), line.end(), is_blank);
    const auto begin = static_cast<std::size_t>(at - line.begin());
    const auto end = static_cast<std::size_t>(std::find_if(at, line.end(), is_blank) - line.begin());
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
  std::size_t number() const { return number_; }
  /// Text that has been read from the source and is behind the last line, and the source: this object ends.
  std::string unread() const { return buffer_.substr(at_, end_ - at_); }
  std::unique_ptr<Source> source() { return std::move(source_); }

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

std::string quoted(std::string_view word) { return fmt::format("'{}'", escape(word, limits::quoted_bytes)); }

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

/// Blocks of whole lines that follow what a Lines has read.
class Blocks {
 public:
  explicit Blocks(Lines& lines)
      : file_(lines.file()), tail_(lines.unread()), source_(lines.source()), number_(lines.number()) {}

  /// The next block; false at the end of the file.
  bool next(std::string_view& block) {
    number_ += line_count();
    block_ = std::move(tail_);
    const std::size_t wanted = bytes_per_thread * static_cast<std::size_t>(core::resolve_threads(0));
    while (!has_ended_ && (block_.size() < wanted || !fits_a_line())) {
      const std::size_t old = block_.size();
      block_.resize(old + wanted);
      const std::size_t read = source_->read(std::span<char>(block_).subspan(old));
      block_.resize(old + read);
      has_ended_ = read == 0;
    }
    size_ = has_ended_ ? block_.size() : block_.rfind('\n') + 1;
    // A line that is too long: the reader of lines says so.
    if (size_ == 0) size_ = block_.size();
    tail_ = block_.substr(size_);
    block = std::string_view(block_).substr(0, size_);
    return size_ > 0;
  }
  /// The lines of the current block.
  Lines lines() const { return {memory_source(std::string_view(block_).substr(0, size_), file_), file_, number_}; }

 private:
  static constexpr std::size_t bytes_per_thread = 32 * limits::buffer_bytes;
  std::size_t line_count() const {
    if (size_ == 0) return 0;
    const auto ends = std::count(block_.data(), block_.data() + size_, '\n');
    return static_cast<std::size_t>(ends) + (block_[size_ - 1] == '\n' ? 0 : 1);
  }
  bool fits_a_line() const {
    return block_.size() > limits::matrix_market_line_bytes || block_.find('\n') != std::string::npos;
  }

  std::string file_, block_, tail_;
  std::unique_ptr<Source> source_;
  std::size_t number_, size_ = 0;  // lines before the block; bytes of it
  bool has_ended_ = false;
};

/// The entry of a line.
void read_entry(Lines& lines, std::string_view line, const EntryRules& rules, EntryList& list) {
  const std::string_view start = line;
  const std::int64_t i = read_index(lines, line, rules.rows, "row"),
                     j = read_index(lines, line, rules.columns, "column");
  const double value = rules.field == EntryField::pattern ? 1 : read_value(lines, line, rules.field);
  require_end(lines, line);
  if (rules.symmetry != Symmetry::general && j > i)
    lines.fail(
        "triangle",
        fmt::format("({}, {}) is above the diagonal, of which a symmetric file has the other side", i + 1, j + 1),
        start);
  if (rules.symmetry == Symmetry::skew_symmetric && i == j)
    lines.fail("diagonal",
               fmt::format("({}, {}): the diagonal of a skew-symmetric matrix is 0 and not written", i + 1, j + 1),
               start);
  list.add(rules, i, j, value);
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
                 16.0 * static_cast<double>(rows) + mirrored * static_cast<double>(promised) * 2 * sizeof(MatrixEntry));

  MatrixMarketFile result;
  result.symmetry = header.symmetry;
  result.field = header.field;
  const EntryRules rules_of_entries{header.field, header.symmetry, rows, columns};
  std::vector<EntryList> lists;
  const auto append = [&](EntryList& list) {
    result.entries += list.lines;
    result.zeros += list.zeros;
    lists.push_back(std::move(list));
  };
  Blocks blocks(lines);
  for (std::string_view block; blocks.next(block);) {
    std::vector<EntryList> plain = parse_plain_entries(block, rules_of_entries);
    std::int64_t found = result.entries;
    for (const EntryList& list : plain) found += list.lines;
    if (!plain.empty() && found <= promised) {
      std::ranges::for_each(plain, append);
      continue;
    }
    Lines of_block = blocks.lines();
    EntryList list;
    while (next_content(of_block, line)) {
      if (result.entries + list.lines == promised)
        of_block.fail("count", fmt::format("more entries than the {} that the header promises", promised), line);
      read_entry(of_block, line, rules_of_entries, list);
    }
    append(list);
  }
  Lines at_end = blocks.lines();
  at_end.next(line);
  if (result.entries < promised)
    at_end.fail("count", fmt::format("the file ends after {} of {} entries", result.entries, promised), {},
                "it may be incomplete: copy or download it again");
  result.matrix = compressed_rows(lists, rules_of_entries, result.duplicates);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t e = result.matrix.offsets[static_cast<std::size_t>(i)];
         e < result.matrix.offsets[static_cast<std::size_t>(i) + 1]; ++e)
      if (!std::isfinite(result.matrix.value[static_cast<std::size_t>(e)]))
        at_end.fail("value", fmt::format("the entries at ({}, {}) add up to more than a double can hold", i + 1,
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
