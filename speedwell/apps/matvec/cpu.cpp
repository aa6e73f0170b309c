// The product on all cores: the matrix is divided into blocks of rows and, if rows are long, of columns. The sums of a
// block are stored in C, or in a table of partial sums that are added in the order of the columns. The division depends
// on the shape only, so that the bits do not depend on the number of threads.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "speedwell/apps/matvec/cpu_rows.hpp"
#include "speedwell/apps/matvec/matvec.hpp"
#include "speedwell/core/simd/isa_choice.hpp"

namespace speedwell::matvec {

SPEEDWELL_IN_EACH_ISA(RowKernel<float> rows_f32; RowKernel<double> rows_f64;)

RowKernels row_kernels(core::Isa isa) { return {SPEEDWELL_OF_ISA(isa, rows_f32), SPEEDWELL_OF_ISA(isa, rows_f64)}; }

namespace {

// The part of B of a block stays in a core's second-level cache for all rows of the block. A block is large enough to
// be worth another thread: reading it takes longer than waking a thread.
constexpr std::int64_t bytes_of_b = 128 * 1024;
constexpr std::int64_t bytes_of_block = 256 * 1024;

constexpr std::int64_t pieces(std::int64_t size, std::int64_t piece) { return (size - 1) / piece + 1; }

template <class T>
void on_all_cores(const Matrix<T>& a, std::span<const T> b, std::span<T> c, int threads, RowKernel<T>* kernel) {
  const std::int64_t size = sizeof(T);
  const std::int64_t max_columns = bytes_of_b / size;
  const std::int64_t column_blocks = pieces(a.columns, max_columns);
  // A multiple of four rows: the kernel shares B between four.
  const std::int64_t block_columns = std::min(a.columns, max_columns);
  const std::int64_t block_rows = std::max<std::int64_t>(4, bytes_of_block / size / block_columns / 4 * 4);
  const std::int64_t row_blocks = pieces(a.rows, block_rows);

  std::vector<T> partial(column_blocks > 1 ? a.rows * column_blocks : 0);
  T* const sums = column_blocks > 1 ? partial.data() : c.data();
  const int team = static_cast<int>(std::min<std::int64_t>(threads, row_blocks * column_blocks));
#pragma omp parallel num_threads(team) if (team > 1)
  {
    // A static schedule with row blocks outermost: each thread reads one contiguous strip of A, the one that it wrote
    // in fill().
#pragma omp for schedule(static)
    for (std::int64_t block = 0; block < row_blocks * column_blocks; ++block) {
      const std::int64_t i = block / column_blocks * block_rows, k = block % column_blocks, j = k * max_columns;
      kernel(a.data + i * a.leading + j, a.leading, b.data() + j, sums + i * column_blocks + k, column_blocks,
             std::min(block_rows, a.rows - i), std::min(max_columns, a.columns - j));
    }
    if (column_blocks > 1) {
#pragma omp for schedule(static)
      for (std::int64_t i = 0; i < a.rows; ++i) {
        T sum = sums[i * column_blocks];
        for (std::int64_t k = 1; k < column_blocks; ++k) sum += sums[i * column_blocks + k];
        c[i] = sum;
      }
    }
  }
}

template <class T>
void dispatch(const Matrix<T>& a, std::span<const T> b, std::span<T> c, int threads) {
  require_product(a, b, c);
  if (threads < 1) throw std::invalid_argument("matvec: " + std::to_string(threads) + " threads; at least 1 is needed");
  const RowKernels kernels = row_kernels(core::best_isa());
  if constexpr (std::is_same_v<T, float>)
    on_all_cores(a, b, c, threads, kernels.f32);
  else
    on_all_cores(a, b, c, threads, kernels.f64);
}

}  // namespace

void multiply(const Matrix<float>& a, std::span<const float> b, std::span<float> c, int threads) {
  dispatch(a, b, c, threads);
}
void multiply(const Matrix<double>& a, std::span<const double> b, std::span<double> c, int threads) {
  dispatch(a, b, c, threads);
}

}  // namespace speedwell::matvec
