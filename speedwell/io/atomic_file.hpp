// Writing files so that a reader sees the old content or all of the new, and lines so that two writers never mix.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace speedwell::io {

/// A file written under a temporary name in the folder of `path`, which takes its place in commit(). Without commit(),
/// and after any error, the temporary file is removed and what stood at `path` is untouched.
/// A symbolic link is followed, and an existing file's permissions are kept. What is not a regular file (/dev/stdout,
/// a pipe) cannot be replaced and is written directly. Not for use by several threads at once.
class AtomicFile {
 public:
  /// Throws OutputError output.open.
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Throws OutputError output.write (disk full, quota, …).
  void write(std::string_view bytes);
  /// Flushes to the disk, renames, and flushes the folder. Throws OutputError output.write or output.rename.
  void commit();

 private:
  void flush();
  void abandon() noexcept;
  [[noreturn]] void fail(const char* id, const char* action, int error);

  std::string shown_path_, target_, temporary_;  // temporary_ is empty when `path` is written directly
  std::string buffer_;
  int descriptor_ = -1;
};

/// Finds out beforehand whether a file can be written at `path`, which keeps what it has. Throws OutputError
/// output.open.
void require_writable(const std::string& path);

/// Writes `bytes` to `path` by way of AtomicFile.
void write_file(const std::string& path, std::string_view bytes);

/// Removes from `folder` the temporary files of AtomicFile whose processes are dead; what cannot be removed stays, and
/// so does everything where there is no such folder. No AtomicFile of this process may be open in it.
void remove_dead_temporaries(const std::string& folder);

/// Appends `line` and a line feed with one write under an exclusive lock (flock), and flushes it to the disk; makes the
/// file if it is missing. If the write fails or is cut short the file is cut back to what it was. A last line that an
/// earlier crash left without its end is ended first. Throws std::invalid_argument if `line` contains a line feed, and
/// OutputError.
void append_line(const std::string& path, std::string_view line);

}  // namespace speedwell::io
