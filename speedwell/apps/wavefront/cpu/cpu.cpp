// The multithreaded sweep. Columns of a few planes and of one or several row groups, each of as many rows as a vector
// has lanes, follow each other through x and y as in a KBA sweep (Koch, Baker and Alcouffe 1992). Threads take columns
// in an order in which all predecessors of a column come before it. A thread sweeps all cells of its column in pipeline
// chunks, as closely behind the preceding columns as the dependences permit. Hence no two threads can wait for each
// other.
//
// Columns of one row group are taken diagonal by diagonal, so that there is one for every thread as soon as possible;
// the north values of a column then come from memory, as whole diagonals lie between it and its predecessor. In a
// column of several row groups those of all but the first come from the caches. Such columns are taken along x, since
// only the predecessor to the west lets a column begin before it has ended itself.
#ifdef _OPENMP
#include <omp.h>
#endif

#include <algorithm>
#include <atomic>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "speedwell/apps/wavefront/axis.hpp"
#include "speedwell/apps/wavefront/cpu/kernels.hpp"
#include "speedwell/apps/wavefront/wavefront.hpp"

namespace speedwell::wavefront {

namespace {

template <class T>
class Sweep {
 public:
  Sweep(Grid<T>& grid, const Direction& d, int lanes, int planes, std::int64_t row_groups)
      : grid_(grid),
        x_(grid.extents.nx, grid.extents.ny * grid.extents.nz, d.down_x),
        y_(grid.extents.ny, grid.extents.nz, d.down_y),
        z_(grid.extents.nz, 1, d.down_z),
        top_x_(grid.extents.nx, grid.extents.ny, d.down_x),
        top_y_(grid.extents.ny, 1, d.down_y),
        north_x_(grid.extents.nx, grid.extents.nz, d.down_x),
        west_y_(grid.extents.ny, grid.extents.nz, d.down_y),
        lanes_(lanes),
        planes_(planes),
        row_groups_(row_groups),
        period_(group_period(z_.count, planes, lanes)),
        columns_x_(ceil_div(x_.count, planes)),
        columns_y_(ceil_div(y_.count, row_groups * lanes)) {}

  void run(const KernelRecurrence<T>& recurrence, PlaneGroupKernel<T>* kernel, int threads, std::int64_t chunk) {
    const std::vector<ColumnIndex> order = columns_in_order();
    std::vector<std::atomic<std::int64_t>> swept(order.size());  // completed steps of each column
    std::atomic<std::size_t> next{0};
#pragma omp parallel num_threads(threads)
    for (std::size_t n; (n = next.fetch_add(1, std::memory_order_relaxed)) < order.size();) {
      const auto [a, b] = order[n];
      PlaneGroup<T> mine = column(a * planes_, b * row_groups_ * lanes_);
      prefetch(mine);
      const std::int64_t steps = group_steps(mine, lanes_);
      Progress west(a > 0 ? &swept[index(a - 1, b)] : nullptr), north(b > 0 ? &swept[index(a, b - 1)] : nullptr);
      for (std::int64_t first = 0; first < steps; first += chunk) {
        const std::int64_t last = std::min(first + chunk, steps);
        // The last row of the last plane of those columns lags the first by this number of steps.
        const std::int64_t needed = last + planes_ - 1 + lanes_ - 1;
        west.wait(needed);
        // The rows to the north are those of its last row group; beyond the first one they are rows of this column.
        if (first < period_) north.wait((row_groups_ - 1) * period_ + needed);
        kernel(mine, recurrence, first, last);
        swept[index(a, b)].store(last < steps ? last : finished, std::memory_order_release);
      }
    }
  }

 private:
  /// Progress of a finished column: more steps than any column has.
  static constexpr std::int64_t finished = std::numeric_limits<std::int64_t>::max();

  /// Progress of a column that another column depends on; nullptr if there is no predecessor.
  class Progress {
   public:
    explicit Progress(const std::atomic<std::int64_t>* swept) : swept_(swept), seen_(swept ? 0 : finished) {}
    void wait(std::int64_t steps) {
      for (int attempt = 0; seen_ < steps; ++attempt) {
        seen_ = swept_->load(std::memory_order_acquire);
        if (attempt > 1000) std::this_thread::yield();  // there may be more threads than cores
      }
    }

   private:
    const std::atomic<std::int64_t>* swept_;
    std::int64_t seen_;
  };

  /// Indices of a column along x and y.
  struct ColumnIndex {
    std::int64_t a, b;
  };
  /// All columns: of one row group one diagonal after the other, of several along x.
  std::vector<ColumnIndex> columns_in_order() const {
    std::vector<ColumnIndex> order;
    order.reserve(static_cast<std::size_t>(columns_x_ * columns_y_));
    if (row_groups_ > 1) {
      for (std::int64_t b = 0; b < columns_y_; ++b)
        for (std::int64_t a = 0; a < columns_x_; ++a) order.push_back({a, b});
      return order;
    }
    for (std::int64_t d = 0; d < columns_x_ + columns_y_ - 1; ++d)
      for (std::int64_t a = std::max<std::int64_t>(0, d - columns_y_ + 1); a <= std::min(d, columns_x_ - 1); ++a)
        order.push_back({a, d - a});
    return order;
  }

  /// The column that begins at plane `a` and row `b` in the order of the sweep.
  PlaneGroup<T> column(std::int64_t a, std::int64_t b) const {
    PlaneGroup<T> made{};
    made.planes = static_cast<int>(std::min<std::int64_t>(planes_, x_.count - a));
    made.rows = std::min<std::int64_t>(row_groups_ * lanes_, y_.count - b);
    made.cells = z_.count;
    made.period = period_;
    made.plane = x_.step;
    made.row = y_.step;
    made.z = z_.step;
    T* const corner = grid_.cells.data() + z_.begin;
    const Planes<T>& inflow = grid_.planes;
    made.first = corner + x_.at(a) + y_.at(b);
    made.west = a > 0 ? corner + x_.at(a - 1) + y_.at(b) : inflow.west.data() + west_y_.at(b) + z_.begin;
    made.west_row = y_.step;  // the same stride in the inflow plane
    made.north = b > 0 ? corner + x_.at(a) + y_.at(b - 1) : inflow.north.data() + north_x_.at(a) + z_.begin;
    made.north_plane = b > 0 ? x_.step : north_x_.step;
    made.top = inflow.top.data() + top_x_.at(a) + top_y_.at(b);
    made.top_plane = top_x_.step;
    made.top_row = top_y_.step;
    return made;
  }

  /// Prefetches the first cache line of every row of the first row group; the kernel prefetches the others one block in
  /// advance.
  [[gnu::always_inline]] void prefetch(const PlaneGroup<T>& column) const {
    for (int g = 0; g < column.planes; ++g)
      for (std::int64_t l = 0; l < std::min<std::int64_t>(column.rows, lanes_); ++l)
        __builtin_prefetch(column.first + g * column.plane + l * column.row, 0, 2);
  }

  std::size_t index(std::int64_t a, std::int64_t b) const { return static_cast<std::size_t>(a * columns_y_ + b); }

  Grid<T>& grid_;
  Axis x_, y_, z_, top_x_, top_y_, north_x_, west_y_;
  int lanes_, planes_;
  std::int64_t row_groups_;  // of a column; the last ones along y may have fewer
  std::int64_t period_;      // steps between two row groups, the same in all columns
  std::int64_t columns_x_, columns_y_;
};

/// Chooses the number of planes of a column. More planes need fewer synchronisations and reload fewer values, but delay
/// the last plane; there must be enough columns for all threads.
int chosen_planes(const Extents& extents, int lanes, int threads) {
  constexpr std::int64_t columns_of_a_thread = 12;
  return (extents.nx / 8) * (extents.ny / lanes) < columns_of_a_thread * threads ? 4 : 8;
}

/// Chooses the number of row groups of a column: as many as leave each thread so many columns that it is idle at the
/// end for some percent of the time, but one where a column would end before all threads have begun one. For each
/// thread follows the one before by `lag` steps.
std::int64_t chosen_row_groups(const Extents& extents, int lanes, int planes, int threads, std::int64_t lag) {
  constexpr std::int64_t columns_of_a_thread = 32;
  const std::int64_t all = ceil_div(extents.ny, lanes), along_x = ceil_div(extents.nx, planes);
  const std::int64_t columns_y = std::max<std::int64_t>(ceil_div(columns_of_a_thread * threads, along_x), 1);
  const std::int64_t row_groups = ceil_div(all, columns_y);
  // Half as much again, since threads do not all have the same speed.
  return 2 * row_groups * group_period(extents.nz, planes, lanes) < 3 * threads * lag ? 1 : row_groups;
}

}  // namespace

template <class T>
void sweep(Grid<T>& grid, const Recurrence<T>& recurrence, const Direction& direction, const Options& options) {
  require_valid(recurrence);
  if (options.threads < 0 || options.chunk < 0) throw std::invalid_argument("threads and chunk must not be negative");
  if (options.planes < 0 || options.planes > max_group_planes)
    throw std::invalid_argument("a column must have 1 to " + std::to_string(max_group_planes) + " planes");
  if (options.row_groups < 0) throw std::invalid_argument("row_groups must not be negative");
  const Kernels<T> kernels = kernels_of<T>(options.isa);
  int threads = options.threads;
#ifdef _OPENMP
  if (threads == 0) threads = omp_get_max_threads();
#endif
  threads = std::max(threads, 1);
  // A tenth of a column lets the next columns begin early; the cost of synchronising after 64 steps is negligible.
  const std::int64_t default_chunk = std::min<std::int64_t>(grid.extents.nz / 10, 64);
  const std::int64_t chunk = std::max<std::int64_t>(options.chunk > 0 ? options.chunk : default_chunk, 1);
  const std::int64_t steps = ceil_div(chunk, kernels.lanes) * kernels.lanes;
  const int planes = options.planes > 0 ? options.planes : chosen_planes(grid.extents, kernels.lanes, threads);
  const std::int64_t lag = steps + planes - 1 + kernels.lanes - 1;
  const std::int64_t row_groups = options.row_groups > 0
                                      ? std::min(options.row_groups, ceil_div(grid.extents.ny, kernels.lanes))
                                      : chosen_row_groups(grid.extents, kernels.lanes, planes, threads, lag);
  Sweep<T>(grid, direction, kernels.lanes, planes, row_groups)
      .run(kernel_recurrence(recurrence), kernels.sweep, threads, steps);
}

template void sweep(Grid<float>&, const Recurrence<float>&, const Direction&, const Options&);
template void sweep(Grid<double>&, const Recurrence<double>&, const Direction&, const Options&);

}  // namespace speedwell::wavefront
