// Where in a JSON text a value stands: the parser keeps no positions, and an error needs line and column.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace speedwell::harness {

/// Line and column from 1, the column in bytes.
struct TextPosition {
  std::size_t line = 1, column = 1;
};

/// The place of byte `offset` of `text`.
TextPosition place_of(std::string_view text, std::size_t offset);

/// Offset of the value that `path` (keys, and indices as decimal text) leads to in `text`, which must be valid JSON; of
/// the last step that exists if the path leads nowhere. Keys are compared as they are spelled in the text.
std::size_t find_value(std::string_view text, const std::vector<std::string>& path);

}  // namespace speedwell::harness
