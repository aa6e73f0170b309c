// The path of one huge pair from two sweeps. The sweep over the pair keeps H and F of every so many rows (special
// rows). The sweep over the reversed prefixes up to the end point meets each special row too: where H of both add up to
// the score, or F of both to the score with one `open` paid twice, a best alignment crosses it. Between two special
// rows all best alignments lie between the leftmost and the rightmost crossing, so that this window, computed from the
// special row above it, has the right H, E and F on all of them and nothing too large beside them: the way back through
// it is that of align(). CUDAlign's special rows (Sandes and Melo, IEEE TPDS 24 (2013) 1009) with exact ties.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "speedwell/apps/alignment/trace.hpp"

namespace speedwell::alignment {

/// What a crossing is: H or F of a special row.
inline constexpr std::uint32_t crosses_at_h = 1, crosses_at_f = 2;

/// Where best alignments cross special rows and begin. Rows and columns are counts of letters before a place.
struct Crossings {
  std::int64_t rows = 0;  // between two special rows: row (k + 1) * rows is special row k
  std::vector<std::int32_t> low, high;
  std::vector<std::uint32_t> kinds;  // 0: none crosses
  std::vector<std::int32_t> begin;   // of each segment: leftmost column before which an alignment begins; -1 if none

  explicit Crossings(std::int64_t rows_between = 1, std::size_t segments = 0)
      : rows(rows_between), low(segments, INT32_MAX), high(segments, -1), kinds(segments, 0), begin(segments, -1) {}
};

/// Query letters first_row + 1 … last_row with subject letters first_column + 1 … last_column.
struct Segment {
  std::int64_t first_row = 0, last_row = 0, first_column = 0, last_column = 0;
  bool empty() const { return first_column >= last_column; }
};
/// All segments up to the end point's; those that no best alignment reaches are empty.
std::vector<Segment> plan_segments(const Crossings& crossings, const EndPoint& end);

/// The chunk of a special row's bases that column `column` (from 0) belongs to.
std::int64_t base_of_column(std::int64_t column);
/// Row first_row of a segment from its special row: the words of columns first_column … last_column - 1 (from 0), and
/// the bases from that of the first column to that of the last. `gap_first`: open + extend.
trace::Row top_row(const Segment& segment, std::span<const std::uint32_t> words, std::span<const std::int32_t> bases,
                   std::int32_t gap_first);

/// The alignment that align() finds. tops[s]: row first_row of segment s, H and F as trace::Row has them (F after
/// `open` is paid, not below 0), columns counted from first_column; zeros in column 0. Segments that best alignments
/// enter in one place are traced by all threads at once.
Alignment align_segments(Codes query, Codes subject, const Scoring& scoring, const EndPoint& end,
                         const Crossings& crossings, const std::vector<Segment>& segments,
                         const std::vector<trace::Row>& tops, const AlignOptions& options = {});

}  // namespace speedwell::alignment
