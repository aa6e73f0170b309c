#include "speedwell/io/atomic_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "speedwell/io/error.hpp"
#include "speedwell/io/folder_lock.hpp"
#include "tests/support/folder_fixture.hpp"
#include "tests/support/full_disk.hpp"

namespace {

int error_of_flock = 0;  // what flock() of this program fails with; 0: it is the system's

}  // namespace

// Takes the place of the C library's.
extern "C" int flock(int descriptor, int operation) noexcept {
  if (error_of_flock == 0) return static_cast<int>(::syscall(SYS_flock, descriptor, operation));
  errno = error_of_flock;
  return -1;
}

namespace speedwell::io {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public test::FolderFixture {
 protected:
  std::string path(const char* name) const { return root_ + "/" + name; }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(root_), fs::directory_iterator{}));
  }
};

TEST_F(AtomicFileTest, TakesBytesInAnyOrder) {
  {
    AtomicFile file(path("a"));
    file.write_at(6, "world");
    file.write_at(0, "hello");
    std::string back(8, 'x');
    file.read_at(4, back);
    EXPECT_EQ(back, std::string("o\0world\0", 8)) << "what was not written is 0";
    file.resize(13);
    file.resize(12);
    EXPECT_FALSE(fs::exists(path("a"))) << "nothing before commit";
    file.commit();
  }
  EXPECT_EQ(read("a"), std::string("hello\0world\0", 12));
  EXPECT_EQ(files(), 1u);
  const auto write_far = [&] {
    AtomicFile file(path("b"));
    file.write_at(4000, std::string(200, 'x'));
    file.commit();
    return 0;
  };
  EXPECT_EQ(test::with_full_disk(4096, write_far), 5);
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFileTest, CommitPutsTheWholeFileInPlace) {
  const std::string bytes(1'000'000, 'x');
  {
    AtomicFile file(path("a"));
    file.write(bytes);
    file.write("end");
    EXPECT_FALSE(fs::exists(path("a"))) << "nothing before commit";
    file.commit();
    EXPECT_THROW(file.commit(), std::logic_error);
  }
  EXPECT_EQ(read("a"), bytes + "end");
  EXPECT_EQ(files(), 1u) << "no temporary file is left";
}

// A checkpoint of half of the memory would not fit twice.
TEST_F(AtomicFileTest, LargePiecesAreNotCopied) {
  constexpr std::size_t size = std::size_t{64} << 20;
  const std::string bytes(size, 'x');
  const pid_t child = ::fork();
  if (child == 0) {  // whose peak of memory begins with what is in memory now
    const auto peak = [] {
      rusage usage{};
      ::getrusage(RUSAGE_SELF, &usage);
      return static_cast<std::size_t>(usage.ru_maxrss) << 10;
    };
    const std::size_t before = peak();
    write_file(path("a"), bytes);
    ::_exit(peak() - before < size / 2 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "the file was copied in memory";
  EXPECT_EQ(fs::file_size(path("a")), size);
}

TEST_F(AtomicFileTest, PiecesOfAnySizeComeInOrder) {
  std::string all;
  AtomicFile file(path("a"));
  for (const std::size_t size : {1u, 60000u, 6000u, 65535u, 65536u, 1u, 200000u, 0u, 70u}) {
    const std::string piece(size, static_cast<char>('a' + all.size() % 23));
    file.write(piece);
    all += piece;
  }
  file.commit();
  EXPECT_EQ(read("a"), all);
}

TEST_F(AtomicFileTest, WithoutCommitTheOldFileStays) {
  write_file(path("a"), "old");
  {
    AtomicFile file(path("a"));
    file.write(std::string(1'000'000, 'n'));
  }
  EXPECT_EQ(read("a"), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFileTest, AFullDiskLeavesTheOldFileAndNoOther) {
  write_file(path("a"), "old");
  for (const std::size_t size : {5000u, 1000000u})  // failing in commit(), and in write()
    EXPECT_EQ(test::with_full_disk(4096,
                                   [&] {
                                     write_file(path("a"), std::string(size, 'n'));
                                     return 0;
                                   }),
              5);
  EXPECT_EQ(read("a"), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFileTest, KeepsPermissionsAndFollowsLinks) {
  write_file(path("a"), "old");
  ::chmod(path("a").c_str(), 0640);
  fs::create_symlink("a", path("link"));
  write_file(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read("a"), "new");
  struct stat status {};
  ASSERT_EQ(::stat(path("a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
  fs::create_symlink(path("not-yet"), path("dangling"));
  write_file(path("dangling"), "made");
  EXPECT_EQ(read("not-yet"), "made");
}

TEST_F(AtomicFileTest, SaysWhatCannotBeOpened) {
  for (const std::string& bad : {path("missing/a"), root_, std::string()}) {
    try {
      AtomicFile file(bad);
      ADD_FAILURE() << bad;
    } catch (const OutputError& error) {
      EXPECT_EQ(error.id(), "output.open");
      EXPECT_EQ(error.file(), bad);
    }
  }
  EXPECT_EQ(files(), 0u);
}

TEST_F(AtomicFileTest, FindsOutBeforehandWhetherAFileCanBeWritten) {
  const std::string file = path("file");
  write_file(file, "old");
  require_writable(file);
  EXPECT_EQ(read(file), "old") << "nothing is written";
  require_writable(path("new"));
  EXPECT_FALSE(fs::exists(path("new")));
  EXPECT_THROW(require_writable(path("missing/file")), OutputError);
  EXPECT_THROW(require_writable(root_), OutputError) << "a folder";
  EXPECT_THROW(require_writable(file + "/below"), OutputError);
  require_writable("/dev/null");
}

TEST_F(AtomicFileTest, WritesToWhatCannotBeReplaced) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = read("pipe"); });
  write_file(path("pipe"), "through");
  reader.join();
  EXPECT_EQ(got, "through");
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
  if (fs::exists("/dev/full")) {
    try {
      write_file("/dev/full", "x");
      ADD_FAILURE();
    } catch (const OutputError& error) {
      EXPECT_STREQ(error.what(), "/dev/full: cannot be written: No space left on device");
    }
  }
}

TEST_F(AtomicFileTest, ARenameThatFailsLeavesNoTemporaryFile) {
  AtomicFile file(path("a"));
  file.write("x");
  fs::create_directories(path("a") + "/occupied");  // since the file was opened
  try {
    file.commit();
    ADD_FAILURE();
  } catch (const OutputError& error) {
    EXPECT_EQ(error.id(), "output.rename");
  }
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFileTest, LinesAreAppendedAndAnUnendedOneIsEndedFirst) {
  append_line(path("r"), "one");
  append_line(path("r"), "");
  EXPECT_EQ(read("r"), "one\n\n");
  std::ofstream(path("r"), std::ios::app) << "{half a rec";
  append_line(path("r"), "two");
  EXPECT_EQ(read("r"), "one\n\n{half a rec\ntwo\n");
  EXPECT_THROW(append_line(path("r"), "a\nb"), std::invalid_argument);
  EXPECT_THROW(append_line(path("missing/r"), "x"), OutputError);
}

TEST_F(AtomicFileTest, LinesAreAppendedOnFileSystemsWithoutLocks) {
  for (const int error : {ENOSYS, ENOLCK, EOPNOTSUPP}) {
    error_of_flock = error;
    EXPECT_NO_THROW(append_line(path("r"), "line")) << std::strerror(error);
    EXPECT_FALSE(FolderLock(root_).held()) << std::strerror(error);
  }
  error_of_flock = EIO;
  EXPECT_THROW(append_line(path("r"), "line"), OutputError);
  error_of_flock = 0;
  EXPECT_EQ(read("r"), "line\nline\nline\n");
}

TEST_F(AtomicFileTest, AFullDiskNeverLeavesHalfALine) {
  const std::string line(3000, 'x');
  append_line(path("r"), line);
  EXPECT_EQ(test::with_full_disk(4096,
                                 [&] {
                                   append_line(path("r"), line);  // 1095 bytes of it would fit
                                   return 0;
                                 }),
            5);
  EXPECT_EQ(read("r"), line + "\n");
  if (fs::exists("/dev/full")) {
    EXPECT_THROW(append_line("/dev/full", "x"), OutputError);
  }
}

TEST_F(AtomicFileTest, LinesOfSeveralProcessesNeverMix) {
  constexpr int writers = 4, lines = 25;
  std::vector<pid_t> children;
  for (int w = 0; w < writers; ++w) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int i = 0; i < lines; ++i) append_line(path("r"), std::string(5000, static_cast<char>('a' + w)));
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) ::waitpid(child, nullptr, 0);
  std::istringstream all(read("r"));
  std::string line;
  int count = 0;
  for (; std::getline(all, line); ++count) {
    ASSERT_EQ(line.size(), 5000u);
    ASSERT_EQ(line.find_first_not_of(line[0]), std::string::npos);
  }
  EXPECT_EQ(count, writers * lines);
}

}  // namespace
}  // namespace speedwell::io
