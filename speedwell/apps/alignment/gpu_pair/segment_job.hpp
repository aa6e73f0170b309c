// Segments of a huge pair's table, which are the rows between two special rows, for their traceback
// (segment_trace.hpp): the input, workspace and output of a job.
#pragma once

#include <cstdint>

#include "speedwell/apps/alignment/gpu_pair/segment_lane.hpp"
#include "speedwell/apps/alignment/gpu_pair/special_row.hpp"

namespace speedwell::alignment {

/// The data that the segments of a pair share.
struct SegmentProblem {
  const std::uint8_t* query = nullptr;  // codes
  const std::uint8_t* subject = nullptr;
  SpecialRows special{};
  std::int64_t rows_between = 0;  // special row k is row (k + 1) * rows_between
  std::int32_t highest = 0;       // highest score of two residues, at least 0
  std::int32_t gap_open = 0, gap_extend = 0;
};

/// The state of a traceback at a cell: in H, in the gap of E or F, or at the begin of the alignment.
enum class TraceState : std::int32_t { h, e, f, done };

/// A traceback from a position in the last row of rows first_row + 1 … first_row + rows to row first_row.
struct SegmentJob {
  std::int64_t first_row = 0;
  std::int32_t rows = 0, column = 0;
  TraceState in = TraceState::h;
  std::int32_t value = 0;  // H or F there
  friend bool operator==(const SegmentJob&, const SegmentJob&) = default;
};

/// The exit of the path. Without a certificate it may be another path, or have been lost at the window's edge.
struct SegmentExit {
  std::int32_t rows_left = 0;  // between row first_row and the path's begin, if it is `done`
  std::int32_t column = 0;
  TraceState in = TraceState::h;
  std::int32_t value = 0;  // H or F there
  std::int32_t certified = 0, lost = 0;
  std::int32_t value_met = 0;  // the job's value, from `value` and the path
  std::uint32_t runs = 0;
};

/// The workspace of a job. Runs of the path, from its end: a count and, in the low two bits, an index of
/// `run_operations`.
template <int R>
struct SegmentMemory {
  SegmentCodes<R>* codes = nullptr;  // 32 * (code_columns + 31)
  std::int64_t code_columns = 0;
  Border* rows = nullptr;  // row_columns for each tile except one
  std::int64_t row_columns = 0;
  std::uint32_t* runs = nullptr;  // rows + the larger of code_columns and row_columns
};
inline constexpr char run_operations[] = "=XID";

/// The first window of a tile.
SPEEDWELL_HD
constexpr std::int64_t first_window(std::int64_t rows) { return rows + rows / 4 + 64; }

}  // namespace speedwell::alignment
