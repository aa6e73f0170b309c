#include "speedwell/io/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "speedwell/io/error.hpp"
#include "speedwell/io/error_text.hpp"

namespace speedwell::io {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "?";
}

// "process 123 on host", from the contents of the lock file.
std::string holder(int descriptor) {
  std::array<char, 320> text{};
  const ssize_t bytes = ::pread(descriptor, text.data(), text.size() - 1, 0);
  const std::string line(text.data(), bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  const std::size_t blank = line.find(' ');
  if (blank == std::string::npos) return "another process";
  return fmt::format("process {} on {}", line.substr(0, blank), line.substr(blank + 1, line.find('\n') - blank - 1));
}

int lock(int descriptor) {
  int result = 0;
  do result = ::flock(descriptor, LOCK_EX | LOCK_NB);
  while (result != 0 && errno == EINTR);
  return result;
}

}  // namespace

FolderLock::FolderLock(const std::string& folder) : path_(folder + "/" + file_name) {
  const auto fail = [&](const char* id, const std::string& what) {
    if (descriptor_ >= 0) ::close(descriptor_);
    throw OutputError(id, path_, what);
  };
  for (;;) {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (descriptor_ < 0) fail("output.open", "cannot be written: " + text_of(errno));
    struct stat own {};
    struct stat there {};
    if (::fstat(descriptor_, &own) != 0 || !S_ISREG(own.st_mode)) fail("output.open", "is not a file");
    held_ = lock(descriptor_) == 0;
    if (!held_ && errno == EWOULDBLOCK) fail("output.locked", holder(descriptor_) + " is writing into this folder");
    if (!held_) break;
    // The previous holder may have removed the file between the two calls.
    if (::stat(path_.c_str(), &there) == 0 && there.st_ino == own.st_ino && there.st_dev == own.st_dev) break;
    ::close(descriptor_);
  }
  const std::string line = fmt::format("{} {}\n", ::getpid(), host_name());
  if (::ftruncate(descriptor_, 0) != 0 || ::pwrite(descriptor_, line.data(), line.size(), 0) < 0) {
    // The disk is full: the lock is valid without the name, too.
  }
}

FolderLock::~FolderLock() {
  if (held_) ::unlink(path_.c_str());
  ::close(descriptor_);
}

}  // namespace speedwell::io
