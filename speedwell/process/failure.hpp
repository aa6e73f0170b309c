// From exceptions to exit statuses, ids and one line for the user: the table of docs/errors.md in code.
#pragma once

#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>

namespace speedwell::process {

struct Failure {
  int status = 70;
  std::string id;
  std::string message;  // without "speedwell: error: " and without the location
  std::string hint;
  std::string file;
  std::size_t line = 0, column = 0;
};

/// A mistake on the command line, with a hint. Status 2.
class UsageError : public std::invalid_argument {
 public:
  UsageError(const std::string& message, std::string hint) : std::invalid_argument(message), hint_(std::move(hint)) {}
  const std::string& hint() const { return hint_; }

 private:
  std::string hint_;
};

/// The meaning of `error` for the user and the shell.
Failure failure_of(const std::exception& error);

/// The document of records, in JSON with a line feed, that stands for results on standard output.
std::string document_of(const Failure& failure);

/// "speedwell: error: FILE:LINE:COLUMN: MESSAGE\nhint: HINT\n", user text escaped.
std::string text_of(const Failure& failure);

}  // namespace speedwell::process
