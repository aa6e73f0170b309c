#include "speedwell/apps/alignment/gpu_pair/segments.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "speedwell/apps/alignment/trace.hpp"

namespace speedwell::alignment {
namespace {

// With or without a certificate, a segment that is not settled yet estimates the start of the next one; a window that
// is far too narrow estimates nothing. Larger windows are used only when they are known to be needed.
constexpr int doublings_ahead = 2;
// If paths from different starts do not merge, as among repeats, most segments far ahead of the settled ones are traced
// repeatedly: after some rounds their number is limited to what a device traces concurrently.
constexpr int rounds_of_all = 4;
constexpr std::size_t segments_ahead = 256;
// A window that has been doubled so often is the whole row.
constexpr int max_doublings = 32;

/// The finished or next job, and the result of the last one.
struct Segment {
  SegmentJob job;
  int doublings = 0;
  std::optional<TracedSegment> traced;
};

class Rounds {
 public:
  Rounds(const EndPoint& end, std::int64_t rows_between, std::span<const RowBest> guesses)
      : end_(end),
        rows_between_(rows_between),
        guesses_(guesses),
        segments_(static_cast<std::size_t>((end.query_end + rows_between - 1) / rows_between)) {}

  /// The segments to be traced next, with their jobs and doublings; none if the path is complete.
  std::vector<std::size_t> next() {
    const std::size_t ahead = rounds_++ < rounds_of_all ? segments_.size() : segments_ahead;
    std::vector<std::size_t> due;
    bool settled = true;  // all segments below
    for (std::size_t s = segments_.size(), seen = 0; s-- > 0 && seen < ahead;) {
      Segment& segment = segments_[s];
      const std::optional<SegmentJob> wanted = start_of(s);
      if (!wanted) continue;
      const bool stale = !segment.traced || segment.job != *wanted;
      const bool certified = !stale && segment.traced->exit.certified != 0;
      if (settled && certified) {
        check(segment);
        if (segment.traced->exit.in == TraceState::done) {
          begin_ = s;
          return {};
        }
        continue;
      }
      if (stale || (!certified && (settled || segment.doublings < doublings_ahead))) {
        segment.job = *wanted;
        segment.doublings = stale ? 0 : segment.doublings + 1;
        if (segment.doublings > max_doublings) throw std::logic_error("a whole row is no window");
        due.push_back(s);
      }
      settled = false;
      ++seen;
    }
    return due;
  }

  Segment& operator[](std::size_t s) { return segments_[s]; }
  std::size_t size() const { return segments_.size(); }

  /// From the last segment to the one where the path begins.
  template <class See>
  void each_of_path(const See& see) const {
    for (std::size_t s = segments_.size(); s-- > begin_;) see(segments_[s]);
  }

 private:
  std::optional<SegmentJob> start_of(std::size_t s) const {
    const std::int64_t first = static_cast<std::int64_t>(s) * rows_between_;
    if (s + 1 == segments_.size())
      return SegmentJob{first, static_cast<std::int32_t>(end_.query_end - first), end_.subject_end, TraceState::h,
                        end_.score};
    const auto rows = static_cast<std::int32_t>(rows_between_);
    if (const Segment& below = segments_[s + 1]; below.traced) {
      const SegmentExit& exit = below.traced->exit;
      if (!exit.lost && exit.in != TraceState::done) return SegmentJob{first, rows, exit.column, exit.in, exit.value};
    }
    const RowBest& guess = guesses_[s];
    if (guess.score == 0) return std::nullopt;
    return SegmentJob{first, rows, guess.column, TraceState::h, guess.score};
  }

  static void check(const Segment& segment) {
    const SegmentExit& exit = segment.traced->exit;
    if (exit.lost || exit.value_met != segment.job.value)
      throw std::logic_error("a segment's path does not have the score that it should have");
  }

  EndPoint end_;
  std::int64_t rows_between_;
  std::span<const RowBest> guesses_;
  std::vector<Segment> segments_;
  std::size_t begin_ = 0;
  int rounds_ = 0;
};

void trace_due(Rounds& rounds, std::vector<std::size_t> due, const TraceJobs& trace_jobs) {
  const auto doublings = [&](std::size_t s) { return rounds[s].doublings; };
  std::stable_sort(due.begin(), due.end(), [&](std::size_t a, std::size_t b) { return doublings(a) < doublings(b); });
  for (std::size_t begin = 0; begin < due.size();) {
    std::vector<SegmentJob> jobs;
    for (std::size_t at = begin; at < due.size() && doublings(due[at]) == doublings(due[begin]); ++at)
      jobs.push_back(rounds[due[at]].job);
    std::vector<TracedSegment> traced = trace_jobs(jobs, doublings(due[begin]));
    for (TracedSegment& one : traced) rounds[due[begin++]].traced = std::move(one);
  }
}

}  // namespace

SegmentWindows plan_windows(std::span<const SegmentJob> jobs, int doublings, int tile_rows) {
  std::int64_t rows = 0, columns = 0;
  for (const SegmentJob& job : jobs) {
    rows = std::max<std::int64_t>(rows, job.rows);
    columns = std::max<std::int64_t>(columns, job.column);
  }
  const auto doubled = [&](std::int64_t window) { return std::min(window << doublings, columns); };
  const std::int64_t window = doubled(first_window(rows)), tiles = (rows + tile_rows - 1) / tile_rows;
  SegmentWindows windows{.code_columns = window, .run_limit = rows + window};
  if (tiles > 1) {
    // Paths that drift little are traced in windows of a tile; paths that do not fit four tiles are rare.
    windows.code_columns = std::min(window, doubled(4 * first_window(tile_rows)));
    windows.row_columns = window;
    windows.kept_rows = tiles - 1;
  }
  return windows;
}

Alignment align_segments(Codes query, Codes subject, const Scoring& scoring, const EndPoint& end,
                         std::int64_t rows_between, std::span<const RowBest> guesses, const TraceJobs& trace_jobs,
                         TracebackCounts& counts, const std::atomic<bool>* stop) {
  counts = {};
  if (end.score == 0) return {};
  Rounds rounds(end, rows_between, guesses);
  counts.segments = rounds.size();
  for (std::vector<std::size_t> due = rounds.next(); !due.empty(); due = rounds.next()) {
    if (stop && *stop) throw Stopped();
    ++counts.rounds;
    counts.jobs += due.size();
    trace_due(rounds, std::move(due), trace_jobs);
  }
  std::vector<CigarRun> cigar;
  trace::Cell begin;
  rounds.each_of_path([&](const Segment& segment) {
    for (const std::uint32_t run : segment.traced->runs) trace::add(cigar, run_operations[run & 3], run >> 2);
    begin = {segment.job.first_row + segment.traced->exit.rows_left, segment.traced->exit.column};
  });
  return trace::finish(query, subject, scoring, end, begin, std::move(cigar));
}

}  // namespace speedwell::alignment
