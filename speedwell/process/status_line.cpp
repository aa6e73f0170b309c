#include "speedwell/process/status_line.hpp"

#include <ostream>
#include <utility>

namespace speedwell::process {

constexpr const char* erase_line = "\r\x1b[K";

StatusLine::StatusLine(std::ostream& stream, bool terminal, std::string prefix)
    : stream_(stream), terminal_(terminal), prefix_(std::move(prefix)) {}

void StatusLine::show(const std::string& text) {
  if (terminal_)
    stream_ << erase_line << text << std::flush;
  else
    stream_ << prefix_ << text << "\n" << std::flush;
  shown_ = terminal_;
}

void StatusLine::erase() {
  if (shown_) stream_ << erase_line << std::flush;
  shown_ = false;
}

void StatusLine::keep() {
  if (shown_) stream_ << "\n" << std::flush;
  shown_ = false;
}

}  // namespace speedwell::process
