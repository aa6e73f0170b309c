// The computations of GpuSearch and GpuPair in steps, for benchmarks and tests, which time or repeat them: an object is
// made for one computation and allocates its memory, then upload(), enqueue() and download() follow. enqueue() may be
// repeated. Those that copy wait for the stream.
#pragma once

#include <cstdint>
#include <span>

#include "speedwell/apps/alignment/gpu_pair.hpp"
#include "speedwell/apps/alignment/gpu_search.hpp"
#include "speedwell/apps/alignment/gpu_team.hpp"
#include "speedwell/apps/alignment/verify/pair_checks.hpp"

namespace speedwell::core {
class Stream;
}

namespace speedwell::alignment {

/// GpuSearch::search() in steps.
class GpuSearchSteps {
 public:
  /// `search` must exist as long as this object, and compute nothing else meanwhile; `queries` must exist until
  /// upload() returns. Throws as GpuSearch::search().
  GpuSearchSteps(GpuSearch& search, const SequenceSet& queries, const Scoring& scoring);
  void upload(const core::Stream& stream);
  /// Sets all bytes of the device's and the host's scores to 0xFF.
  void poison(const core::Stream& stream);
  void enqueue(const core::Stream& stream);
  void download(const core::Stream& stream);
  /// The scores of the last download().
  std::span<std::int32_t> scores();

 private:
  GpuSearch::Implementation& search_;
};

/// GpuPair::find_end() and align() in steps.
class GpuPairSteps {
 public:
  /// `pair` must exist as long as this object, and compute nothing else meanwhile; the sequences must exist until
  /// upload() returns, for trace_back() until that returns. `with_traceback`: allocates special rows, so that
  /// trace_back() may follow. `team`: GPUs that compute the pair together, each with an object and the same sequences,
  /// or null. Then all functions are collective, every member has the end point and the checks, the first member alone
  /// has the special rows and the alignment, and the team must outlive `pair`. Throws as GpuPair::find_end().
  GpuPairSteps(GpuPair& pair, Codes query, Codes subject, const Scoring& scoring, const GpuPairTuning& tuning = {},
               bool with_traceback = false, GpuTeam* team = nullptr);
  void upload(const core::Stream& stream);
  /// Sets all bytes of the results on the device to 0xFF.
  void poison(const core::Stream& stream);
  void enqueue(const core::Stream& stream);
  void download(const core::Stream& stream);
  /// The checks of the last download(). No bands if no checks were requested or a sequence is empty.
  PairChecks checks() const;
  /// The result of the last download().
  EndPoint end() const;
  /// The alignment, after download(). Waits for the result.
  Alignment trace_back(const core::Stream& stream, const AlignOptions& options = {});

 private:
  GpuPair::Implementation& pair_;
};

}  // namespace speedwell::alignment
