// Streaming decompression of gzip files (RFC 1952), which may be several members one after another, as bgzip writes
// them.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <new>

#include "speedwell/io/error.hpp"
#include "speedwell/io/limits.hpp"
#include "speedwell/io/source.hpp"

namespace speedwell::io {
namespace {

constexpr unsigned char magic[] = {0x1f, 0x8b};

class GzipSource : public Source {
 public:
  GzipSource(std::unique_ptr<Source> raw, std::string file) : raw_(std::move(raw)), file_(std::move(file)) {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw std::bad_alloc();  // 32 KiB window, gzip wrapper only
  }
  ~GzipSource() override { inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  std::size_t read(std::span<char> buffer) override {
    if (ended_ || buffer.empty()) return 0;
    const auto room = static_cast<uInt>(std::min<std::size_t>(buffer.size(), 1u << 30));
    stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream_.avail_out = room;
    while (stream_.avail_out == room) {  // until there are bytes to return
      if (between_members_ && !begin_member()) {
        ended_ = true;
        break;
      }
      if (stream_.avail_in == 0 && !fill())
        throw InputError("input.gzip.truncated", file_, 0, 0,
                         fmt::format("the gzip data end in the middle, after {} bytes", taken_),
                         "the file is incomplete: copy or download it again");
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_STREAM_END)
        between_members_ = true;
      else if (status == Z_MEM_ERROR)
        throw std::bad_alloc();
      else if (status != Z_OK && status != Z_BUF_ERROR)
        corrupt(stream_.msg != nullptr ? stream_.msg : "a preset dictionary is needed");
    }
    return room - stream_.avail_out;
  }

 private:
  bool fill() {
    const std::size_t got = raw_->read({input_.get(), limits::buffer_bytes});
    taken_ += got;
    stream_.next_in = reinterpret_cast<Bytef*>(input_.get());
    stream_.avail_in = static_cast<uInt>(got);
    return got != 0;
  }

  // After a member, another member, zero padding (tapes, tar), or the end must follow. Ignoring anything else would
  // lose data.
  bool begin_member() {
    bool padding = false;
    for (;;) {
      if (stream_.avail_in == 0 && !fill()) return false;
      if (*stream_.next_in != 0) break;
      padding = true;
      ++stream_.next_in;
      --stream_.avail_in;
    }
    if (padding || *stream_.next_in != magic[0]) corrupt("bytes that are not gzip follow its end");
    inflateReset(&stream_);
    between_members_ = false;
    return true;
  }

  [[noreturn]] void corrupt(const char* why) {
    throw InputError("input.gzip.corrupt", file_, 0, 0,
                     fmt::format("the gzip data are damaged near byte {}: {}", taken_ - stream_.avail_in, why),
                     "'gzip -t' on the file says whether it is intact");
  }

  std::unique_ptr<Source> raw_;
  std::string file_;
  std::unique_ptr<char[]> input_ = std::make_unique_for_overwrite<char[]>(limits::buffer_bytes);
  z_stream stream_{};
  std::size_t taken_ = 0;  // compressed bytes read so far
  bool between_members_ = false;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<Source> decompressed(std::unique_ptr<Source> raw, std::string file) {
  std::string front(2, '\0');
  std::size_t got = 0;
  while (got < front.size()) {  // a pipe may give one byte at a time
    const std::size_t more = raw->read(std::span(front).subspan(got));
    if (more == 0) break;
    got += more;
  }
  front.resize(got);
  const bool gzip =
      got == 2 && static_cast<unsigned char>(front[0]) == magic[0] && static_cast<unsigned char>(front[1]) == magic[1];
  auto whole = prefixed(std::move(front), std::move(raw));
  if (!gzip) return whole;
  return std::make_unique<GzipSource>(std::move(whole), std::move(file));
}

}  // namespace speedwell::io
