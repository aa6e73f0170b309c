// Checks for input that toml++ 3.3 cannot handle. For sources of this repository; not installed.
#pragma once

#include <string>
#include <string_view>

namespace speedwell::io {

/// Throws InputError `id`, with line and column, for input that causes an assertion, undefined behaviour, or unbounded
/// recursion or searches in toml++ 3.3: a table header without a key, brackets that do not match, a character that is
/// not ASCII outside of strings and comments or after a line that ends with a backslash in a string, values that are
/// neither numbers, true, false, texts, arrays nor tables (dates among them), keys of more than limits::case_key_depth
/// parts, more than limits::case_keys keys. toml++ reports all other syntax errors. Columns are bytes.
void require_parsable(const std::string& id, const std::string& file, std::string_view text);

}  // namespace speedwell::io
