#include "speedwell/process/status_line.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <ostream>
#include <utility>

namespace speedwell::process {

constexpr const char* erase_line = "\r\x1b[K";

namespace {

// The first `count` characters: bytes of UTF-8 that continue one belong to it.
std::string first_characters(const std::string& text, std::size_t count) {
  std::size_t end = 0;
  while (end < text.size()) {
    const bool begins = (static_cast<unsigned char>(text[end]) & 0xC0) != 0x80;
    if (begins && count-- == 0) break;
    ++end;
  }
  return text.substr(0, end);
}

std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// Leaves out items between the first and the last of "first, second, third, last", from the last but one on, until the
// text is no longer than `count` characters.
std::string without_middle(std::string text, std::size_t count) {
  const std::string separator = ", ";
  while (characters(text) > count) {
    const std::size_t last = text.rfind(separator);
    const std::size_t before = last == std::string::npos || last == 0 ? last : text.rfind(separator, last - 1);
    if (before == std::string::npos) break;
    text.erase(before, last - before);
  }
  return first_characters(text, count);
}

}  // namespace

std::size_t terminal_columns() {
  struct winsize size = {};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20) return 80;
  return size.ws_col;
}

StatusLine::StatusLine(std::ostream& stream, bool terminal, std::string prefix, std::size_t columns)
    : stream_(stream), terminal_(terminal), prefix_(std::move(prefix)), columns_(columns) {}

void StatusLine::show(const std::string& text) {
  text_ = text;
  if (terminal_)  // a line that is full moves the cursor to the next one in some terminals
    stream_ << erase_line << without_middle(text, (columns_ > 0 ? columns_ : terminal_columns()) - 1) << std::flush;
  else
    stream_ << prefix_ << text << "\n" << std::flush;
  shown_ = terminal_;
}

void StatusLine::erase() {
  if (shown_) stream_ << erase_line << std::flush;
  shown_ = false;
}

void StatusLine::keep() {
  if (shown_) stream_ << erase_line << text_ << "\n" << std::flush;
  shown_ = false;
}

}  // namespace speedwell::process
