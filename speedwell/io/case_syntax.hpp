// What toml++ 3.3 cannot be given: for sources of the tree alone; it is not installed.
#pragma once

#include <string>
#include <string_view>

namespace speedwell::io {

/// Throws InputError `id` at the place of what toml++ 3.3 would meet with an assertion, undefined behaviour, or
/// recursion and searches without a bound: a table header without a key, brackets that do not match, a character that
/// is not ASCII outside of strings and comments or after a line that ends with a backslash in a string, values that are
/// neither numbers, true, false, texts, arrays nor tables (dates among them), keys of more than limits::case_key_depth
/// parts, more than limits::case_keys keys. Everything else that is no TOML is left to toml++. Columns are bytes.
void require_parsable(const std::string& id, const std::string& file, std::string_view text);

}  // namespace speedwell::io
