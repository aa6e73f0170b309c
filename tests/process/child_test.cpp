// Statuses of processes that are started and waited for.
#include "speedwell/process/child.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "speedwell/core/error.hpp"

namespace speedwell::process {
namespace {

TEST(ProcessChild, HasItsOwnStatus) {
  EXPECT_EQ(run_child({"sh", "-c", "exit 0"}), 0);
  EXPECT_EQ(run_child({"sh", "-c", "exit 7"}), 7);
  EXPECT_EQ(run_child({"sh", "-c", "kill -KILL $$"}), 128 + 9);
}

TEST(ShellWord, IsQuotedWhereAShellWouldReadSomethingElse) {
  for (const char* plain : {"flow", "/data/run-1/a_b.c", "50%", "--set", "n=24"}) EXPECT_EQ(shell_word(plain), plain);
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("my run"), "'my run'");
  EXPECT_EQ(shell_word("=run"), "'=run'");  // the path of a program, to some shells
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
}

TEST(ProcessChild, ThatCannotBeStartedIsUnavailable) {
  EXPECT_THROW(run_child({"/no/such/program"}), core::Unavailable);
  EXPECT_THROW(run_launcher({"/no/such/launcher", "-n", "2"}), core::Unavailable);
}

TEST(ProcessChild, OfALauncherHasItsOwnStatus) {
  EXPECT_EQ(run_launcher({"sh", "-c", "exit 3"}), 3);
  EXPECT_EQ(run_launcher({"sh", "-c", "kill -KILL $$"}), 128 + 9);
}

TEST(ProcessChild, DoesNotInheritIgnoredSignals) {
  const sigset_t ignored = ignored_signals();
  EXPECT_EQ(sigismember(&ignored, SIGPIPE), 1);
  EXPECT_EQ(sigismember(&ignored, SIGXFSZ), 1);
  EXPECT_EQ(sigismember(&ignored, SIGTERM), 0);
}

TEST(ProcessChild, FindsThisProgram) { EXPECT_TRUE(std::filesystem::is_regular_file(own_program())); }

}  // namespace
}  // namespace speedwell::process
