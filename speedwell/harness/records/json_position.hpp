// Positions of values in a JSON text, for error messages with line and column: the parser does not keep them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace speedwell::harness {

/// Line and column, both counted from 1; a column is a byte.
struct TextPosition {
  std::size_t line = 1, column = 1;
};

/// The line and column of byte `offset` of `text`; those of its end if `offset` is larger.
TextPosition position_of(std::string_view text, std::size_t offset);

/// The byte offset in `text`, which must be valid JSON, of the value at `path`: one element per level, the key of an
/// object's member or the index of an array's element as decimal text. If there is no such value: the offset of the
/// last value on the path that exists. Keys are compared as spelled in the text, without resolving escape sequences.
std::size_t find_value(std::string_view text, const std::vector<std::string>& path);

}  // namespace speedwell::harness
