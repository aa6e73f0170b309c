// The output formats of `speedwell align`: BLAST tabular, SAM and text to read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "speedwell/apps/alignment/alignment.hpp"
#include "speedwell/cli/align_sequences.hpp"

namespace speedwell::cli {

/// One alignment to report.
struct Hit {
  std::size_t subject = 0;  // index in the database
  std::int64_t score = 0;
  bool minus = false;                      // the reverse complement of the query was aligned
  alignment::Alignment alignment{};        // its query places are those of the strand that was aligned
  std::optional<double> evalue{}, bits{};  // nothing where no statistics are published
};

/// What stays the same for all hits of a run. `minus_queries` holds the reverse complements; it is empty for protein.
struct AlignmentReport {
  const SequenceFile& queries;
  const alignment::SequenceSet& minus_queries;
  const SequenceFile& database;
  const alignment::SubstitutionMatrix& matrix;

  std::span<const std::uint8_t> query_codes(std::size_t query, bool minus) const {
    return minus ? minus_queries.codes(query) : queries.set.codes(query);
  }
};

/// Indices of columns that tab_lines() knows, from their names in a list: BLAST's, with "std" for its usual twelve, and
/// "cigar". Throws std::invalid_argument naming the nearest.
std::vector<std::size_t> tab_columns(std::string_view list);
/// BLAST tabular ("outfmt 6"): these columns, a line a hit. The minus strand shows as sstart > send.
std::string tab_lines(const AlignmentReport& report, std::size_t query, std::span<const Hit> hits,
                      std::span<const std::size_t> columns);

/// @HD, an @SQ for each sequence that has letters, @PG.
std::string sam_header(const SequenceFile& database, const std::string& version, const std::string& command_line);
/// A line a hit (the first is the primary alignment, the others have flag 256 and no letters), or one unmapped line.
/// '*' in a protein is written as X: SAM has no letter for a stop.
std::string sam_lines(const AlignmentReport& report, std::size_t query, std::span<const Hit> hits);
/// Throws io::InputError for a name that SAM cannot hold, and for one that two database sequences share.
void check_sam_names(const SequenceFile& queries, const SequenceFile& database);

/// Blocks of 60 columns: '|' between equal letters, ':' between others with a positive score.
std::string pairwise_text(const AlignmentReport& report, std::size_t query, std::span<const Hit> hits);

}  // namespace speedwell::cli
