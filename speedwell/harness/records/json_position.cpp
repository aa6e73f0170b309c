#include "speedwell/harness/records/json_position.hpp"

#include <algorithm>

namespace speedwell::harness {
namespace {

// A cursor in valid JSON. It does not recurse, so that deeply nested texts cannot exhaust the stack. Past the end,
// peek() returns 0.
class Walker {
 public:
  explicit Walker(std::string_view text) : text_(text) { blank(); }

  std::size_t offset() const { return at_; }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void step() {
    ++at_;
    blank();
  }

  // Reads the string at the cursor and returns its spelling without the quotes.
  std::string_view string() {
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    const std::size_t end = std::min(at_, text_.size());
    step();
    return text_.substr(begin, end - begin);
  }

  void skip_value() {
    std::size_t depth = 0;
    do {
      const char c = peek();
      if (c == '"') {
        string();
      } else if (c == '{' || c == '[') {
        ++depth;
        step();
      } else if (c == '}' || c == ']') {
        --depth;
        step();
      } else if (c == ',' || c == ':') {
        step();
      } else {
        while (at_ < text_.size() && std::string_view(",:]}[{\" \t\r\n").find(text_[at_]) == std::string_view::npos)
          ++at_;
        blank();
      }
    } while (depth > 0 && at_ < text_.size());
  }

 private:
  void blank() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// Moves the cursor, which is at an object or array, to its member `name`. Returns false, and does not move the cursor,
// if there is no such member.
bool descend(Walker& walker, const std::string& name) {
  Walker inside = walker;
  const bool object = inside.peek() == '{';
  if (!object && inside.peek() != '[') return false;
  const char end = object ? '}' : ']';
  inside.step();
  for (std::size_t i = 0; inside.peek() != end && inside.peek() != '\0'; ++i) {
    bool found = !object && std::to_string(i) == name;
    if (object) {
      found = inside.string() == name;
      inside.step();  // the colon
    }
    if (found) {
      walker = inside;
      return true;
    }
    inside.skip_value();
    if (inside.peek() == ',') inside.step();
  }
  return false;
}

}  // namespace

TextPosition position_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const std::size_t newline = before.rfind('\n');
  return {1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')),
          newline == std::string_view::npos ? before.size() + 1 : before.size() - newline};
}

std::size_t find_value(std::string_view text, const std::vector<std::string>& path) {
  Walker walker(text);
  for (const std::string& name : path)
    if (!descend(walker, name)) break;
  return walker.offset();
}

}  // namespace speedwell::harness
