#include "speedwell/apps/alignment/scoring/matrix_file.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include "speedwell/io/escape.hpp"
#include "speedwell/io/limits.hpp"
#include "speedwell/io/source.hpp"

namespace speedwell::alignment {
namespace {

struct Token {
  std::string_view text;
  std::size_t column;  // of its first character, from 1
};

class Parser {
 public:
  Parser(std::string_view bytes, const std::string& file, Alphabet alphabet)
      : rest_(bytes), file_(file), alphabet_(alphabet) {
    std::fill(std::begin(has_row_), std::end(has_row_), false);
  }

  SubstitutionMatrix parse() {
    if (rest_.size() > io::limits::matrix_bytes)
      fail(0, 0, "too_large", "more than " + std::to_string(io::limits::matrix_bytes) + " bytes are no matrix");
    while (next_line())
      if (columns_.empty())
        read_columns();
      else
        read_row();
    if (columns_.empty()) fail(line_, 0, "empty", "no row of symbols");
    for (const int code : columns_)
      if (!has_row_[code])
        fail(line_, 0, "missing_row", std::string("no row for the symbol ") + decode(alphabet_, code));
    check_symmetry();
    fill_missing();
    return {file_, alphabet_, scores_, known_};
  }

 private:
  /// Splits the next line that is neither blank nor a comment into tokens_; false at the end of the file. It stops
  /// after code_limit + 1 tokens: a line with so many has more symbols or scores than any alphabet has symbols.
  bool next_line() {
    while (!rest_.empty()) {
      ++line_;
      const std::size_t end = rest_.find('\n');
      std::string_view text = rest_.substr(0, end);
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
      if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
      tokens_.clear();
      std::size_t at = text.find_first_not_of(" \t");
      if (at == std::string_view::npos || text[at] == '#') continue;
      while (at != std::string_view::npos && tokens_.size() <= code_limit) {
        const std::size_t past = std::min(text.find_first_of(" \t", at), text.size());
        tokens_.push_back({text.substr(at, past - at), at + 1});
        at = text.find_first_not_of(" \t", past);
      }
      return true;
    }
    return false;
  }

  /// The code of a token that is one symbol of the alphabet, in either case. Symbols to which encode() gives the code
  /// of another one (U has that of C in proteins, of T in DNA) are refused: two columns of a file could have one code.
  int symbol(const Token& token) const {
    const int code = token.text.size() == 1 ? encode(alphabet_, token.text[0]) : -1;
    const char upper =
        token.text[0] >= 'a' && token.text[0] <= 'z' ? static_cast<char>(token.text[0] - 32) : token.text[0];
    if (code < 0 || decode(alphabet_, code) != upper)
      fail(token, "letter", quote(token) + " is not one of the symbols " + std::string(symbols(alphabet_)));
    return code;
  }

  void read_columns() {
    for (const Token& token : tokens_) {
      const int code = symbol(token);
      if (std::find(columns_.begin(), columns_.end(), code) != columns_.end())
        fail(token, "duplicate", quote(token) + " heads two columns");
      columns_.push_back(code);
    }
  }

  void read_row() {
    const int row = symbol(tokens_[0]);
    if (std::find(columns_.begin(), columns_.end(), row) == columns_.end())
      fail(tokens_[0], "letter", "the row " + quote(tokens_[0]) + " has no column");
    if (has_row_[row]) fail(tokens_[0], "duplicate", "a second row " + quote(tokens_[0]));
    has_row_[row] = true;
    row_lines_[row] = line_;
    for (std::size_t k = 1; k < tokens_.size(); ++k) {
      if (k > columns_.size())
        fail(tokens_[k], "count",
             "more scores than the " + std::to_string(columns_.size()) + " symbols of the first row");
      const std::string_view text = tokens_[k].text;
      int value = 0;
      const char* const begin = text.data() + (text.size() > 1 && text[0] == '+' && text[1] != '-');
      const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
      if (error != std::errc() || end != text.data() + text.size() || value < -128 || value > 127)
        fail(tokens_[k], "score", quote(tokens_[k]) + " is not a whole number from -128 to 127");
      at(row, columns_[k - 1]) = static_cast<std::int8_t>(value);
      positions_[row][columns_[k - 1]] = tokens_[k].column;
    }
    if (tokens_.size() <= columns_.size())
      fail(line_, tokens_.back().column, "count",
           "the row " + quote(tokens_[0]) + " has " + std::to_string(tokens_.size() - 1) + " scores for " +
               std::to_string(columns_.size()) + " symbols");
  }

  void check_symmetry() const {
    for (const int a : columns_)
      for (const int b : columns_)
        if (a < b && at(a, b) != at(b, a))
          throw io::InputError("input.matrix.asymmetric", file_, row_lines_[b], positions_[b][a],
                               std::string("row ") + decode(alphabet_, b) + ", column " + decode(alphabet_, a) +
                                   " is " + std::to_string(at(b, a)) + ", but row " + decode(alphabet_, a) +
                                   ", column " + decode(alphabet_, b) + " is " + std::to_string(at(a, b)),
                               "a matrix must be symmetric");
  }

  /// Symbols without a row score as X (proteins) or N (DNA) if the file has a row for it; if not, all their scores are
  /// the smallest one of the file.
  void fill_missing() {
    const int stand_in = encode(alphabet_, alphabet_ == Alphabet::protein ? 'X' : 'N');
    const bool has_stand_in = has_row_[stand_in];
    std::int8_t minimum = 127;
    for (const int a : columns_)
      for (const int b : columns_) minimum = std::min(minimum, at(a, b));
    const int count = static_cast<int>(symbols(alphabet_).size());
    const auto source = [&](int code) { return has_row_[code] ? code : stand_in; };
    for (int code = 0; code < count; ++code)
      if (has_row_[code] || has_stand_in) known_ |= 1u << code;
    for (int a = 0; a < count; ++a)
      for (int b = 0; b < count; ++b)
        if (!has_row_[a] || !has_row_[b]) at(a, b) = has_stand_in ? at(source(a), source(b)) : minimum;
  }

  std::int8_t& at(int a, int b) { return scores_[static_cast<std::size_t>(a * code_limit + b)]; }
  std::int8_t at(int a, int b) const { return scores_[static_cast<std::size_t>(a * code_limit + b)]; }

  static std::string quote(const Token& token) { return "'" + io::escape(token.text, io::limits::quoted_bytes) + "'"; }
  [[noreturn]] void fail(std::size_t line, std::size_t column, const char* id, const std::string& message) const {
    throw io::InputError(std::string("input.matrix.") + id, file_, line, column, message);
  }
  [[noreturn]] void fail(const Token& token, const char* id, const std::string& message) const {
    fail(line_, token.column, id, message);
  }

  std::string_view rest_;
  const std::string& file_;
  Alphabet alphabet_;
  std::size_t line_ = 0;
  std::vector<Token> tokens_;
  std::vector<int> columns_;  // codes of the symbols in the row of symbols
  // Indices are codes, of the row and of the column: what has been read, and its line and column in the file.
  bool has_row_[code_limit];
  std::size_t row_lines_[code_limit] = {};
  std::size_t positions_[code_limit][code_limit] = {};  // columns of the text, from 1; 0: not read
  std::array<std::int8_t, code_limit * code_limit> scores_{};
  std::uint32_t known_ = 0;  // see SubstitutionMatrix
};

}  // namespace

SubstitutionMatrix parse_matrix(std::string_view bytes, const std::string& file, Alphabet alphabet) {
  return Parser(bytes, file, alphabet).parse();
}

SubstitutionMatrix read_matrix(const std::string& path, Alphabet alphabet) {
  return parse_matrix(io::read_file(path, io::limits::matrix_bytes), io::display_name(path), alphabet);
}

}  // namespace speedwell::alignment
