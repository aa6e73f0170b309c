// The tabular output of `speedwell align`: BLAST's columns, plain (outfmt 6) or with lines of comment (outfmt 7).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "speedwell/cli/align_formats.hpp"

namespace speedwell::cli {

/// "std", for BLAST's usual twelve, and the name of every column.
std::vector<std::string> tab_column_names();
/// Indices of columns from their names in a list, with commas or blanks between. Throws std::invalid_argument: naming
/// the nearest, or why there is no such column of BLAST's here.
std::vector<std::size_t> tab_columns(std::string_view list);
/// Whether one of these columns says more than which pair scores what: then alignments are computed, not scores alone.
bool need_alignments(std::span<const std::size_t> columns);

/// BLAST tabular ("outfmt 6"): these columns, a line a hit. The minus strand shows as sstart > send.
std::string tab_lines(const AlignmentReport& report, std::size_t query, std::span<const Hit> hits,
                      std::span<const std::size_t> columns);

/// The lines before those of a query in "outfmt 7", as BLAST has them: program, query, database, the fields if there
/// are hits, and how many hits.
std::string comment_lines(const AlignmentReport& report, std::size_t query, std::size_t hits,
                          std::span<const std::size_t> columns, const std::string& version);
/// The last line of all.
std::string last_comment_line(std::size_t queries);

/// Part of the query in the alignment in percent, gaps not counted: 100 (qend - qstart + 1) / qlen; 0 of an empty one.
double query_coverage(const AlignmentReport& report, std::size_t query, const Hit& hit);

}  // namespace speedwell::cli
