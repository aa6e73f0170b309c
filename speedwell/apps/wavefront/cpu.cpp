// The sweep on all cores. Columns, of as many rows as a vector has lanes and a few planes, follow each other through x
// and y as in a KBA sweep (Koch, Baker and Alcouffe 1992). A thread takes the next column of an order in which all that
// a column needs comes before it, and sweeps all of its cells, chunk after chunk, as closely behind the columns before
// it as they go: no two threads can wait for each other.
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
#include "speedwell/apps/wavefront/kernels.hpp"
#include "speedwell/apps/wavefront/wavefront.hpp"

namespace speedwell::wavefront {

namespace {

template <class T>
class Sweep {
 public:
  Sweep(Grid<T>& grid, const Direction& d, int lanes, int planes)
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
        in_x_((x_.count + planes - 1) / planes),
        in_y_((y_.count + lanes - 1) / lanes) {}

  void run(const RibbonRecurrence<T>& recurrence, RibbonKernel<T>* kernel, int threads, std::int64_t chunk) {
    const std::vector<Place> order = in_order();
    std::vector<std::atomic<std::int64_t>> swept(order.size());  // steps of each column
    std::atomic<std::size_t> next{0};
#pragma omp parallel num_threads(threads)
    for (std::size_t n; (n = next.fetch_add(1, std::memory_order_relaxed)) < order.size();) {
      const auto [a, b] = order[n];
      Ribbon<T> mine = column(a * planes_, b * lanes_);
      prefetch(mine);
      const std::int64_t steps = ribbon_steps(mine, lanes_);
      Progress west(a > 0 ? &swept[index(a - 1, b)] : nullptr), north(b > 0 ? &swept[index(a, b - 1)] : nullptr);
      for (std::int64_t first = 0; first < steps; first += chunk) {
        const std::int64_t last = std::min(first + chunk, steps);
        // The last row of their last plane is so many steps behind the first.
        const std::int64_t needed = last + planes_ - 1 + lanes_ - 1;
        west.wait(needed);
        north.wait(needed);
        kernel(mine, recurrence, first, last);
        swept[index(a, b)].store(last < steps ? last : all, std::memory_order_release);
      }
    }
  }

 private:
  /// More steps than any column has.
  static constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();

  /// How far a column is that another follows; nullptr: there is none.
  class Progress {
   public:
    explicit Progress(const std::atomic<std::int64_t>* swept) : swept_(swept), seen_(swept ? 0 : all) {}
    void wait(std::int64_t steps) {
      for (int turn = 0; seen_ < steps; ++turn) {
        seen_ = swept_->load(std::memory_order_acquire);
        if (turn > 1000) std::this_thread::yield();  // there may be more threads than cores
      }
    }

   private:
    const std::atomic<std::int64_t>* swept_;
    std::int64_t seen_;
  };

  /// Of a column among the others, along x and y.
  struct Place {
    std::int64_t a, b;
  };
  /// Diagonal after diagonal.
  std::vector<Place> in_order() const {
    std::vector<Place> order;
    order.reserve(static_cast<std::size_t>(in_x_ * in_y_));
    for (std::int64_t d = 0; d < in_x_ + in_y_ - 1; ++d)
      for (std::int64_t a = std::max<std::int64_t>(0, d - in_y_ + 1); a <= std::min(d, in_x_ - 1); ++a)
        order.push_back({a, d - a});
    return order;
  }

  /// Planes from `a` and rows from `b` in the sweep's order.
  Ribbon<T> column(std::int64_t a, std::int64_t b) const {
    Ribbon<T> made{};
    made.planes = static_cast<int>(std::min<std::int64_t>(planes_, x_.count - a));
    made.rows = std::min<std::int64_t>(lanes_, y_.count - b);
    made.cells = z_.count;
    made.period = ribbon_period(z_.count, made.planes, lanes_);
    made.plane = x_.step;
    made.row = y_.step;
    made.z = z_.step;
    T* const corner = grid_.cells.data() + z_.begin;
    const Planes<T>& inflow = grid_.planes;
    made.first = corner + x_.at(a) + y_.at(b);
    made.west = a > 0 ? corner + x_.at(a - 1) + y_.at(b) : inflow.west.data() + west_y_.at(b) + z_.begin;
    made.west_row = y_.step;  // in the plane of inflow, too
    made.north = b > 0 ? corner + x_.at(a) + y_.at(b - 1) : inflow.north.data() + north_x_.at(a) + z_.begin;
    made.north_plane = b > 0 ? x_.step : north_x_.step;
    made.top = inflow.top.data() + top_x_.at(a) + top_y_.at(b);
    made.top_plane = top_x_.step;
    made.top_row = top_y_.step;
    return made;
  }

  /// The first line of every row: the kernel asks for the others a block before it needs them.
  [[gnu::always_inline]] static void prefetch(const Ribbon<T>& column) {
    for (int g = 0; g < column.planes; ++g)
      for (std::int64_t l = 0; l < column.rows; ++l)
        __builtin_prefetch(column.first + g * column.plane + l * column.row, 0, 2);
  }

  std::size_t index(std::int64_t a, std::int64_t b) const { return static_cast<std::size_t>(a * in_y_ + b); }

  Grid<T>& grid_;
  Axis x_, y_, z_, top_x_, top_y_, north_x_, west_y_;
  int lanes_, planes_;
  std::int64_t in_x_, in_y_;
};

/// Planes of a column: the more, the fewer values are read twice and waited for, but the later the last plane begins.
/// All threads are to have enough to do.
int chosen_planes(const Extents& extents, int lanes, int threads) {
  constexpr std::int64_t columns_of_a_thread = 12;
  return (extents.nx / 8) * (extents.ny / lanes) < columns_of_a_thread * threads ? 4 : 8;
}

}  // namespace

template <class T>
void sweep(Grid<T>& grid, const Recurrence<T>& recurrence, const Direction& direction, const Options& options) {
  require_valid(recurrence);
  if (options.threads < 0 || options.chunk < 0) throw std::invalid_argument("threads and chunk are not negative");
  if (options.planes < 0 || options.planes > most_ribbon_planes)
    throw std::invalid_argument("a column has 1 to " + std::to_string(most_ribbon_planes) + " planes");
  const Kernels<T> kernels = kernels_of<T>(options.isa);
  int threads = options.threads;
#ifdef _OPENMP
  if (threads == 0) threads = omp_get_max_threads();
#endif
  threads = std::max(threads, 1);
  // A tenth of a column, so that the next ones begin early; 64 steps take so long that a look at the others is nothing.
  const std::int64_t usual_chunk = std::min<std::int64_t>(grid.extents.nz / 10, 64);
  const std::int64_t chunk = std::max<std::int64_t>(options.chunk > 0 ? options.chunk : usual_chunk, 1);
  const std::int64_t blocks = (chunk + kernels.lanes - 1) / kernels.lanes;
  const int planes = options.planes > 0 ? options.planes : chosen_planes(grid.extents, kernels.lanes, threads);
  Sweep<T>(grid, direction, kernels.lanes, planes)
      .run(ribbon_recurrence(recurrence), kernels.ribbon, threads, blocks * kernels.lanes);
}

template void sweep(Grid<float>&, const Recurrence<float>&, const Direction&, const Options&);
template void sweep(Grid<double>&, const Recurrence<double>&, const Direction&, const Options&);

}  // namespace speedwell::wavefront
