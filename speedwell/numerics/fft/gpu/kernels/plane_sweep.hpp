// The kernel that transforms the rows and the columns of planes, as a template over where the columns are stored and
// what its blocks do besides.
// Included by CUDA sources only.
#pragma once

#include <algorithm>
#include <cuda/atomic>
#include <stdexcept>

#include "speedwell/numerics/fft/gpu/device/plane_schedule.hpp"
#include "speedwell/numerics/fft/gpu/kernels/pass.hpp"
#include "speedwell/numerics/fft/gpu/kernels/planes.hpp"
#include "speedwell/numerics/fft/gpu/method.hpp"

namespace speedwell::fft::gpu::detail {

using PlaneCounter = cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device>;

/// Rows and columns are transformed by the same number of threads.
template <class T, int log_n>
using RowBlock = Block<T, log_n, Lines::rows, column_threads<T>>;
template <class T, int log_n>
using ColumnBlock = Block<T, log_n, Lines::columns>;

/// Lines of a task.
template <class T>
int lines_per_block(int log_n) {
  return column_threads<T> / threads_per_line(log_n);
}

/// The arguments that all tasks share. `Out` is a store functor of memory.hpp for the columns.
template <class T, class Out>
struct Sweep {
  PlaneSchedule schedule;
  Pass<T> rows, columns;
  FromMemory<T, CachePolicy::streaming> in;
  ToMemory<T> rows_out;
  FromMemory<T, CachePolicy::l2_only> columns_in;
  Out out;
  std::uint32_t* ticket;
  std::uint32_t* rows_done;  // finished row tasks of each plane
};

template <class T, class Out>
__device__ void wait_for_rows(const Sweep<T, Out>& sweep, std::int64_t plane) {
  if (threadIdx.x == 0) {
    const PlaneCounter done(sweep.rows_done[plane]);
    while (done.load(cuda::memory_order_acquire) != static_cast<std::uint32_t>(sweep.schedule.row_tasks)) {
    }
  }
  __syncthreads();
}

template <int log_rows, int log_columns, class T, class Out>
__device__ void run_task(const Sweep<T, Out>& sweep, const PlaneTask& task, Complex<T>* shared) {
  if (task.kind == PlaneTask::Kind::rows) {
    constexpr int lines = RowBlock<T, log_columns>::lines;
    const std::int64_t first = (task.plane << log_rows) + std::int64_t{task.tile} * lines;
    transform<RowBlock<T, log_columns>>(sweep.rows, first, shared, sweep.in, sweep.rows_out);
    __syncthreads();
    if (threadIdx.x == 0) PlaneCounter(sweep.rows_done[task.plane]).fetch_add(1, cuda::memory_order_release);
  } else if (task.kind == PlaneTask::Kind::columns) {
    wait_for_rows(sweep, task.plane);
    constexpr int lines = ColumnBlock<T, log_rows>::lines;
    const std::int64_t first = (task.plane << log_columns) + std::int64_t{task.tile} * lines;
    transform<ColumnBlock<T, log_rows>>(sweep.columns, first, shared, sweep.columns_in, sweep.out);
  }
}

/// What the blocks of a sweep do besides: nothing.
struct SweepOnly {
  static constexpr int sets_of_counters = 1;  // of plane_counters() each, the first of which is that of the sweep
  __device__ bool only_sends() const { return false; }  // the block has no part in the sweep
  __device__ void after(const PlaneTask&) const {}      // called by one thread when the block has stored a tile
  __device__ void finish() const {}                     // called by all threads at the end
};

template <int log_rows, int log_columns, class T, class Out, class Besides>
__global__ void __launch_bounds__(column_threads<T>, resident_threads<T> / column_threads<T>)
    planes_kernel(Sweep<T, Out> sweep, Besides besides) {
  extern __shared__ __align__(16) char memory[];
  __shared__ std::uint32_t next;
  if (besides.only_sends()) return besides.finish();
  const auto draw = [&] { return PlaneCounter(*sweep.ticket).fetch_add(1, cuda::memory_order_relaxed); };
  if (threadIdx.x == 0) next = draw();
  __syncthreads();
  while (true) {
    const PlaneTask task = sweep.schedule.task(next);
    if (task.kind == PlaneTask::Kind::finished) break;
    // The next ticket is drawn before the work of this one, which hides the latency of the atomic.
    const std::uint32_t drawn = threadIdx.x == 0 ? draw() : 0;
    run_task<log_rows, log_columns>(sweep, task, reinterpret_cast<Complex<T>*>(memory));
    __syncthreads();
    if (threadIdx.x == 0) {
      besides.after(task);
      next = drawn;
    }
    __syncthreads();
  }
  besides.finish();
}

template <int log_rows, int log_columns, class T, class Out, class Besides>
void launch_sweep(const Sweep<T, Out>& sweep, const Besides& besides, const core::Stream& stream) {
  constexpr int points = std::max(RowBlock<T, log_columns>::shared_points, ColumnBlock<T, log_rows>::shared_points);
  constexpr int shared_bytes = points * static_cast<int>(sizeof(Complex<T>));
  const auto kernel = planes_kernel<log_rows, log_columns, T, Out, Besides>;
  const int processors = core::device_attribute(cudaDevAttrMultiProcessorCount);
  int blocks = 0;
  core::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  core::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, column_threads<T>, shared_bytes));
  launch_kernel(kernel, {blocks * processors, column_threads<T>, shared_bytes}, stream, sweep, besides);
}

template <int log_rows = min_plane_log, int log_columns = min_plane_log, class T, class Out, class Besides>
void launch_sweep(int rows, int columns, const Sweep<T, Out>& sweep, const Besides& besides,
                  const core::Stream& stream) {
  if constexpr (log_rows <= max_plane_log && log_columns <= max_plane_log) {
    if (rows != log_rows) return launch_sweep<log_rows + 1, log_columns>(rows, columns, sweep, besides, stream);
    if (columns != log_columns) return launch_sweep<log_rows, log_columns + 1>(rows, columns, sweep, besides, stream);
    return launch_sweep<log_rows, log_columns>(sweep, besides, stream);
  }
  throw std::logic_error("fft: no kernel for these planes");
}

/// The tiles of the columns of a plane.
template <class T>
int column_tasks(const Planes<T>& planes) {
  return (1 << planes.log_columns) / lines_per_block<T>(planes.log_rows);
}

/// Enqueues the transform of all planes: rows from `in`, with a sign of -1 conjugated, to `rows`, which may be `in` if
/// the planes of `in` follow each other, and columns from there to `out`, which has the layout of `rows` unless it has
/// its own.
template <class T, class Out, class Besides = SweepOnly>
void sweep_planes(const Planes<T>& planes, const Complex<T>* in, T sign, Complex<T>* rows, const Out& out,
                  std::uint32_t* counters, const core::Stream& stream, const Besides& besides = {}) {
  const std::int64_t height = std::int64_t{1} << planes.log_rows, width = std::int64_t{1} << planes.log_columns;
  const int row_tasks = static_cast<int>(height / lines_per_block<T>(planes.log_columns));
  const LineLayout row = row_layout(width), column = column_layout(height, width);
  const LineLayout rows_of_input =
      planes.input_row_pitch == 0
          ? row
          : LineLayout{.count = {height, planes.planes}, .step = {planes.input_row_pitch, planes.input_plane_pitch, 0}};
  const Sweep<T, Out> sweep{.schedule = {planes.planes, row_tasks, column_tasks(planes), planes.lag},
                            .rows = {planes.planes * height, rows_of_input, row, planes.table_of_rows},
                            .columns = {planes.planes * width, column, column, planes.table_of_columns},
                            .in = {in, sign},
                            .rows_out = {rows},
                            .columns_in = {rows},
                            .out = out,
                            .ticket = counters,
                            .rows_done = counters + 1};
  const auto counter_bytes = Besides::sets_of_counters * plane_counters(planes.planes) * sizeof *counters;
  core::check(cudaMemsetAsync(counters, 0, counter_bytes, stream.get()));
  launch_sweep(planes.log_rows, planes.log_columns, sweep, besides, stream);
}

}  // namespace speedwell::fft::gpu::detail
