// cuda-sweeps: the row-parallel method of the dissertation of 2012 (section 4.3.3, appendix B), whose launches wait for
// each other: equation 4.3 for all columns of a row; an up-sweep and a down-sweep of blocks of 1024 columns in shared
// memory, then of their totals, and so on; equation 4.5, which adds what passes from block to block.
//
// The limit is memory. Equation 4.3 reads H of the row above and F, and writes F and H~; the sweeps read H~ and write
// E~ of their block; equation 4.5 reads H~ and E~, and writes H: nine numbers, 36 bytes a cell, and one symbol. The
// totals are a thousandth of that. Candidates read H of the row above, which is rare.
#include "speedwell/apps/ssca1/gpu/gpu_device.hpp"
#include "speedwell/apps/ssca1/gpu/kernel1/kernel1_steps.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::ssca1 {
namespace {

constexpr int threads = 256;
constexpr int sweep_threads = sweep_elements / 2;  // two elements to a thread, as in the study

/// Equation 4.3 for every column of the padded row.
__global__ void above_kernel(const __grid_constant__ StepTable table, std::int64_t row, const std::int32_t* h_above,
                             std::int32_t* f, std::int32_t* h_row) {
  const std::int64_t j = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  const std::int32_t diagonal = j > 0 ? h_above[j - 1] : 0;
  h_row[j] = from_row_above(f[j], diagonal, h_above[j], table.pair_score(row, j), table.open, table.extend);
}

/// Replaces each of `elements` values by T of the previous ones of its block; `totals` are T of the blocks, unless
/// null. `to` may be `from`: a block has read all of its values before it writes one.
__global__ void __launch_bounds__(sweep_threads)
    sweep_kernel(const std::int32_t* from, std::int32_t* to, std::int64_t elements, const DecayingMaximum scan,
                 std::int32_t* totals) {
  __shared__ std::int32_t values[sweep_words];
  const std::int64_t first = std::int64_t{blockIdx.x} * sweep_elements;
  const auto thread = static_cast<int>(threadIdx.x);
  for (int k = thread; k < sweep_elements; k += sweep_threads)
    values[sweep_index(k)] = first + k < elements ? from[first + k] : 0;
  __syncthreads();
  const std::int32_t total = sweep_up_and_down(DeviceBlock{}, values, scan);
  if (totals && thread == 0) totals[blockIdx.x] = total;
  for (int k = thread; k < sweep_elements; k += sweep_threads)
    if (first + k < elements) to[first + k] = values[sweep_index(k)];
}

/// Equation 4.5, and the test of the cells.
__global__ void along_kernel(const __grid_constant__ StepTable table, const __grid_constant__ CandidateList list,
                             const __grid_constant__ SweepLevels levels, std::int64_t row, const std::int32_t* h_row,
                             const std::int32_t* h_above, std::int32_t* h) {
  const std::int64_t j = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  const std::int32_t value = along_row(h_row[j], levels.before_column(j), table.open, table.extend);
  h[j] = value;
  if (value >= list.threshold && j < table.columns) table.test(list, row, j, value, j > 0 ? h_above[j - 1] : 0);
}

}  // namespace

std::int64_t enqueue_sweeps(const StepLaunch& launch, const core::Stream& stream) {
  const std::int64_t padded = padded_columns(launch.table.columns);
  const SweepSizes sizes = sweep_sizes(padded);
  std::int32_t* const h[2] = {launch.cells, launch.cells + padded};
  std::int32_t *const f = launch.cells + 2 * padded, *const h_row = launch.cells + 3 * padded;
  SweepLevels levels;
  levels.count = sizes.count;
  std::int32_t* next = launch.cells + 4 * padded;
  for (int level = 0; level < sizes.count; ++level) {
    levels.before[level] = next;
    levels.scans[level] =
        level == 0 ? DecayingMaximum{launch.table.extend} : levels.scans[level - 1].of_ranges(sweep_elements);
    next += sizes.elements[level];
  }
  core::check(cudaMemsetAsync(launch.cells, 0, launch.cell_bytes, stream.get()));
  const auto blocks = static_cast<unsigned>(padded / threads);
  for (std::int64_t row = 0; row < launch.table.rows; ++row) {
    const std::int32_t* const h_above = h[(row + 1) % 2];
    above_kernel<<<blocks, threads, 0, stream.get()>>>(launch.table, row, h_above, f, h_row);
    core::check(cudaGetLastError());
    for (int level = 0; level < sizes.count; ++level) {
      const auto groups = static_cast<unsigned>(core::blocks_for(sizes.elements[level], sweep_elements));
      sweep_kernel<<<groups, sweep_threads, 0, stream.get()>>>(
          level == 0 ? h_row : levels.before[level], levels.before[level], sizes.elements[level], levels.scans[level],
          level + 1 < sizes.count ? levels.before[level + 1] : nullptr);
      core::check(cudaGetLastError());
    }
    along_kernel<<<blocks, threads, 0, stream.get()>>>(launch.table, launch.list, levels, row, h_row, h_above,
                                                       h[row % 2]);
    core::check(cudaGetLastError());
  }
  return launch.table.rows * (2 + sizes.count);
}

}  // namespace speedwell::ssca1
