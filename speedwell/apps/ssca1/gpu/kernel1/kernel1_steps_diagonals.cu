// cuda-diagonals: the cells with the same i + j depend only on the two previous diagonals, so that a launch computes
// one diagonal, a thread per row. The index of a row in the arrays is the same on every diagonal; index 0 is the upper
// border of the table (as in cpu/kernel1_anti_diagonal.cpp).
//
// The limit: a cell reads H of two diagonals, E and F, and writes H, E and F, 28 bytes, with its two symbols 30; but
// diagonals are no longer than the shorter sequence, so that n + m launches take longer than their memory accesses.
#include <algorithm>

#include "speedwell/apps/ssca1/gpu/kernel1/kernel1_steps.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::ssca1 {
namespace {

constexpr int threads = 128;

struct Lines {
  std::int32_t *h, *e, *f;                             // of this diagonal; E is replaced
  const std::int32_t *h_before, *h_second, *f_before;  // of the previous one and the one before
};

/// Rows first … first + count - 1 of a diagonal.
__global__ void diagonal_kernel(const __grid_constant__ StepTable table, const __grid_constant__ CandidateList list,
                                const Lines lines, std::int64_t diagonal, std::int64_t first, std::int64_t count) {
  const std::int64_t index = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (index >= count) return;
  const std::int64_t r = first + index, j = diagonal - r;
  using scan_detail::larger;
  const std::int32_t e = larger(lines.e[r + 1], lines.h_before[r + 1] - table.open) - table.extend;
  const std::int32_t f = larger(lines.f_before[r], lines.h_before[r] - table.open) - table.extend;
  const std::int32_t corner = lines.h_second[r];
  const std::int32_t h = larger(larger(corner + table.pair_score(r, j), e), larger(f, 0));
  lines.e[r + 1] = e;
  lines.f[r + 1] = f;
  lines.h[r + 1] = h;
  table.test(list, r, j, h, corner);
}

}  // namespace

std::int64_t enqueue_diagonals(const StepLaunch& launch, const core::Stream& stream) {
  const std::int64_t m = launch.table.rows, n = launch.table.columns, line = m + 1;
  core::check(cudaMemsetAsync(launch.cells, 0, launch.cell_bytes, stream.get()));
  const auto h = [&](std::int64_t d) { return launch.cells + d % 3 * line; };
  const auto f = [&](std::int64_t d) { return launch.cells + (3 + d % 2) * line; };
  for (std::int64_t d = 0; d < m + n - 1; ++d) {
    const std::int64_t first = std::max<std::int64_t>(0, d - n + 1), count = std::min(m - 1, d) - first + 1;
    const Lines lines{h(d), launch.cells + 5 * line, f(d), h(d + 2), h(d + 1), f(d + 1)};
    diagonal_kernel<<<static_cast<unsigned>(core::blocks_for(count, threads)), threads, 0, stream.get()>>>(
        launch.table, launch.list, lines, d, first, count);
    core::check(cudaGetLastError());
  }
  return m + n - 1;
}

}  // namespace speedwell::ssca1
