// The GPU variants as a table without CUDA: names, the idea of each step, and its layout of A. The functions are in
// ladder.cu and cuda.cu; gpu_solver.hpp connects the two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "speedwell/core/ladder_step.hpp"

namespace speedwell::matvec {

/// The layout of A in device memory.
enum class Layout {
  dense,       // N rows of M elements, without gaps: as on the host
  pitched,     // N rows, each beginning at a multiple of pitch_bytes: as cudaMallocPitch gives it
  transposed,  // M rows of N elements, pitched: consecutive threads, one row of A each, read consecutive words
};

/// The alignment of rows by cudaMallocPitch on every device so far, a multiple of the largest memory transaction.
constexpr std::int64_t pitch_bytes = 512;

/// The leading dimension, in elements, of a matrix in this layout.
template <class T>
constexpr std::int64_t leading_dimension(Layout layout, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t unit = pitch_bytes / static_cast<std::int64_t>(sizeof(T));
  const std::int64_t length = layout == Layout::transposed ? rows : columns;
  return layout == Layout::dense ? length : (length - 1) / unit * unit + unit;
}

/// Size of the staging buffer for a transposition on the device.
constexpr std::int64_t staging_bytes = 64 * 1024 * 1024;

/// Shared memory per block that every GPU allows by default; the steps with all of B in shared memory are limited to
/// it.
constexpr std::int64_t shared_bytes = 48 * 1024;

/// The most threads that a block of any GPU has.
constexpr int max_block_threads = 1024;

/// The lineage is the number in table 2.1 of the 2009 study.
struct Step : core::LadderStep {
  Layout layout = Layout::pitched;
  std::string_view staged = {};  // for steps with all of B in shared memory: the step to use if B is too large
};

inline constexpr Step steps[] = {
    {{"cuda-row-global", "one thread per row, its running sum kept in C in global memory", "1"}},
    {{"cuda-row-register", "the running sum in a register, so that C is written once and need not be cleared", "2"}},
    {{"cuda-row-shared", "all of B in shared memory, loaded by the threads of the block together", "3"},
     Layout::pitched,
     "cuda-row-staged"},
    {{"cuda-row-staged", "B in shared memory a piece at a time, with barriers: any number of columns", "4"}},
    {{"cuda-row-staged-maxreg", "the same with registers capped so that a multiprocessor can be full of threads",
      "4mr"}},
    {{"cuda-row-constant", "B in constant memory instead, 64 KB for each launch, with C read again by the next", "5"}},
    {{"cuda-column-global", "cuda-row-global on the transpose of A: consecutive threads read consecutive words", "6"},
     Layout::transposed},
    {{"cuda-column-register", "the running sum in a register, on the transpose", "7"}, Layout::transposed},
    {{"cuda-column-shared", "all of B in shared memory, on the transpose", "8"},
     Layout::transposed,
     "cuda-column-staged"},
    {{"cuda-column-staged", "B in shared memory a piece at a time, on the transpose", "9"}, Layout::transposed},
    {{"cuda-column-staged-maxreg", "the same with registers capped, on the transpose", "9mr"}, Layout::transposed},
    {{"cuda-column-constant", "B in constant memory, 64 KB for each launch, on the transpose", "10"},
     Layout::transposed},
    {{"cuda", "several lanes, a warp or a block for each row, 16-byte loads of A as it is, many in flight"},
     Layout::dense},
};

/// Bytes of device memory for A, B, C and a transposition; the partial sums of "cuda" are less than 1 MB.
template <class T>
constexpr double device_bytes(Layout layout, std::int64_t rows, std::int64_t columns) {
  const double lines = static_cast<double>(layout == Layout::transposed ? columns : rows);
  const double leading = static_cast<double>(leading_dimension<T>(layout, rows, columns));
  const double vectors = static_cast<double>(rows) + static_cast<double>(columns);
  return (lines * leading + vectors) * sizeof(T) + (layout == Layout::transposed ? staging_bytes : 0) + (1 << 20);
}

}  // namespace speedwell::matvec
