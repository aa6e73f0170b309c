// The names of the options of `speedwell align` in other programs: one table for the README, and for the hint when
// another program's option is used.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace speedwell::cli {

/// The table in Markdown, a row an option, a column a program. README.md has these lines; a test compares them.
std::string words_table();

/// Throws UsageError for the first of `words` that is not in `options` (which have their dashes) but in the table, or
/// is one of BLAST's, DIAMOND's or ssearch36's options that have no counterpart here; the hint says what to type, or
/// why there is nothing. Also for columns after --outfmt that are not one word with the number.
void refuse_foreign_words(std::span<const std::string> words, std::span<const std::string> options);

}  // namespace speedwell::cli
