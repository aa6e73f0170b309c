// A scanner of TOML's strings, comments, arrays, inline tables and numbers. It does not interpret keys.
#include "speedwell/io/cases/case_syntax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "speedwell/io/error.hpp"
#include "speedwell/io/limits.hpp"

namespace speedwell::io {
namespace {

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }
bool begins_key(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '"' || c == '\'';
}

bool ends_word(char c) { return std::string_view(" \t\r\n,=[]{}#\"'").find(c) != std::string_view::npos; }

// Removes digits, optionally separated by underscores, from the front.
bool take_digits(std::string_view& word, int base) {
  const auto is_digit = [&](char c) {
    const int lower = c | 0x20;
    return base == 16 && lower >= 'a' ? lower <= 'f' : c >= '0' && c < '0' + std::min(base, 10);
  };
  std::size_t n = 0;
  while (n < word.size() && (is_digit(word[n]) || (word[n] == '_' && n > 0 && is_digit(word[n - 1]) &&
                                                   n + 1 < word.size() && is_digit(word[n + 1]))))
    ++n;
  word.remove_prefix(n);
  return n > 0;
}

// Values without quotes in TOML 1.0, except for dates, which no key accepts.
bool is_value(std::string_view word) {
  if (word == "true" || word == "false") return true;
  for (const auto& [prefix, base] : {std::pair("0x", 16), std::pair("0o", 8), std::pair("0b", 2)})
    if (word.starts_with(prefix)) {
      word.remove_prefix(2);
      return take_digits(word, base) && word.empty();
    }
  if (word.starts_with('+') || word.starts_with('-')) word.remove_prefix(1);
  if (word == "inf" || word == "nan") return true;
  if (word.size() > 1 && word[0] == '0' && word[1] >= '0' && word[1] <= '9') return false;
  if (!take_digits(word, 10)) return false;
  if (word.starts_with('.')) {
    word.remove_prefix(1);
    if (!take_digits(word, 10)) return false;
  }
  if (word.starts_with('e') || word.starts_with('E')) {
    word.remove_prefix(1);
    if (word.starts_with('+') || word.starts_with('-')) word.remove_prefix(1);
    if (!take_digits(word, 10)) return false;
  }
  return word.empty();
}

class Scanner {
 public:
  Scanner(const std::string& id, const std::string& file, std::string_view text) : id_(id), file_(file), text_(text) {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = line_begin_ = 3;  // a byte-order mark, which toml++ skips
  }

  void scan() {
    while (!ended()) {
      value_ = false;
      skip_blanks();
      if (now() == '[') header();
      rest_of_statement();
    }
  }

 private:
  bool ended() const { return at_ >= text_.size(); }
  char now() const { return ended() ? '\0' : text_[at_]; }
  bool follows(std::string_view what) const { return text_.substr(std::min(at_, text_.size()), what.size()) == what; }

  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError(id_, file_, line_, at_ - line_begin_ + 1, what);
  }

  void step() {
    if (text_[at_++] == '\n') {
      ++line_;
      line_begin_ = at_;
    }
  }
  void skip_blanks() {
    while (now() == ' ' || now() == '\t') step();
  }

  void count_key() {
    if (++keys_ > limits::case_keys) refuse(fmt::format("more than {} keys and tables", limits::case_keys));
  }

  // Scans to the last bracket of a header.
  void header() {
    step();
    skip_blanks();
    const bool of_array = now() == '[';
    if (of_array) step();
    skip_blanks();
    if (!ended() && now() != ']' && !begins_key(now()))
      refuse("a table's name is required after '[': letters, digits, '_', '-', or a text in quotes");
    count_key();
    while (!ended() && now() != ']') {
      if (now() == '\n' || now() == '#') refuse("']' is required after a table's name");
      token();
    }
    for (int n = of_array ? 2 : 1; n > 0 && now() == ']'; --n) step();
    dots_ = 0;
  }

  // Scans to the first end of line without open brackets.
  void rest_of_statement() {
    while (!ended() && !(now() == '\n' && brackets_.empty())) {
      const char c = now();
      if (c == '#') {
        while (!ended() && now() != '\n') step();
        continue;
      }
      if (c == '\n' && brackets_.back() == '{') refuse("'}' is required on the line of its '{'");
      if (c == '[' || c == '{') brackets_.push_back(c);
      if (c == ']' || c == '}') close(c == ']' ? '[' : '{');
      if (c == '=') count_key();
      if (c == '[' || c == '{' || c == ',' || c == '=')
        value_ = c == '=' || (!brackets_.empty() && brackets_.back() == '[');
      token();
    }
    if (!ended()) step();
    brackets_.clear();
    dots_ = 0;
  }

  void close(char open) {
    if (brackets_.empty()) refuse(fmt::format("'{}' closes nothing", now()));
    if (brackets_.back() != open)
      refuse(fmt::format("'{}' does not close the '{}' before it", now(), brackets_.back()));
    brackets_.pop_back();
  }

  // Scans a string, a word, or one other character.
  void token() {
    const char c = now();
    if (c == '"' || c == '\'') return string(c);
    if (c == ',' || c == '=' || c == '\n') dots_ = 0;
    const std::size_t begin = at_;
    while (!ended() && !ends_word(now())) {
      if (!is_ascii(now())) refuse("a character that is not ASCII stands outside of texts and comments");
      if (now() == '.' && !value_ && ++dots_ >= limits::case_key_depth)
        refuse(fmt::format("a key of more than {} parts", limits::case_key_depth));
      step();
    }
    if (at_ == begin) return step();
    // toml++ continues a number through quotes, '=' and opening brackets.
    const bool apart = ended() || std::string_view("=[{\"'").find(now()) == std::string_view::npos;
    if (value_ && !(apart && is_value(text_.substr(begin, at_ - begin)))) {
      const std::string word(text_.substr(begin, std::min(at_ - begin, limits::quoted_bytes)));
      at_ = begin;
      refuse(fmt::format("'{}' is no number, and neither true nor false; texts stand in quotes", word));
    }
  }

  void string(char quote) {
    const std::string three(3, quote);
    const bool long_one = follows(three);
    const std::size_t quotes = long_one ? 3 : 1;
    for (std::size_t n = 0; n < quotes; ++n) step();
    while (!ended() && !(long_one ? follows(three) : now() == quote)) {
      if (!long_one && now() == '\n') refuse("a text in quotes does not end on its line");
      const bool escape = quote == '"' && now() == '\\';
      step();
      if (escape && long_one) continued_line();
      if (escape && !long_one && !ended()) step();
    }
    for (std::size_t n = 0; n < quotes && !ended(); ++n) step();
    for (int more = 0; long_one && more < 2 && now() == quote; ++more)
      step();  // quotes are allowed before the last three
  }

  // Handles a backslash in a multi-line string, after which toml++ checks characters for Unicode white space.
  void continued_line() {
    const std::size_t begin = at_;
    while (now() == ' ' || now() == '\t' || now() == '\r' || now() == '\n') step();
    if (!is_ascii(now())) refuse("a character that is not ASCII follows a backslash at the end of a line");
    if (at_ == begin && !ended()) step();
  }

  const std::string& id_;
  const std::string& file_;
  std::string_view text_;
  std::size_t at_ = 0, line_ = 1, line_begin_ = 0, keys_ = 0, dots_ = 0;
  std::vector<char> brackets_;
  bool value_ = false;  // the current token is a value, not a key
};

}  // namespace

void require_parsable(const std::string& id, const std::string& file, std::string_view text) {
  Scanner(id, file, text).scan();
}

}  // namespace speedwell::io
