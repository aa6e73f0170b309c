// The line of a terminal in which a command shows how far it is.
#pragma once

#include <iosfwd>
#include <string>

namespace speedwell::process {

/// Shows progress on a stream. On a terminal each text replaces the one before in the same line, which is erased in the
/// end; elsewhere each text is a line of its own, after `prefix`. The stream must outlive this.
class StatusLine {
 public:
  StatusLine(std::ostream& stream, bool terminal, std::string prefix = {});
  ~StatusLine() { erase(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// `text` is one line without a line break, and not wider than the terminal.
  void show(const std::string& text);
  /// Erases the text on a terminal, so that something else can be printed there.
  void erase();
  /// Leaves the text on a terminal, and ends its line.
  void keep();

 private:
  std::ostream& stream_;
  bool terminal_;
  std::string prefix_;
  bool shown_ = false;  // whether a text is in the line of a terminal
};

}  // namespace speedwell::process
