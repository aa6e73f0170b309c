// Traces the segments of one huge pair on the device (segment_trace.hpp). Included by CUDA sources only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "speedwell/apps/alignment/gpu_pair/segments.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::alignment {

/// Device memory for jobs with which `segments` of so many rows are traced in few waves.
std::size_t wanted_workspace(std::int64_t segments, std::int64_t rows, std::int64_t columns);

class SegmentTracer {
 public:
  /// `problem`, `scores` (code_limit x code_limit, by codes) and `workspace` are on the device and owned by the caller.
  /// `segments`: those of the whole pair.
  SegmentTracer(const SegmentProblem& problem, const std::int8_t* scores, std::span<std::byte> workspace,
                std::size_t segments, const core::Stream& stream);

  /// The best cell of each of the first special rows, in columns 1 … last_column.
  std::vector<RowBest> best_of_rows(std::size_t rows, std::int64_t last_column);
  /// See TraceJobs. Throws core::Unavailable if there is not enough memory for a single one.
  std::vector<TracedSegment> trace(std::span<const SegmentJob> jobs, int doublings);

 private:
  void trace_wave(std::span<const SegmentJob> jobs, const SegmentWindows& windows, std::span<std::byte> workspace,
                  std::vector<TracedSegment>& traced);
  void fetch_runs(const std::uint32_t* runs, std::int64_t limit, const std::vector<SegmentExit>& exits,
                  std::vector<TracedSegment>& traced);

  SegmentProblem problem_;
  const std::int8_t* scores_;
  std::span<std::byte> workspace_;
  const core::Stream& stream_;
  core::DeviceBuffer<SegmentJob> jobs_;
  core::DeviceBuffer<SegmentExit> exits_;
  core::DeviceBuffer<RowBest> bests_;
};

}  // namespace speedwell::alignment
