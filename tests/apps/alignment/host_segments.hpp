// GpuPair's path on the host: special rows from the sweep of host_bands.hpp, traced by the template of the kernel with
// HostWarp for the warp.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "speedwell/apps/alignment/gpu_pair/segment_trace.hpp"
#include "speedwell/apps/alignment/gpu_pair/segments.hpp"
#include "tests/apps/alignment/host_bands.hpp"

namespace speedwell::alignment::test {

/// The algorithm of SegmentTracer, on the host. `lane_rows`: a tile has 32 times as many.
template <int lane_rows>
class HostTracer {
 public:
  HostTracer(const SegmentProblem& problem, const Scoring& scoring) : problem_(problem), scoring_(scoring) {}

  std::vector<TracedSegment> operator()(std::span<const SegmentJob> jobs, int doublings) {
    const SegmentWindows windows = plan_windows(jobs, doublings, 32 * lane_rows);
    std::vector<SegmentCodes<lane_rows>> codes(static_cast<std::size_t>(32 * (windows.code_columns + 31)));
    std::vector<Border> rows(static_cast<std::size_t>(windows.kept_rows * windows.row_columns));
    std::vector<std::uint32_t> runs(static_cast<std::size_t>(windows.run_limit));
    const SegmentMemory<lane_rows> memory{codes.data(), windows.code_columns, rows.data(), windows.row_columns,
                                          runs.data()};
    HostWarp warp;
    SegmentShared<lane_rows> shared;
    std::vector<TracedSegment> traced;
    for (const SegmentJob& job : jobs) {
      const auto trace = std::make_unique<SegmentTrace<HostWarp, lane_rows>>(warp, problem_, job, memory, shared,
                                                                             scoring_.matrix.data());
      const SegmentExit exit = trace->run();
      EXPECT_LE(exit.runs, windows.run_limit);
      uncertified += exit.certified == 0;
      in_gaps += exit.in == TraceState::f;
      traced.push_back({exit, {runs.begin(), runs.begin() + exit.runs}});
    }
    max_doublings = std::max(max_doublings, doublings);
    return traced;
  }

  int uncertified = 0, in_gaps = 0, max_doublings = 0;  // what jobs have met

 private:
  SegmentProblem problem_;
  const Scoring& scoring_;
};

struct Traced {
  Alignment alignment;
  TracebackCounts counts;
  std::int64_t pruned = 0;  // chunks
  int uncertified = 0, in_gaps = 0, max_doublings = 0;
};

/// The traceback of GpuPair, with a special row after every `every` bands of 64 R rows. `guesses`: where segments
/// start at first, in place of the best cells of special rows.
template <class Scores, int R, int lane_rows>
Traced align_by_segments(const Residues& query, const Residues& subject, const Scoring& scoring, Window window,
                         std::int64_t every, std::optional<RowBest> guess = {}) {
  const auto m = static_cast<std::int64_t>(query.size()), n = static_cast<std::int64_t>(subject.size());
  const std::int64_t chunks = band_chunks(n);
  const std::int64_t bands = (m + 64 * R - 1) / (64 * R), kept = (bands - 1) / every;
  std::vector<std::uint32_t> border(static_cast<std::size_t>(kept * chunks * chunk_columns), 0xdeadbeefu);
  std::vector<std::int32_t> bases(static_cast<std::size_t>(kept * (chunks + 2)), 0x7f7f7f7f);
  const SpecialRows special{every, kept, border.data(), bases.data(), chunks};
  const Result swept = sweep_pair<Scores, R>(query, subject, scoring, window, {.known = 0, .special = special});
  const EndPoint end{swept.best.score, swept.best.row, swept.best.column};
  if (end.score == 0) return {};

  const SegmentProblem problem{.query = query.data(),
                               .subject = subject.data(),
                               .special = special,
                               .rows_between = every * 64 * R,
                               .highest = std::max(scoring.matrix.highest(), 0),
                               .gap_open = scoring.gap_open,
                               .gap_extend = scoring.gap_extend};
  HostWarp warp;
  std::vector<RowBest> guesses;
  for (std::int64_t k = 0; k < (end.query_end - 1) / problem.rows_between; ++k)
    guesses.push_back(guess ? *guess : best_of_row(warp, SpecialRow{special.row(k), special.base(k)}, end.subject_end));
  HostTracer<lane_rows> tracer(problem, scoring);
  Traced traced;
  traced.alignment =
      align_segments(query, subject, scoring, end, problem.rows_between, guesses, std::ref(tracer), traced.counts);
  traced.pruned = swept.pruned;
  traced.uncertified = tracer.uncertified;
  traced.in_gaps = tracer.in_gaps;
  traced.max_doublings = tracer.max_doublings;
  return traced;
}

}  // namespace speedwell::alignment::test
