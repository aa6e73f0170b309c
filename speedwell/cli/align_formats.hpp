// The output formats of `speedwell align`: SAM and text to read. Tables are in align_columns.hpp.
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

/// Counted from 1, both ends included, on the strand that is in the file.
struct Range {
  std::int64_t first, last;
};
Range query_range(const Hit& hit, std::size_t query_length);
/// Letters without partner, of both sequences.
std::int64_t gap_letters(const alignment::Alignment& alignment);
/// Of nothing 0.
double percent(std::int64_t part, std::int64_t whole);

/// An alignment as letters, on the query's own strand: '-' for gaps, and between the two '|' for equal letters and ':'
/// for others with a positive score.
struct AlignedRows {
  std::string query, match, subject;
};
AlignedRows rows_of(const AlignmentReport& report, std::size_t query, const Hit& hit);

/// @HD, an @SQ for each sequence that has letters, @PG.
std::string sam_header(const SequenceFile& database, const std::string& version, const std::string& command_line);
/// A line a hit (the first is the primary alignment, the others have flag 256 and no letters), or one unmapped line.
/// '*' in a protein is written as X: SAM has no letter for a stop. MAPQ is 255, "not available". `md`: with the MD tag.
std::string sam_lines(const AlignmentReport& report, std::size_t query, std::span<const Hit> hits, bool md = false);
/// Throws io::InputError for a name that SAM cannot hold, and for one that two database sequences share.
void check_sam_names(const SequenceFile& queries, const SequenceFile& database);

/// Blocks of 60 columns of rows_of().
std::string pairwise_text(const AlignmentReport& report, std::size_t query, std::span<const Hit> hits);

}  // namespace speedwell::cli
