// The output formats of `speedwell align`: BLAST's tables, SAM and text to read.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "speedwell/apps/alignment/database_search/records.hpp"
#include "speedwell/cli/align.hpp"

namespace speedwell::cli {

/// The input of an output format.
struct OutputFormat {
  AlignOptions::Format format;
  std::vector<io::BlastColumn> columns;  // of tables
  bool sam_md;
  std::string version, command_line;

  bool is_tabular() const;
  /// Whether hits need alignments, not scores alone.
  bool needs_alignments() const;
};

/// The text before the first query, of one query, and after the last.
std::string head_text(const OutputFormat& format, const database_search::SequenceFile& database);
std::string query_text(const OutputFormat& format, const database_search::SearchedFiles& files, std::size_t query,
                       std::span<const database_search::Hit> hits);
std::string tail_text(const OutputFormat& format, std::size_t queries);

/// Throws io::InputError for a name that SAM cannot hold, and for one that two database sequences share.
void check_sam_names(const database_search::SequenceFile& queries, const database_search::SequenceFile& database);

}  // namespace speedwell::cli
