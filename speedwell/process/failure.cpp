#include "speedwell/process/failure.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <new>
#include <system_error>

#include "speedwell/core/error.hpp"
#include "speedwell/harness/records/record.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/io/escape.hpp"

namespace speedwell::process {

Failure failure_of(const std::exception& error) {
  Failure f;
  f.message = error.what();
  if (const auto* input = dynamic_cast<const io::InputError*>(&error)) {
    f.status = 3;
    f.id = input->id();
    f.message = input->message();
    f.hint = input->hint();
    f.file = input->file();
    f.line = input->line();
    f.column = input->column();
  } else if (const auto* usage = dynamic_cast<const UsageError*>(&error)) {
    f.status = 2;
    f.id = "usage";
    f.hint = usage->hint();
  } else if (dynamic_cast<const std::invalid_argument*>(&error)) {
    f.status = 2;
    f.id = "usage";
  } else if (dynamic_cast<const core::Unavailable*>(&error)) {
    f.status = 4;
    f.id = "unavailable";
  } else if (dynamic_cast<const std::bad_alloc*>(&error)) {
    f.status = 4;
    f.id = "memory";
    f.message = "not enough memory";
    f.hint = "--dry-run prints what a problem needs";
  } else if (dynamic_cast<const core::DeviceError*>(&error)) {
    f.status = 5;
    f.id = "device";
  } else if (dynamic_cast<const io::OutputError*>(&error)) {
    f.status = 5;
    f.id = "output";
  } else if (const auto* system = dynamic_cast<const std::system_error*>(&error)) {
    const std::error_code code = system->code();
    // std::thread throws this if the system refuses another thread.
    if (code == std::errc::resource_unavailable_try_again || code == std::errc::not_enough_memory) {
      f.status = 4;
      f.id = "memory";
      f.message = "no resources for a thread: " + code.message();
      f.hint = "--threads takes fewer";
      return f;
    }
    // The standard library throws the others for a path that Speedwell did not check itself: a device that is full or
    // fails is a failure while running, anything else an error in the path that was given.
    const bool writing = code == std::errc::no_space_on_device || code == std::errc::read_only_file_system ||
                         code == std::errc::file_too_large || code == std::errc::io_error ||
                         code == std::error_code(EDQUOT, std::generic_category());
    f.status = writing ? 5 : 3;
    f.id = writing ? "output" : "input";
    const auto* path = dynamic_cast<const std::filesystem::filesystem_error*>(&error);
    f.message = code.message();
    if (path && !path->path1().empty()) f.file = path->path1().string();
  } else {
    f.status = 70;
    f.id = "bug";
    f.hint = "this is a bug in Speedwell: please report it with the output of 'speedwell info'";
  }
  return f;
}

std::string document_of(const Failure& f) {
  return harness::dump(harness::error_document(f.status, f.id, f.message, f.hint, f.file, f.line, f.column)) + "\n";
}

std::string text_of(const Failure& f) {
  std::string location;
  if (!f.file.empty()) {
    location = f.file;
    if (f.line) location += fmt::format(":{}", f.line);
    if (f.column) location += fmt::format(":{}", f.column);
    location += ": ";
  }
  std::string text = "speedwell: error: " + io::escape(location + f.message) + "\n";
  if (!f.hint.empty()) text += "hint: " + io::escape(f.hint) + "\n";
  return text;
}

}  // namespace speedwell::process
