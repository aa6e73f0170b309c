#include "speedwell/io/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "speedwell/io/error.hpp"
#include "speedwell/io/error_text.hpp"
#include "speedwell/io/limits.hpp"

namespace speedwell::io {
namespace {

template <class Call>
auto retry(Call call) {  // POSIX calls return -1 with EINTR if a signal arrives
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// Waits for the exclusive lock, which close() releases. Where a file system has no locks (Lustre mounted without them,
// some network file systems) it returns without one, as FolderLock does. False: another error, in errno.
bool lock_if_possible(int descriptor) {
  if (retry([&] { return ::flock(descriptor, LOCK_EX); }) == 0) return true;
  return errno == ENOSYS || errno == ENOLCK || errno == EOPNOTSUPP;
}

std::string folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

// Resolves a chain of symbolic links; the target need not exist.
std::string follow_links(std::string path) {
  for (int depth = 0; depth < 40; ++depth) {
    std::error_code error;
    const std::filesystem::path link = std::filesystem::read_symlink(path, error);
    if (error) break;  // not a link
    path = link.is_absolute() ? link.string() : (std::filesystem::path(path).parent_path() / link).string();
  }
  return path;
}

class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  ~Descriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : shown_path_(path), target_(follow_links(path)) {
  if (path.empty()) fail("output.open", "cannot be written", ENOENT);
  struct stat old {};
  const bool exists = ::stat(target_.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) fail("output.open", "cannot be written", EISDIR);
  if (exists && !S_ISREG(old.st_mode)) {
    descriptor_ = retry([&] { return ::open(target_.c_str(), O_WRONLY | O_CLOEXEC); });
    if (descriptor_ < 0) fail("output.open", "cannot be written", errno);
    return;
  }
  static std::atomic<unsigned> count{0};
  for (;;) {
    // The name is hidden, and short enough for every directory that can contain the file.
    temporary_ = folder_of(target_) + fmt::format("/.speedwell-{}-{}.tmp", ::getpid(), count++);
    descriptor_ = retry([&] { return ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666); });
    if (descriptor_ >= 0) break;
    if (errno == EEXIST) continue;  // left by a killed process with the same id
    const int error = errno;
    temporary_.clear();
    fail("output.open", "cannot be written", error);
  }
  if (exists) (void)::fchmod(descriptor_, old.st_mode & 07777);
}

AtomicFile::~AtomicFile() { abandon(); }

// The buffer is for many small pieces. Large ones, such as the fields of a checkpoint, are not copied into it: that
// would take their memory a second time.
void AtomicFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() >= limits::buffer_bytes) flush();
  if (bytes.size() >= limits::buffer_bytes)
    write_through(bytes);
  else
    buffer_ += bytes;
}

void AtomicFile::write_at(std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        retry([&] { return ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
    if (written < 0) fail("output.write", "cannot be written", errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
}

void AtomicFile::read_at(std::uint64_t offset, std::span<char> bytes) {
  while (!bytes.empty()) {
    const ssize_t got =
        retry([&] { return ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
    if (got < 0) fail("output.write", "cannot be read back", errno);
    if (got == 0) break;
    bytes = bytes.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  std::fill(bytes.begin(), bytes.end(), '\0');
}

void AtomicFile::resize(std::uint64_t bytes) {
  if (retry([&] { return ::ftruncate(descriptor_, static_cast<off_t>(bytes)); }) != 0)
    fail("output.write", "cannot be written", errno);
}

void AtomicFile::flush() {
  write_through(buffer_);
  buffer_.clear();
}

void AtomicFile::write_through(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = retry([&] { return ::write(descriptor_, bytes.data(), bytes.size()); });
    if (written < 0) fail("output.write", "cannot be written", errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  if (descriptor_ < 0) throw std::logic_error("AtomicFile: commit() after commit() or an error");
  flush();
  // Pipes and terminals cannot be synchronised to a disk; files must be.
  if (!temporary_.empty() && retry([&] { return ::fsync(descriptor_); }) != 0)
    fail("output.write", "cannot be written", errno);
  const int closed = ::close(descriptor_);  // not retried: on Linux the descriptor is gone even after EINTR
  descriptor_ = -1;
  if (closed != 0 && errno != EINTR) fail("output.write", "cannot be written", errno);
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("output.rename", "cannot be put in place", errno);
  temporary_.clear();
  const Descriptor folder(::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() >= 0) (void)::fsync(folder.get());  // some file systems refuse; the file itself is safe
}

void AtomicFile::abandon() noexcept {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

void AtomicFile::fail(const char* id, const char* action, int error) {
  abandon();
  throw OutputError(id, shown_path_, fmt::format("{}: {}", action, text_of(error)));
}

void require_writable(const std::string& path) {
  struct stat old {};
  const bool exists = ::stat(path.c_str(), &old) == 0;
  if (!exists && errno == ENAMETOOLONG) throw OutputError("output.open", path, "cannot be made: " + text_of(errno));
  // A pipe is not opened before there is something to write: its reader would see an end of file.
  if (!exists || S_ISREG(old.st_mode) || S_ISDIR(old.st_mode)) (void)AtomicFile(path);
  if (exists && ::access(path.c_str(), W_OK) != 0)
    throw OutputError("output.open", path, "cannot be written: " + text_of(errno));
}

void write_file(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

void remove_dead_temporaries(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<fs::path> dead;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    constexpr std::string_view begin = ".speedwell-", finish = ".tmp";
    if (!name.starts_with(begin) || !name.ends_with(finish)) continue;
    pid_t process = 0;
    unsigned count = 0;
    const char* stop = name.data() + name.size() - finish.size();
    const auto first = std::from_chars(name.data() + begin.size(), stop, process);
    if (first.ec != std::errc() || process <= 0 || first.ptr == stop || *first.ptr != '-') continue;
    const auto second = std::from_chars(first.ptr + 1, stop, count);
    std::error_code ignored;
    if (second.ec != std::errc() || second.ptr != stop || !fs::is_regular_file(at->symlink_status(ignored))) continue;
    // A file with this process's id was left by an earlier process with the same id.
    if (process == ::getpid() || (::kill(process, 0) != 0 && errno == ESRCH)) dead.push_back(at->path());
  }
  for (const fs::path& path : dead) ::unlink(path.c_str());
}

void append_line(const std::string& path, std::string_view line) {
  if (line.find('\n') != std::string_view::npos)
    throw std::invalid_argument("append_line: the line contains a line feed");
  const auto fail = [&](const char* id, int error) {
    throw OutputError(id, path, "cannot be appended to: " + text_of(error));
  };
  const Descriptor file(retry([&] { return ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666); }));
  if (file.get() < 0) fail("output.open", errno);
  if (!lock_if_possible(file.get())) fail("output.open", errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail("output.open", errno);
  std::string bytes;
  char last = '\n';
  if (S_ISREG(status.st_mode) && status.st_size > 0 && ::pread(file.get(), &last, 1, status.st_size - 1) == 1 &&
      last != '\n')
    bytes += '\n';
  bytes += line;
  bytes += '\n';
  const ssize_t written = retry([&] { return ::write(file.get(), bytes.data(), bytes.size()); });
  if (written != static_cast<ssize_t>(bytes.size())) {
    const int error = written < 0 ? errno : ENOSPC;  // a write to a regular file is short only if the file cannot grow
    if (S_ISREG(status.st_mode) && ::ftruncate(file.get(), status.st_size) != 0) fail("output.write", errno);
    fail("output.write", error);
  }
  if (S_ISREG(status.st_mode) && retry([&] { return ::fdatasync(file.get()); }) != 0) fail("output.write", errno);
}

}  // namespace speedwell::io
