// Atomic writes of files, so that readers see either the old or the new contents, and of lines, so that two writers do
// not mix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace speedwell::io {

/// A file written under a temporary name in the folder of `path` and renamed to `path` in commit(). Without commit(),
/// and after any error, the temporary file is removed and `path` is not changed. Symbolic links are followed, and an
/// existing file's permissions are kept. Files that are not regular (/dev/stdout, pipes) are written directly. Not
/// thread-safe.
class AtomicFile {
 public:
  /// Throws OutputError output.open.
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Copies pieces of less than limits::buffer_bytes, and writes larger ones from where they are. Throws OutputError
  /// output.write (disk full, quota, …).
  void write(std::string_view bytes);
  /// Writes `bytes` at `offset`, for libraries that write a file in their own order; not in a file that write() writes.
  /// Throws OutputError output.write, also for files that have no offsets (pipes).
  void write_at(std::uint64_t offset, std::string_view bytes);
  /// Reads what write_at() wrote; bytes that were not written are 0. Throws OutputError output.write.
  void read_at(std::uint64_t offset, std::span<char> bytes);
  /// Cuts or extends the file with zeros to `bytes`. Throws OutputError output.write.
  void resize(std::uint64_t bytes);
  /// Synchronises the file to the disk, renames it, and synchronises the folder. Throws OutputError output.write or
  /// output.rename.
  void commit();

 private:
  void flush();
  void write_through(std::string_view bytes);
  void abandon() noexcept;
  [[noreturn]] void fail(const char* id, const char* action, int error);

  std::string shown_path_, target_, temporary_;  // temporary_ is empty if `path` is written directly
  std::string buffer_;
  int descriptor_ = -1;
};

/// Checks whether a file can be written at `path`, without changing it. Throws OutputError output.open.
void require_writable(const std::string& path);

/// Writes `bytes` to `path` through AtomicFile.
void write_file(const std::string& path, std::string_view bytes);

/// Removes from `folder` the temporary files of AtomicFile whose processes no longer exist. Ignores files that cannot
/// be removed, and a folder that does not exist. No AtomicFile of this process may be open in it.
void remove_dead_temporaries(const std::string& folder);

/// Appends `line` and a line feed with one write under an exclusive lock (flock), and synchronises it to the disk;
/// creates the file if it is missing. On a file system without locks, the one write alone keeps lines of several
/// processes apart. If the write fails or is short, the file is truncated to its previous size. An incomplete last line
/// of an earlier crash is terminated first. Throws std::invalid_argument if `line` contains a line feed, and
/// OutputError.
void append_line(const std::string& path, std::string_view line);

}  // namespace speedwell::io
