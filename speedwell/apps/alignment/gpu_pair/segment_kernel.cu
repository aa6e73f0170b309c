// Segments of one huge pair, one warp each: tiles of 1024 rows, 32 per lane. Lanes hold H and E of their rows in
// registers and write 16 bytes of directions per column.
#include <algorithm>
#include <string>

#include "speedwell/apps/alignment/gpu/device_limits.hpp"
#include "speedwell/apps/alignment/gpu/device_warp.hpp"
#include "speedwell/apps/alignment/gpu_pair/segment_kernel.hpp"
#include "speedwell/apps/alignment/gpu_pair/segment_trace.hpp"

namespace speedwell::alignment {
namespace {

constexpr int lane_rows = 32, block_warps = 4;
using Trace = SegmentTrace<DeviceWarp, lane_rows>;
using Codes32 = SegmentCodes<lane_rows>;

/// The workspaces of all jobs: each array for all of them, then the next array.
struct Wave {
  SegmentProblem problem;
  const std::int8_t* scores;
  const SegmentJob* jobs;
  SegmentExit* exits;
  int count;
  SegmentWindows windows;
  Codes32* codes;
  Border* rows;
  std::uint32_t* runs;
};

SPEEDWELL_HD
std::int64_t codes_of_job(const SegmentWindows& windows) { return 32 * (windows.code_columns + 31); }
SPEEDWELL_HD
std::int64_t borders_of_job(const SegmentWindows& windows) { return windows.kept_rows * windows.row_columns; }

std::size_t bytes_of_job(const SegmentWindows& windows) {
  return static_cast<std::size_t>(codes_of_job(windows)) * sizeof(Codes32) +
         static_cast<std::size_t>(borders_of_job(windows)) * sizeof(Border) +
         static_cast<std::size_t>(windows.run_limit) * sizeof(std::uint32_t);
}

__global__ void __launch_bounds__(block_warps * 32, 3) trace_kernel(const __grid_constant__ Wave wave) {
  __shared__ std::int8_t scores[code_limit * code_limit];
  __shared__ SegmentShared<lane_rows> shared[block_warps];
  for (int i = static_cast<int>(threadIdx.x); i < code_limit * code_limit; i += block_warps * 32)
    scores[i] = wave.scores[i];
  __syncthreads();
  const int in_block = static_cast<int>(threadIdx.x / 32);
  const int k = static_cast<int>(blockIdx.x) * block_warps + in_block;
  if (k >= wave.count) return;
  DeviceWarp warp{static_cast<int>(threadIdx.x % 32)};
  const SegmentJob job = wave.jobs[k];
  const SegmentMemory<lane_rows> memory{.codes = wave.codes + k * codes_of_job(wave.windows),
                                        .code_columns = wave.windows.code_columns,
                                        .rows = wave.rows + k * borders_of_job(wave.windows),
                                        .row_columns = wave.windows.row_columns,
                                        .runs = wave.runs + k * wave.windows.run_limit};
  Trace trace(warp, wave.problem, job, memory, shared[in_block], scores);
  const SegmentExit exit = trace.run();
  if (warp.lane == 0) wave.exits[k] = exit;
}

__global__ void best_of_rows_kernel(const __grid_constant__ SpecialRows special, int rows, std::int64_t last_column,
                                    RowBest* best) {
  const int k = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  if (k >= rows) return;
  DeviceWarp warp{static_cast<int>(threadIdx.x % 32)};
  const RowBest found = best_of_row(warp, SpecialRow{special.row(k), special.base(k)}, last_column);
  if (warp.lane == 0) best[k] = found;
}

/// The runs of all jobs, one job after the other.
__global__ void gather_kernel(const std::uint32_t* runs, std::int64_t limit, const std::int64_t* begins,
                              std::uint32_t* gathered) {
  const std::int64_t begin = begins[blockIdx.x], count = begins[blockIdx.x + 1] - begin;
  for (std::int64_t i = threadIdx.x; i < count; i += blockDim.x) gathered[begin + i] = runs[blockIdx.x * limit + i];
}

unsigned blocks_of(std::size_t warps) { return static_cast<unsigned>((warps + block_warps - 1) / block_warps); }

}  // namespace

std::size_t wanted_workspace(std::int64_t segments, std::int64_t rows, std::int64_t columns) {
  const SegmentJob job{.rows = static_cast<std::int32_t>(rows), .column = static_cast<std::int32_t>(columns)};
  return static_cast<std::size_t>(segments) * bytes_of_job(plan_windows({&job, 1}, 0, Trace::tile_rows));
}

SegmentTracer::SegmentTracer(const SegmentProblem& problem, const std::int8_t* scores, std::span<std::byte> workspace,
                             std::size_t segments, const core::Stream& stream)
    : problem_(problem),
      scores_(scores),
      workspace_(workspace),
      stream_(stream),
      jobs_(segments),
      exits_(segments),
      bests_(segments) {}

std::vector<RowBest> SegmentTracer::best_of_rows(std::size_t rows, std::int64_t last_column) {
  std::vector<RowBest> best(rows);
  if (rows == 0) return best;
  best_of_rows_kernel<<<blocks_of(rows), block_warps * 32, 0, stream_.get()>>>(problem_.special, static_cast<int>(rows),
                                                                               last_column, bests_.data());
  core::check(cudaGetLastError());
  core::copy_async(best.data(), bests_.data(), rows, stream_);
  stream_.synchronize();
  return best;
}

std::vector<TracedSegment> SegmentTracer::trace(std::span<const SegmentJob> jobs, int doublings) {
  const SegmentWindows windows = plan_windows(jobs, doublings, Trace::tile_rows);
  const std::size_t bytes = bytes_of_job(windows);
  std::span<std::byte> workspace = workspace_;
  core::DeviceBuffer<std::byte> larger;
  if (workspace.size() < bytes) {  // windows of millions of columns, for gaps of that length
    const DeviceMemory memory = device_memory();
    memory.require(bytes, "the path through " + std::to_string(windows.code_columns) + " columns");
    larger =
        core::DeviceBuffer<std::byte>(bytes * std::clamp<std::size_t>(memory.available / 2 / bytes, 1, jobs.size()));
    workspace = larger.span();
  }
  std::vector<TracedSegment> traced;
  traced.reserve(jobs.size());
  for (std::size_t begin = 0, maximum = workspace.size() / bytes; begin < jobs.size(); begin += maximum)
    trace_wave(jobs.subspan(begin, std::min(maximum, jobs.size() - begin)), windows, workspace, traced);
  return traced;
}

void SegmentTracer::trace_wave(std::span<const SegmentJob> jobs, const SegmentWindows& windows,
                               std::span<std::byte> workspace, std::vector<TracedSegment>& traced) {
  const auto count = static_cast<std::int64_t>(jobs.size());
  auto* const codes = reinterpret_cast<Codes32*>(workspace.data());
  auto* const rows = reinterpret_cast<Border*>(codes + count * codes_of_job(windows));
  auto* const runs = reinterpret_cast<std::uint32_t*>(rows + count * borders_of_job(windows));
  core::copy_async(jobs_.data(), jobs.data(), jobs.size(), stream_);
  const Wave wave{problem_, scores_, jobs_.data(), exits_.data(), static_cast<int>(count), windows, codes, rows, runs};
  trace_kernel<<<blocks_of(jobs.size()), block_warps * 32, 0, stream_.get()>>>(wave);
  core::check(cudaGetLastError());
  std::vector<SegmentExit> exits(jobs.size());
  core::copy_async(exits.data(), exits_.data(), jobs.size(), stream_);
  stream_.synchronize();
  fetch_runs(runs, windows.run_limit, exits, traced);
}

void SegmentTracer::fetch_runs(const std::uint32_t* runs, std::int64_t limit, const std::vector<SegmentExit>& exits,
                               std::vector<TracedSegment>& traced) {
  std::vector<std::int64_t> begins(1, 0);
  for (const SegmentExit& exit : exits) begins.push_back(begins.back() + exit.runs);
  const auto count = static_cast<std::size_t>(begins.back());
  std::vector<std::uint32_t> all(count);
  core::DeviceBuffer<std::int64_t> device_begins(begins.size());
  core::DeviceBuffer<std::uint32_t> gathered(count);
  core::copy_async(device_begins.data(), begins.data(), begins.size(), stream_);
  gather_kernel<<<static_cast<unsigned>(exits.size()), 128, 0, stream_.get()>>>(runs, limit, device_begins.data(),
                                                                                gathered.data());
  core::check(cudaGetLastError());
  core::copy_async(all.data(), gathered.data(), count, stream_);
  stream_.synchronize();
  for (std::size_t k = 0; k < exits.size(); ++k)
    traced.push_back({exits[k], {all.begin() + begins[k], all.begin() + begins[k + 1]}});
}

}  // namespace speedwell::alignment
