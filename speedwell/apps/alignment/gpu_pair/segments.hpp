// The path of one huge pair from the special rows that its sweep stored. Each segment between two of them is traced by
// itself (segment_trace.hpp), from a position in its last row to one in its first; all concurrently, in rounds, first
// from the best cell of each special row and then from the exit of the segment below. A segment is settled when it
// started at the exit of the settled one below it and its window is certified; the last one starts at the end point. A
// round settles at least one, and all those above that had started correctly: paths from different starts usually
// merge. So estimates only affect the time. The rows are CUDAlign's special rows (Sandes and Melo, IEEE TPDS 24 (2013)
// 1009).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "speedwell/apps/alignment/alignment.hpp"
#include "speedwell/apps/alignment/gpu_pair.hpp"
#include "speedwell/apps/alignment/gpu_pair/segment_job.hpp"

namespace speedwell::alignment {

struct TracedSegment {
  SegmentExit exit;
  std::vector<std::uint32_t> runs;
};
/// Traces all jobs, in windows that have been doubled this many times.
using TraceJobs = std::function<std::vector<TracedSegment>(std::span<const SegmentJob> jobs, int doublings)>;

/// Columns of the windows of jobs, and the memory of one.
struct SegmentWindows {
  std::int64_t code_columns = 0;
  std::int64_t row_columns = 0, kept_rows = 0;
  std::int64_t run_limit = 0;
};
/// For tiles of so many rows.
SegmentWindows plan_windows(std::span<const SegmentJob> jobs, int doublings, int tile_rows);

/// The alignment that align() finds. guesses[k]: the best cell of special row k, for those above the end point. Throws
/// Stopped if `stop` becomes true between two rounds.
Alignment align_segments(Codes query, Codes subject, const Scoring& scoring, const EndPoint& end,
                         std::int64_t rows_between, std::span<const RowBest> guesses, const TraceJobs& trace_jobs,
                         TracebackCounts& counts, const std::atomic<bool>* stop = nullptr);

}  // namespace speedwell::alignment
