// The sweep on all cores. Bundles follow each other through x and y like the tiles of a KBA sweep (Koch, Baker and
// Alcouffe 1992), each in chunks along z. A thread takes the next chunk of an order in which all that a chunk needs
// comes before it, and waits until that is done: no two threads can wait for each other.
#ifdef _OPENMP
#include <omp.h>
#endif

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "speedwell/apps/wavefront/axis.hpp"
#include "speedwell/apps/wavefront/kernels.hpp"
#include "speedwell/apps/wavefront/wavefront.hpp"

namespace speedwell::wavefront {

namespace {

template <class T>
class Sweep {
 public:
  Sweep(Grid<T>& grid, const Direction& d, int lanes)
      : grid_(grid),
        x_(grid.extents.nx, grid.extents.ny * grid.extents.nz, d.down_x),
        y_(grid.extents.ny, grid.extents.nz, d.down_y),
        z_(grid.extents.nz, 1, d.down_z),
        top_x_(grid.extents.nx, grid.extents.ny, d.down_x),
        top_y_(grid.extents.ny, 1, d.down_y),
        north_x_(grid.extents.nx, grid.extents.nz, d.down_x),
        west_y_(grid.extents.ny, grid.extents.nz, d.down_y),
        lanes_(lanes),
        in_x_((x_.count + bundle_planes - 1) / bundle_planes),
        in_y_((y_.count + lanes - 1) / lanes),
        bundles_(static_cast<std::size_t>(in_x_ * in_y_)) {
    for (std::int64_t a = 0; a < in_x_; ++a)
      for (std::int64_t b = 0; b < in_y_; ++b) at(a, b) = bundle(a * bundle_planes, b * lanes);
  }

  void run(const BundleRecurrence<T>& recurrence, BundleKernel<T>* kernel, int threads, std::int64_t chunk) {
    const std::int64_t chunks = (bundle_steps(bundles_.front()) + chunk - 1) / chunk;  // no other has more
    const std::vector<Task> order = in_order(chunks);
    std::vector<std::atomic<std::int64_t>> done(bundles_.size());
    std::atomic<std::size_t> next{0};
#pragma omp parallel num_threads(threads)
    for (std::size_t n; (n = next.fetch_add(1, std::memory_order_relaxed)) < order.size();) {
      const auto [a, b, c] = order[n];
      // What is before this chunk along x and y ends so many steps later that it takes their next chunk, too.
      const std::int64_t beside = std::min<std::int64_t>(c + 2, chunks);
      if (a > 0) wait(done[index(a - 1, b)], beside);
      if (b > 0) wait(done[index(a, b - 1)], beside);
      wait(done[index(a, b)], c);
      Bundle<T>& mine = at(a, b);
      const std::int64_t last = std::min((c + 1) * chunk, bundle_steps(mine));
      if (c * chunk < last) kernel(mine, recurrence, c * chunk, last);
      done[index(a, b)].store(c + 1, std::memory_order_release);
    }
  }

 private:
  struct Task {
    std::int32_t a, b, c;
  };

  std::vector<Task> in_order(std::int64_t chunks) const {
    const std::int64_t ranks = 2 * (in_x_ + in_y_ - 2) + chunks;
    std::vector<std::size_t> begin(static_cast<std::size_t>(ranks + 1), 0);
    const auto each = [&](const auto& task) {
      for (std::int64_t a = 0; a < in_x_; ++a)
        for (std::int64_t b = 0; b < in_y_; ++b)
          for (std::int64_t c = 0; c < chunks; ++c) task(static_cast<std::size_t>(2 * (a + b) + c), a, b, c);
    };
    each([&](std::size_t rank, auto, auto, auto) { ++begin[rank + 1]; });
    for (std::size_t r = 1; r < begin.size(); ++r) begin[r] += begin[r - 1];
    std::vector<Task> order(begin.back());
    each([&](std::size_t rank, std::int64_t a, std::int64_t b, std::int64_t c) {
      order[begin[rank]++] = {static_cast<std::int32_t>(a), static_cast<std::int32_t>(b), static_cast<std::int32_t>(c)};
    });
    return order;
  }

  static void wait(const std::atomic<std::int64_t>& done, std::int64_t chunks) {
    for (int turn = 0; done.load(std::memory_order_acquire) < chunks; ++turn)
      if (turn > 1000) std::this_thread::yield();  // there may be more threads than cores
  }

  /// Planes from `a` and rows from `b` in the sweep's order.
  Bundle<T> bundle(std::int64_t a, std::int64_t b) const {
    Bundle<T> made{};
    made.planes = static_cast<int>(std::min<std::int64_t>(bundle_planes, x_.count - a));
    made.rows = static_cast<int>(std::min<std::int64_t>(lanes_, y_.count - b));
    made.cells = z_.count;
    const Planes<T>& inflow = grid_.planes;
    const auto strip = [&](auto* values, std::int64_t offset, const Axis& rows, std::int64_t row) {
      return Strip<std::remove_pointer_t<decltype(values)>>{values + offset + rows.at(row) + z_.begin, rows.step,
                                                            z_.step};
    };
    const T* cells = grid_.cells.data();
    for (int g = 0; g < made.planes; ++g) {
      made.plane[g] = strip(grid_.cells.data(), x_.at(a + g), y_, b);
      made.north[g] = b > 0 ? strip(cells, x_.at(a + g), y_, b - 1)
                            : Strip<const T>{inflow.north.data() + north_x_.at(a + g) + z_.begin, 0, z_.step};
      for (int l = 0; l < made.rows; ++l)
        made.state[g][l] = inflow.top[static_cast<std::size_t>(top_x_.at(a + g) + top_y_.at(b + l))];
    }
    made.west = a > 0 ? strip(cells, x_.at(a - 1), y_, b) : strip(std::as_const(inflow.west).data(), 0, west_y_, b);
    return made;
  }

  std::size_t index(std::int64_t a, std::int64_t b) const { return static_cast<std::size_t>(a * in_y_ + b); }
  Bundle<T>& at(std::int64_t a, std::int64_t b) { return bundles_[index(a, b)]; }

  Grid<T>& grid_;
  Axis x_, y_, z_, top_x_, top_y_, north_x_, west_y_;
  int lanes_;
  std::int64_t in_x_, in_y_;
  std::vector<Bundle<T>> bundles_;
};

}  // namespace

template <class T>
void sweep(Grid<T>& grid, const Recurrence<T>& recurrence, const Direction& direction, const Options& options) {
  require_valid(recurrence);
  if (options.threads < 0 || options.chunk < 0) throw std::invalid_argument("threads and chunk are not negative");
  const Kernels<T> kernels = kernels_of<T>(options.isa);
  int threads = options.threads;
#ifdef _OPENMP
  if (threads == 0) threads = omp_get_max_threads();
#endif
  constexpr std::int64_t usual_chunk = 256;
  const std::int64_t chunk =
      ((options.chunk > 0 ? options.chunk : usual_chunk) + kernels.lanes - 1) / kernels.lanes * kernels.lanes;
  Sweep<T> sweep(grid, direction, kernels.lanes);
  sweep.run(bundle_recurrence(recurrence), kernels.bundle, std::max(threads, 1), chunk);
}

template void sweep(Grid<float>&, const Recurrence<float>&, const Direction&, const Options&);
template void sweep(Grid<double>&, const Recurrence<double>&, const Direction&, const Options&);

}  // namespace speedwell::wavefront
