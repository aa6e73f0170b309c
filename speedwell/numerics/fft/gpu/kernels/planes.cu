#include <algorithm>
#include <cuda/atomic>
#include <stdexcept>

#include "speedwell/numerics/fft/gpu/device/plane_schedule.hpp"
#include "speedwell/numerics/fft/gpu/kernels/pass.hpp"
#include "speedwell/numerics/fft/gpu/kernels/planes.hpp"

namespace speedwell::fft::gpu {
namespace {

constexpr int min_log = 6, max_plane_log = 10;

using Counter = cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device>;

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

/// The arguments that all tasks share.
template <class T>
struct Sweep {
  PlaneSchedule schedule;
  Pass<T> rows, columns;
  FromMemory<T, CachePolicy::streaming> in;
  ToMemory<T> rows_out;
  FromMemory<T, CachePolicy::l2_only> columns_in;
  ToMemory<T, CachePolicy::streaming> out;
  std::uint32_t* ticket;
  std::uint32_t* rows_done;  // finished row tasks of each plane
};

template <class T>
__device__ void wait_for_rows(const Sweep<T>& sweep, std::int64_t plane) {
  if (threadIdx.x == 0) {
    const Counter done(sweep.rows_done[plane]);
    while (done.load(cuda::memory_order_acquire) != static_cast<std::uint32_t>(sweep.schedule.row_tasks)) {
    }
  }
  __syncthreads();
}

template <class T, int log_rows, int log_columns>
__device__ void run_task(const Sweep<T>& sweep, const PlaneTask& task, Complex<T>* shared) {
  if (task.kind == PlaneTask::Kind::rows) {
    constexpr int lines = RowBlock<T, log_columns>::lines;
    const std::int64_t first = (task.plane << log_rows) + std::int64_t{task.tile} * lines;
    detail::transform<RowBlock<T, log_columns>>(sweep.rows, first, shared, sweep.in, sweep.rows_out);
    __syncthreads();
    if (threadIdx.x == 0) Counter(sweep.rows_done[task.plane]).fetch_add(1, cuda::memory_order_release);
  } else if (task.kind == PlaneTask::Kind::columns) {
    wait_for_rows(sweep, task.plane);
    constexpr int lines = ColumnBlock<T, log_rows>::lines;
    const std::int64_t first = (task.plane << log_columns) + std::int64_t{task.tile} * lines;
    detail::transform<ColumnBlock<T, log_rows>>(sweep.columns, first, shared, sweep.columns_in, sweep.out);
  }
}

template <class T, int log_rows, int log_columns>
__global__ void __launch_bounds__(column_threads<T>, resident_threads<T> / column_threads<T>)
    planes_kernel(Sweep<T> sweep) {
  extern __shared__ __align__(16) char memory[];
  __shared__ std::uint32_t next;
  const auto draw = [&] { return Counter(*sweep.ticket).fetch_add(1, cuda::memory_order_relaxed); };
  if (threadIdx.x == 0) next = draw();
  __syncthreads();
  while (true) {
    const PlaneTask task = sweep.schedule.task(next);
    if (task.kind == PlaneTask::Kind::finished) return;
    // The next ticket is drawn before the work of this one, which hides the latency of the atomic.
    const std::uint32_t drawn = threadIdx.x == 0 ? draw() : 0;
    run_task<T, log_rows, log_columns>(sweep, task, reinterpret_cast<Complex<T>*>(memory));
    __syncthreads();
    if (threadIdx.x == 0) next = drawn;
    __syncthreads();
  }
}

template <class T, int log_rows, int log_columns>
void launch(const Sweep<T>& sweep, const core::Stream& stream) {
  constexpr int points = std::max(RowBlock<T, log_columns>::shared_points, ColumnBlock<T, log_rows>::shared_points);
  constexpr int shared_bytes = points * static_cast<int>(sizeof(Complex<T>));
  const auto kernel = planes_kernel<T, log_rows, log_columns>;
  const int processors = core::device_attribute(cudaDevAttrMultiProcessorCount);
  int blocks = 0;
  core::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  core::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, column_threads<T>, shared_bytes));
  launch_kernel(kernel, {blocks * processors, column_threads<T>, shared_bytes}, stream, sweep);
}

template <class T, int log_rows = min_log, int log_columns = min_log>
void launch(int rows, int columns, const Sweep<T>& sweep, const core::Stream& stream) {
  if constexpr (log_rows <= max_plane_log && log_columns <= max_plane_log) {
    if (rows != log_rows) return launch<T, log_rows + 1, log_columns>(rows, columns, sweep, stream);
    if (columns != log_columns) return launch<T, log_rows, log_columns + 1>(rows, columns, sweep, stream);
    return launch<T, log_rows, log_columns>(sweep, stream);
  }
  throw std::logic_error("fft: no kernel for these planes");
}

bool is_power(std::int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

}  // namespace

template <class T>
bool supports_planes(std::int64_t rows, std::int64_t columns) {
  const auto fits = [](std::int64_t n) { return is_power(n) && n >= 1 << min_log && n <= 1 << max_plane_log; };
  return fits(rows) && fits(columns) && rows * columns >= column_threads<T> * 16;
}

template <class T>
void transform_planes(const Planes<T>& planes, const Complex<T>* in, Complex<T>* out, T sign, T scale,
                      std::uint32_t* counters, const core::Stream& stream) {
  const std::int64_t rows = std::int64_t{1} << planes.log_rows, columns = std::int64_t{1} << planes.log_columns;
  const auto tasks = [](std::int64_t lines, int log_n) { return static_cast<int>(lines / lines_per_block<T>(log_n)); };
  const LineLayout row = row_layout(columns), column = column_layout(rows, columns);
  const Sweep<T> sweep{
      .schedule = {planes.planes, tasks(rows, planes.log_columns), tasks(columns, planes.log_rows), planes.lag},
      .rows = {planes.planes * rows, row, row, planes.table_of_rows},
      .columns = {planes.planes * columns, column, column, planes.table_of_columns},
      .in = {in, sign},
      .rows_out = {out},
      .columns_in = {out},
      .out = {out, scale, sign},
      .ticket = counters,
      .rows_done = counters + 1};
  core::check(cudaMemsetAsync(counters, 0, plane_counters(planes.planes) * sizeof *counters, stream.get()));
  launch<T>(planes.log_rows, planes.log_columns, sweep, stream);
}

template bool supports_planes<float>(std::int64_t, std::int64_t);
template bool supports_planes<double>(std::int64_t, std::int64_t);
template void transform_planes(const Planes<float>&, const Complex<float>*, Complex<float>*, float, float,
                               std::uint32_t*, const core::Stream&);
template void transform_planes(const Planes<double>&, const Complex<double>*, Complex<double>*, double, double,
                               std::uint32_t*, const core::Stream&);

}  // namespace speedwell::fft::gpu
