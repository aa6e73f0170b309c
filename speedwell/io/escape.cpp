#include "speedwell/io/escape.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace speedwell::io {
namespace {

struct CodePoint {
  std::uint32_t value;
  std::size_t bytes;  // 0: the text does not begin with valid UTF-8
};

// Strict: no overlong forms, no surrogates, nothing past U+10FFFF (RFC 3629).
CodePoint decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return {0, 0};
  std::uint32_t value = first & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {0, 0};
    value = value << 6 | (byte(i) & 0x3f);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < least[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return {0, 0};
  return {value, length};
}

bool printable(std::uint32_t c) {
  if (c < 0x20 || (c >= 0x7f && c <= 0x9f)) return false;
  if (c >= 0x200b && c <= 0x200f) return false;  // zero width, direction marks
  if (c >= 0x2028 && c <= 0x202e) return false;  // separators, direction overrides
  if (c >= 0x2060 && c <= 0x206f) return false;  // invisible operators, direction isolates
  return c != 0xfeff && c != 0xad && !(c >= 0xe0000 && c <= 0xe007f);
}

}  // namespace

std::string escape(std::string_view text, std::size_t limit) {
  std::string shown;
  std::size_t used = 0;
  while (used < text.size()) {
    const CodePoint c = decode(text.substr(used));
    const std::size_t bytes = c.bytes == 0 ? 1 : c.bytes;
    if (bytes > limit - used) {
      shown += "...";
      break;
    }
    if (c.bytes != 0 && printable(c.value)) {
      shown += text.substr(used, bytes);
    } else {
      for (const char byte : text.substr(used, bytes))
        shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
    used += bytes;
  }
  return shown;
}

std::string escape_xml(std::string_view text) {
  std::string safe;
  for (const char c : text)
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '"')
      safe += "&quot;";
    else if (static_cast<unsigned char>(c) < 0x20)
      safe += "?";
    else
      safe += c;
  return safe;
}

std::string unescape_xml(std::string_view safe) {
  std::string text;
  for (std::size_t at = 0; at < safe.size();) {
    bool found = false;
    for (const auto& [written, character] : {std::pair("&amp;", '&'), {"&lt;", '<'}, {"&quot;", '"'}})
      if (!found && safe.compare(at, std::string_view(written).size(), written) == 0) {
        text += character;
        at += std::string_view(written).size();
        found = true;
      }
    if (!found) text += safe[at++];
  }
  return text;
}

std::string describe_byte(unsigned char byte) {
  if (byte == '\t') return "a tab";
  if (byte == ' ') return "a blank";
  if (byte > 0x20 && byte < 0x7f) return fmt::format("'{}'", static_cast<char>(byte));
  return fmt::format("byte 0x{:02x}", byte);
}

}  // namespace speedwell::io
