// The table of docs/errors.md: which exception ends the program with which status and id.
#include "speedwell/process/failure.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>

#include "speedwell/core/error.hpp"
#include "speedwell/io/error.hpp"

namespace speedwell::process {
namespace {

void expect(const std::exception& error, int status, const std::string& id) {
  const Failure failure = failure_of(error);
  EXPECT_EQ(failure.status, status) << error.what();
  EXPECT_EQ(failure.id, id) << error.what();
}

TEST(ProcessFailure, HasTheStatusOfItsKind) {
  expect(UsageError("no such option", "speedwell --help"), 2, "usage");
  expect(std::invalid_argument("n must be positive"), 2, "usage");
  expect(io::InputError("input.fasta.character", "a.fa", 3, 4, "a bad character"), 3, "input.fasta.character");
  expect(core::Unavailable("no GPU"), 4, "unavailable");
  expect(std::bad_alloc(), 4, "memory");
  expect(core::DeviceError("an illegal address"), 5, "device");
  expect(io::OutputError("output.write", "a.vtk", "no space left on device"), 5, "output");
  expect(std::runtime_error("what was not foreseen"), 70, "bug");
}

TEST(ProcessFailure, OfThePathTellsAMistakeFromAFailureOfTheMachine) {
  const auto error = [](int number) {
    return std::filesystem::filesystem_error("open", "a/b", std::error_code(number, std::generic_category()));
  };
  expect(error(ENOENT), 3, "input");
  expect(error(ENOSPC), 5, "output");
  expect(error(EROFS), 5, "output");
  expect(error(EAGAIN), 4, "memory");
  EXPECT_EQ(failure_of(error(ENOENT)).file, "a/b");
}

TEST(ProcessFailure, IsOneLineAndAHint) {
  const Failure input =
      failure_of(io::InputError("input.fasta.character", "a.fa", 3, 4, "a bad\ncharacter", "remove it"));
  EXPECT_EQ(text_of(input), "speedwell: error: a.fa:3:4: a bad\\x0acharacter\nhint: remove it\n");
  EXPECT_EQ(text_of(failure_of(UsageError("no command", ""))), "speedwell: error: no command\n");
}

}  // namespace
}  // namespace speedwell::process
