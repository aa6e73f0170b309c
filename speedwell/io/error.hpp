// Errors of reading and writing users' files. docs/errors-io.md lists the ids.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace speedwell::io {

/// A user's input file is malformed, truncated, inconsistent or cannot be read. Exit status 3.
class InputError : public std::runtime_error {
 public:
  /// `id` is stable ("input.fasta.character"); texts may change. `line` and `column` count from 1, the column in bytes;
  /// 0 means none. what() is "file:line:column: message", escaped for terminals, without the parts that are 0.
  InputError(std::string id, std::string file, std::size_t line, std::size_t column, std::string message,
             std::string hint = {});

  /// What the constructor was given.
  const std::string& id() const { return id_; }
  const std::string& file() const { return file_; }
  std::size_t line() const { return line_; }
  std::size_t column() const { return column_; }
  const std::string& message() const { return message_; }
  /// One line of advice, or empty.
  const std::string& hint() const { return hint_; }

 private:
  std::string id_, file_;
  std::size_t line_, column_;
  std::string message_, hint_;
};

/// A file could not be written: disk full, no permission, no such folder. Exit status 5.
class OutputError : public std::runtime_error {
 public:
  /// `id` is "output.open", "output.write" or "output.rename". what() is "file: message", escaped.
  OutputError(std::string id, std::string file, std::string message);

  const std::string& id() const { return id_; }
  const std::string& file() const { return file_; }

 private:
  std::string id_, file_;
};

/// A warning about an input that could be read, for the caller to show.
struct Warning {
  std::string id;  // stable, as that of an error
  std::string file;
  std::size_t line = 0, column = 0;  // of the first occurrence
  std::size_t count = 0;             // occurrences in the file
  std::string message;
};

/// "file:line:column: message (and 3 more)", escaped for terminals.
std::string to_string(const Warning& warning);

}  // namespace speedwell::io
