// The line of a terminal in which a command shows how far it is.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

namespace speedwell::process {

/// Columns of the terminal on standard error; 80 where it does not say.
std::size_t terminal_columns();

/// Shows progress on a stream. On a terminal each text replaces the one before in the same line, which is erased in the
/// end; elsewhere each text is a line of its own, after `prefix`. The stream must outlive this.
class StatusLine {
 public:
  /// `columns` of the terminal; 0: as many as it has when a text is shown.
  StatusLine(std::ostream& stream, bool terminal, std::string prefix = {}, std::size_t columns = 0);
  ~StatusLine() { erase(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// `text` is one line without a line break. A terminal shows what fits into one of its lines, for a text of two could
  /// not be replaced: of items with commas between them the first ones and the last, such as the time left.
  void show(const std::string& text);
  /// Erases the text on a terminal, so that something else can be printed there.
  void erase();
  /// Leaves the whole text on a terminal, and ends its line.
  void keep();

 private:
  std::ostream& stream_;
  bool terminal_;
  std::string prefix_;
  std::size_t columns_;
  std::string text_;    // the last one
  bool shown_ = false;  // whether it is in the line of a terminal
};

}  // namespace speedwell::process
