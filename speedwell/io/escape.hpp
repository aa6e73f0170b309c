// User text made safe to show: no control codes, no terminal sequences, no invisible or direction-changing characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace speedwell::io {

/// `text` with every byte that is not printable UTF-8 written as \xNN. Control codes (C0, C1), line and paragraph
/// separators, zero-width and bidirectional controls count as not printable. At most `limit` bytes of `text` are used;
/// what is cut is marked by "...".
std::string escape(std::string_view text, std::size_t limit = std::string_view::npos);

/// `text` for an attribute or the content of an element of XML 1.0, which cannot represent most control codes: they
/// become question marks.
std::string escape_xml(std::string_view text);
/// The text that escape_xml() made this of.
std::string unescape_xml(std::string_view safe);

/// One byte for a message: "'!'", "a tab" or "byte 0x1b".
std::string describe_byte(unsigned char byte);

}  // namespace speedwell::io
