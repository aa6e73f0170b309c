#include "speedwell/io/source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "speedwell/io/error.hpp"
#include "speedwell/io/error_text.hpp"
#include "speedwell/io/limits.hpp"

namespace speedwell::io {
namespace {

std::atomic<void (*)()> reading_check{nullptr};

void check_reading() {
  if (void (*const check)() = reading_check) check();
}

class FileSource : public Source {
 public:
  explicit FileSource(const std::string& path) : file_(display_name(path)) {
    if (path == "-") {
      descriptor_ = STDIN_FILENO;
      return;
    }
    if (path.empty()) throw InputError("input.open", file_, 0, 0, "the name of a file is empty");
    do {
      check_reading();
      descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    } while (descriptor_ < 0 && errno == EINTR);
    if (descriptor_ < 0) throw InputError("input.open", file_, 0, 0, "cannot be opened: " + text_of(errno));
    struct stat status {};
    if (::fstat(descriptor_, &status) == 0 && S_ISDIR(status.st_mode)) {
      ::close(descriptor_);
      throw InputError("input.open", file_, 0, 0, "is a folder, not a file");
    }
  }
  ~FileSource() override {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  std::size_t read(std::span<char> buffer) override {
    ssize_t got = 0;
    do {
      check_reading();
      got = ::read(descriptor_, buffer.data(), buffer.size());
    } while (got < 0 && errno == EINTR);
    if (got < 0) throw InputError("input.read", file_, 0, 0, "cannot be read: " + text_of(errno));
    return static_cast<std::size_t>(got);
  }

 private:
  std::string file_;
  int descriptor_ = -1;
};

class MemorySource : public Source {
 public:
  explicit MemorySource(std::string_view bytes) : rest_(bytes) {}
  std::size_t read(std::span<char> buffer) override {
    const std::size_t count = std::min(buffer.size(), rest_.size());
    std::copy_n(rest_.data(), count, buffer.data());
    rest_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view rest_;
};

class PrefixedSource : public Source {
 public:
  PrefixedSource(std::string front, std::unique_ptr<Source> rest) : front_(std::move(front)), rest_(std::move(rest)) {}
  std::size_t read(std::span<char> buffer) override {
    if (given_ == front_.size()) return rest_->read(buffer);
    const std::size_t count = std::min(front_.size() - given_, buffer.size());
    std::copy_n(front_.data() + given_, count, buffer.data());
    given_ += count;
    return count;
  }

 private:
  std::string front_;
  std::size_t given_ = 0;
  std::unique_ptr<Source> rest_;
};

}  // namespace

void set_reading_check(void (*check)()) { reading_check = check; }

std::string display_name(const std::string& path) { return path == "-" ? "<stdin>" : path; }

std::unique_ptr<Source> open_source(const std::string& path) {
  return decompressed(std::make_unique<FileSource>(path), display_name(path));
}

std::unique_ptr<Source> memory_source(std::string_view bytes, std::string file) {
  return decompressed(std::make_unique<MemorySource>(bytes), std::move(file));
}

std::unique_ptr<Source> prefixed(std::string front, std::unique_ptr<Source> rest) {
  return std::make_unique<PrefixedSource>(std::move(front), std::move(rest));
}

bool is_there(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return true;
  if (errno == ENOENT || errno == ENOTDIR) return false;
  throw InputError("input.open", display_name(path), 0, 0, "cannot be looked at: " + text_of(errno));
}

std::string read_file(const std::string& path, std::size_t limit) {
  const std::unique_ptr<Source> source = open_source(path);
  std::string bytes;
  std::array<char, 1 << 16> buffer;
  while (const std::size_t got = source->read(buffer)) {
    if (got > limit - bytes.size())
      throw InputError("input.too_large", display_name(path), 0, 0, fmt::format("is longer than {} bytes", limit));
    bytes.append(buffer.data(), got);
  }
  return bytes;
}

}  // namespace speedwell::io
