// The options of other alignment programs (BLAST+, DIAMOND, ssearch36 and others) and their counterparts in `speedwell
// align`: one table for its README, and for the hint when another program's option is used.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace speedwell::search {

/// The table in Markdown: a row for each option, a column for each program. The README of the alignment application
/// contains these lines; a test compares them.
std::string option_table();

/// A word of a command line that is not understood, and what to type instead, or why there is nothing.
struct ForeignOption {
  std::string message, hint;
};

/// The first of `words` that is not among `options` (given with their dashes) but is in the table, or is an option of
/// BLAST, DIAMOND or ssearch36 without a counterpart here; nothing if there is none. Also found are columns after
/// --outfmt that are not in one word with the number. Words after "--" are files.
std::optional<ForeignOption> find_foreign_option(std::span<const std::string> words,
                                                 std::span<const std::string> options);

}  // namespace speedwell::search
