#include "speedwell/io/folder_lock.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "speedwell/io/atomic_file.hpp"
#include "speedwell/io/error.hpp"
#include "tests/support/folder_fixture.hpp"

namespace speedwell::io {
namespace {

namespace fs = std::filesystem;

using FolderLocks = test::FolderFixture;

TEST_F(FolderLocks, KeepOthersOutAndNameTheProcess) {
  {
    const FolderLock lock(root_);
    ASSERT_TRUE(lock.held());
    try {
      const FolderLock second(root_);  // flock keeps out a second opening of the same process, too
      FAIL();
    } catch (const OutputError& e) {
      EXPECT_EQ(e.id(), "output.locked");
      EXPECT_NE(std::string(e.what()).find("process " + std::to_string(getpid()) + " on "), std::string::npos)
          << e.what();
    }
    EXPECT_TRUE(fs::exists(root_ + "/run.lock"));  // the refused one has not removed it
  }
  EXPECT_TRUE(fs::is_empty(root_));
  EXPECT_TRUE(FolderLock(root_).held());
}

TEST_F(FolderLocks, LocksOfEndedProcessesAreTakenOver) {
  const pid_t child = fork();
  if (child == 0) {
    const FolderLock lock(root_);
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_TRUE(fs::exists(root_ + "/run.lock"));
  EXPECT_TRUE(FolderLock(root_).held());
}

TEST_F(FolderLocks, AreNotFilesOfAnotherKind) {
  fs::create_symlink("/etc/passwd", root_ + "/run.lock");
  EXPECT_THROW(FolderLock{root_}, OutputError);
  EXPECT_THROW(FolderLock{root_ + "/none"}, OutputError);
}

using Temporaries = test::FolderFixture;

TEST_F(Temporaries, ThoseOfEndedProcessesAreRemovedAndNoOthers) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);  // the child has ended: no process has its number
  const std::string dead = "/.speedwell-" + std::to_string(child), alive = "/.speedwell-" + std::to_string(getppid());
  for (const std::string& name : {dead + "-0.tmp", dead + "-17.tmp", alive + "-0.tmp", dead + "-0.tmp2", dead + ".tmp",
                                  dead + "-x.tmp", std::string("/.speedwell--1-0.tmp"), std::string("/data.tmp")})
    std::ofstream(root_ + name) << "half";
  // This process has written none: it is left from an earlier process of the same number, as containers have.
  const std::string own = "/.speedwell-" + std::to_string(getpid()) + "-5.tmp";
  std::ofstream(root_ + own) << "half";
  fs::create_directory(root_ + dead + "-3.tmp");
  remove_dead_temporaries(root_);
  EXPECT_FALSE(fs::exists(root_ + dead + "-0.tmp"));
  EXPECT_FALSE(fs::exists(root_ + dead + "-17.tmp"));
  EXPECT_FALSE(fs::exists(root_ + own));
  EXPECT_EQ(std::distance(fs::directory_iterator(root_), fs::directory_iterator()), 7);
  remove_dead_temporaries(root_ + "/none");
}

}  // namespace
}  // namespace speedwell::io
