// Sources of bytes: a file, standard input or memory; gzip is recognised by its magic bytes and decompressed.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace speedwell::io {

/// A stream of bytes, read once from front to back.
class Source {
 public:
  virtual ~Source() = default;
  /// Fills the front of `buffer` and returns the number of bytes; 0 only at the end (or for an empty buffer). Throws
  /// InputError: input.read, input.gzip.truncated, input.gzip.corrupt.
  virtual std::size_t read(std::span<char> buffer) = 0;
};

/// The (decompressed) bytes of a file; "-" is standard input. Memory use does not depend on the file's size.
/// Throws InputError input.open if it is missing, unreadable or a folder.
std::unique_ptr<Source> open_source(const std::string& path);
/// The same for bytes in memory, which must outlive the source. `file` is the name in errors.
std::unique_ptr<Source> memory_source(std::string_view bytes, std::string file);
/// Decompresses gzip (RFC 1952, any number of members) if `raw` begins with its magic bytes; otherwise returns `raw`.
std::unique_ptr<Source> decompressed(std::unique_ptr<Source> raw, std::string file);

/// `front` followed by `rest`: to inspect the beginning of a stream and put it back.
std::unique_ptr<Source> prefixed(std::string front, std::unique_ptr<Source> rest);

/// Sets a function that is called before each file is opened or read, and whenever a signal interrupts a blocking call,
/// such as on a pipe without a writer. Its exceptions end the reading. nullptr: none. For programs that are stopped by
/// signals.
void set_reading_check(void (*check)());

/// The name of a path in messages: "<stdin>" for "-".
std::string display_name(const std::string& path);

/// Whether there is a file or folder of this name. Throws InputError input.open if that cannot be determined: such a
/// file must not be treated as missing and replaced.
bool is_there(const std::string& path);

/// A whole file (decompressed), of at most `limit` bytes. Throws as open_source does, and input.too_large.
std::string read_file(const std::string& path, std::size_t limit);

}  // namespace speedwell::io
