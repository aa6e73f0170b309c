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

namespace speedwell::io {
namespace {

namespace fs = std::filesystem;

class Folder : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::path(testing::TempDir()) / "speedwell-lock-XXXXXX";
    ASSERT_TRUE(mkdtemp(name.data()));
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string folder_;
};

using FolderLocks = Folder;

TEST_F(FolderLocks, KeepOthersOutAndNameTheProcess) {
  {
    const FolderLock lock(folder_);
    ASSERT_TRUE(lock.held());
    try {
      const FolderLock second(folder_);  // flock keeps out a second opening of the same process, too
      FAIL();
    } catch (const OutputError& e) {
      EXPECT_EQ(e.id(), "output.locked");
      EXPECT_NE(std::string(e.what()).find("process " + std::to_string(getpid()) + " on "), std::string::npos)
          << e.what();
    }
    EXPECT_TRUE(fs::exists(folder_ + "/run.lock"));  // the refused one has not removed it
  }
  EXPECT_TRUE(fs::is_empty(folder_));
  EXPECT_TRUE(FolderLock(folder_).held());
}

TEST_F(FolderLocks, LocksOfEndedProcessesAreTakenOver) {
  const pid_t child = fork();
  if (child == 0) {
    const FolderLock lock(folder_);
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_TRUE(fs::exists(folder_ + "/run.lock"));
  EXPECT_TRUE(FolderLock(folder_).held());
}

TEST_F(FolderLocks, AreNotFilesOfAnotherKind) {
  fs::create_symlink("/etc/passwd", folder_ + "/run.lock");
  EXPECT_THROW(FolderLock{folder_}, OutputError);
  EXPECT_THROW(FolderLock{folder_ + "/none"}, OutputError);
}

using Temporaries = Folder;

TEST_F(Temporaries, ThoseOfEndedProcessesAreRemovedAndNoOthers) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);  // the child has ended: no process has its number
  const std::string dead = "/.speedwell-" + std::to_string(child), alive = "/.speedwell-" + std::to_string(getppid());
  for (const std::string& name : {dead + "-0.tmp", dead + "-17.tmp", alive + "-0.tmp", dead + "-0.tmp2", dead + ".tmp",
                                  dead + "-x.tmp", std::string("/.speedwell--1-0.tmp"), std::string("/data.tmp")})
    std::ofstream(folder_ + name) << "half";
  fs::create_directory(folder_ + dead + "-3.tmp");
  remove_dead_temporaries(folder_);
  EXPECT_FALSE(fs::exists(folder_ + dead + "-0.tmp"));
  EXPECT_FALSE(fs::exists(folder_ + dead + "-17.tmp"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 7);
  remove_dead_temporaries(folder_ + "/none");
}

}  // namespace
}  // namespace speedwell::io
