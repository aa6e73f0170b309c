// The properties that fuzz targets check.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "speedwell/io/error.hpp"
#include "speedwell/io/source.hpp"

namespace speedwell::fuzz {

inline void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "property broken: %s\n", what);
  std::abort();
}

/// "id what()" of an error, which has to be one safe line.
inline std::string checked_text(const io::InputError& error) {
  const std::string_view text = error.what();
  require(std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }),
          "an error is one safe line");
  return error.id() + " " + error.what();
}

/// Bytes in scraps of 1 to 7.
class Scraps : public io::Source {
 public:
  explicit Scraps(std::string_view bytes) : rest_(bytes) {}
  std::size_t read(std::span<char> buffer) override {
    size_ = size_ % 7 + 1;
    const std::size_t count = std::min({size_, buffer.size(), rest_.size()});
    std::copy_n(rest_.data(), count, buffer.data());
    rest_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view rest_;
  std::size_t size_ = 0;
};

}  // namespace speedwell::fuzz
