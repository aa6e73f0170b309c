#include "speedwell/process/termination.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "speedwell/process/failure.hpp"

namespace speedwell::process {
namespace {

std::atomic<bool> json_wanted{false}, exit_expected{false}, ending{false}, was_refused_memory{false};
constexpr int unavailable = 4;

void print(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

[[noreturn]] void end(int status, std::string_view text, std::string_view document) {
  if (json_wanted) print(STDOUT_FILENO, document);
  print(STDERR_FILENO, text);
  std::_Exit(status);
}

// Several threads may call this at the same time: the first returns and reports, the others wait for the end of the
// process.
void only_once() {
  if (!ending.exchange(true)) return;
  for (;;) ::pause();
}

void on_no_memory() {
  was_refused_memory = true;
  throw std::bad_alloc();
}

[[noreturn]] void on_terminate() {
  only_once();
  std::string text, document;
  int status = 0;
  try {
    Failure failure;
    failure.message = "the program ended without an exception";
    failure.id = "bug";
    try {
      if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
      // Without an exception this is an allocation that failed in a destructor: that of a JSON document allocates.
      if (was_refused_memory) throw std::bad_alloc();
    } catch (const std::exception& e) {
      failure = failure_of(e);
    } catch (...) {
      failure.message = "an exception of unknown type";
    }
    status = failure.status;
    text = text_of(failure);
    document = document_of(failure);
  } catch (...) {
    status = 0;
  }
  if (status == 0) {
    ending = false;
    exit_out_of_memory();
  }
  end(status, text, document);
}

void on_exit() {
  if (exit_expected) return;
  only_once();
  end(unavailable,
      "speedwell: error: a library has ended the program: there were no resources for its threads or its memory\n",
      R"({"schema": "speedwell-records/1", "error": {"status": 4, "id": "memory", "message": "a library has ended the program: )"
      R"(there were no resources for its threads or its memory", "hint": null, "file": null, "line": null, "column": null}, "runs": []})"
      "\n");
}

}  // namespace

void handle_termination(bool json) {
  json_wanted = json;
  std::set_terminate(on_terminate);
  std::set_new_handler(on_no_memory);
  std::atexit(on_exit);
}

void expect_exit() { exit_expected = true; }

void exit_out_of_memory() {
  only_once();
  end(unavailable, "speedwell: error: not enough memory\nhint: --dry-run prints what a problem needs\n",
      R"({"schema": "speedwell-records/1", "error": {"status": 4, "id": "memory", "message": "not enough memory", )"
      R"("hint": "--dry-run prints what a problem needs", "file": null, "line": null, "column": null}, "runs": []})"
      "\n");
}

}  // namespace speedwell::process
