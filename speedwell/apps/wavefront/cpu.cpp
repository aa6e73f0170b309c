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
#include <vector>

#include "speedwell/apps/wavefront/bundles.hpp"
#include "speedwell/apps/wavefront/wavefront.hpp"

namespace speedwell::wavefront {
namespace {

template <class T>
class Sweep {
 public:
  explicit Sweep(Bundles<T>& bundles) : bundles_(bundles) {}

  void run(const BundleRecurrence<T>& recurrence, BundleKernel<T>* kernel, int threads, std::int64_t chunk) {
    const std::int64_t chunks = (bundle_steps(bundles_.at(0, 0)) + chunk - 1) / chunk;  // no other has more
    const std::vector<Task> order = in_order(chunks);
    std::vector<std::atomic<std::int64_t>> done(bundles_.count());
    const auto done_of = [&](std::int64_t a, std::int64_t b) -> auto& { return done[bundles_.index(a, b)]; };
    std::atomic<std::size_t> next{0};
#pragma omp parallel num_threads(threads)
    for (std::size_t n; (n = next.fetch_add(1, std::memory_order_relaxed)) < order.size();) {
      const auto [a, b, c] = order[n];
      // What is before this chunk along x and y ends so many steps later that it takes their next chunk, too.
      const std::int64_t beside = std::min<std::int64_t>(c + 2, chunks);
      if (a > 0) wait(done_of(a - 1, b), beside);
      if (b > 0) wait(done_of(a, b - 1), beside);
      wait(done_of(a, b), c);
      Bundle<T>& mine = bundles_.at(a, b);
      const std::int64_t last = std::min((c + 1) * chunk, bundle_steps(mine));
      if (c * chunk < last) kernel(mine, recurrence, c * chunk, last);
      done_of(a, b).store(c + 1, std::memory_order_release);
    }
  }

 private:
  struct Task {
    std::int32_t a, b, c;
  };

  std::vector<Task> in_order(std::int64_t chunks) const {
    const std::int64_t ranks = 2 * (bundles_.in_x() + bundles_.in_y() - 2) + chunks;
    std::vector<std::size_t> begin(static_cast<std::size_t>(ranks + 1), 0);
    const auto each = [&](const auto& task) {
      for (std::int64_t a = 0; a < bundles_.in_x(); ++a)
        for (std::int64_t b = 0; b < bundles_.in_y(); ++b)
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

  Bundles<T>& bundles_;
};

}  // namespace

template <class T>
void sweep(Grid<T>& grid, const Recurrence<T>& recurrence, const Direction& direction, const Options& options) {
  require_valid(recurrence);
  if (options.threads < 0 || options.chunk < 0) throw std::invalid_argument("threads and chunk are not negative");
  const Kernel<T> kernel = kernel_of<T>(options.isa);
  int threads = options.threads;
#ifdef _OPENMP
  if (threads == 0) threads = omp_get_max_threads();
#endif
  constexpr std::int64_t usual_chunk = 256;
  const std::int64_t chunk =
      ((options.chunk > 0 ? options.chunk : usual_chunk) + kernel.lanes - 1) / kernel.lanes * kernel.lanes;
  Bundles<T> bundles(grid, direction, kernel.lanes);
  Sweep<T>(bundles).run(bundle_recurrence(recurrence), kernel.sweep, std::max(threads, 1), chunk);
}

template void sweep(Grid<float>&, const Recurrence<float>&, const Direction&, const Options&);
template void sweep(Grid<double>&, const Recurrence<double>&, const Direction&, const Options&);

}  // namespace speedwell::wavefront
