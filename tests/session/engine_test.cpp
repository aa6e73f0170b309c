// The folders that commands write into.
#include "speedwell/session/engine.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "speedwell/process/failure.hpp"
#include "tests/support/folder_fixture.hpp"

namespace speedwell::session {
namespace {

namespace fs = std::filesystem;

class OutputFolders : public test::FolderFixture {
 protected:
  OutputFolders() {
    fs::current_path(root_);
    setenv("SOURCE_DATE_EPOCH", "1700000000", 1);  // one second for all
  }
  ~OutputFolders() override {
    unsetenv("SOURCE_DATE_EPOCH");
    fs::current_path(before_);
  }
  fs::path before_ = fs::current_path();
};

// Starts processes that each create a folder when the write end of a pipe is closed. Returns the names that they print,
// or fewer if some failed.
std::vector<std::string> folders_of_processes(int count) {
  std::array<int, 2> start{}, result{};
  EXPECT_EQ(::pipe(start.data()), 0);
  EXPECT_EQ(::pipe(result.data()), 0);
  std::vector<pid_t> children;
  for (int i = 0; i < count; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(start[1]);
      char none = 0;
      if (::read(start[0], &none, 1) != 0) ::_exit(1);
      const std::string line = make_output_folder({}, "suite", true) + "\n";
      ::_exit(::write(result[1], line.data(), line.size()) == static_cast<ssize_t>(line.size()) ? 0 : 1);
    }
    children.push_back(child);
  }
  ::close(start[0]);
  ::close(start[1]);
  ::close(result[1]);
  std::vector<std::string> names(1);
  for (char c = 0; ::read(result[0], &c, 1) == 1;) {
    if (c == '\n')
      names.emplace_back();
    else
      names.back() += c;
  }
  ::close(result[0]);
  for (const pid_t child : children) ::waitpid(child, nullptr, 0);
  names.pop_back();
  return names;
}

TEST_F(OutputFolders, ProcessesOfOneSecondGetDifferentOnes) {
  constexpr int processes = 8, rounds = 20;
  std::set<std::string> all;
  for (int i = 0; i < rounds; ++i)
    for (const std::string& name : folders_of_processes(processes)) EXPECT_TRUE(all.insert(name).second) << name;
  EXPECT_EQ(all.size(), processes * rounds);
  EXPECT_TRUE(fs::is_directory("speedwell-output/suite-20231114T221320Z"));
  EXPECT_TRUE(fs::is_directory("speedwell-output/suite-20231114T221320Z-160"));
}

TEST_F(OutputFolders, ThoseThatAreNamedMustBeEmptyOrMeant) {
  RunOptions options;
  EXPECT_EQ(make_output_folder(options, "run", false), "");
  options.output = "a/b";
  EXPECT_EQ(make_output_folder(options, "run", false), "a/b");
  EXPECT_EQ(make_output_folder(options, "run", false), "a/b") << "an empty one is there";
  write("a/b/file", "x");
  EXPECT_THROW(make_output_folder(options, "run", false), process::UsageError);
  options.force = true;
  EXPECT_EQ(make_output_folder(options, "run", false), "a/b");
  options.output = "a/b/file";
  EXPECT_THROW(make_output_folder(options, "run", false), process::UsageError);
}

}  // namespace
}  // namespace speedwell::session
