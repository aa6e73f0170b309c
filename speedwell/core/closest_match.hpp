// Finds the valid name closest to a mistyped one, for messages.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace speedwell::core {

/// Edit distance with transpositions (Damerau's optimal string alignment), ignoring case.
int edit_distance(std::string_view a, std::string_view b);

/// The name with the minimum edit distance to `text`, the first of equal ones; empty if there are no names.
std::string closest_match(std::string_view text, std::span<const std::string> names);

/// The closest name if `text` is probably a misspelling of it: at most about one edit per three letters, or a prefix.
/// Empty otherwise.
std::string similar(std::string_view text, std::span<const std::string> names);

/// "; the nearest is 'name'" if one is similar, otherwise "; allowed: one, two, three"; empty if there are no names.
std::string advice(std::string_view text, std::span<const std::string> names);

/// "unknown WHAT 'text'" with that advice, ready for an exception.
std::string unknown_name(std::string_view what, std::string_view text, std::span<const std::string> names);

/// Whether `text` matches a pattern of letters, `*` and `?`.
bool matches_glob(std::string_view pattern, std::string_view text);

}  // namespace speedwell::core
