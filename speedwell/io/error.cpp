#include "speedwell/io/error.hpp"

#include <fmt/format.h>

#include "speedwell/io/escape.hpp"

namespace speedwell::io {
namespace {

std::string location(const std::string& file, std::size_t line, std::size_t column) {
  std::string text = escape(file);
  if (line != 0) text += fmt::format(":{}", line);
  if (line != 0 && column != 0) text += fmt::format(":{}", column);
  return text;
}

}  // namespace

InputError::InputError(std::string id, std::string file, std::size_t line, std::size_t column, std::string message,
                       std::string hint)
    : std::runtime_error(location(file, line, column) + ": " + escape(message)),
      id_(std::move(id)),
      file_(std::move(file)),
      line_(line),
      column_(column),
      message_(std::move(message)),
      hint_(std::move(hint)) {}

OutputError::OutputError(std::string id, std::string file, std::string message)
    : std::runtime_error(location(file, 0, 0) + ": " + escape(message)), id_(std::move(id)), file_(std::move(file)) {}

std::string to_string(const Warning& warning) {
  std::string text = location(warning.file, warning.line, warning.column) + ": " + escape(warning.message);
  if (warning.count > 1) text += fmt::format(" (and {} more)", warning.count - 1);
  return text;
}

}  // namespace speedwell::io
