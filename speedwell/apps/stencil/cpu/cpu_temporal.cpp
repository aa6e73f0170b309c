// Temporal blocking: several sweeps of the constant-weight form (E0) in one pass over memory, on all threads. A strip
// of rows advances along z with a ring buffer of three planes for each sweep but the last; values that sweeps need
// outside of the strip are computed redundantly ("3.5-dimensional blocking": Nguyen, Satish, Chhugani, Kim, Dubey, SC
// 2010).
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "speedwell/apps/stencil/contract.hpp"
#include "speedwell/apps/stencil/cpu/cpu_tiles.hpp"
#include "speedwell/apps/stencil/cpu/rows.hpp"
#include "speedwell/apps/stencil/stencil.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/parts.hpp"
#include "speedwell/core/streaming_wins.hpp"

namespace speedwell::stencil {
namespace {

// Ring buffers of a strip fit in a core's second-level cache.
constexpr std::int64_t ring_bytes = 1024 * 1024;
constexpr int max_depth = 4;  // beyond this depth redundant work costs more than the passes save

// The most rows of a strip whose ring buffers fit, but not fewer than twice the depth.
template <class T>
std::int64_t max_rows(const Grid& g, int depth) {
  const std::int64_t row = 3 * (depth - 1) * g.nx * static_cast<std::int64_t>(sizeof(T));
  const std::int64_t rows = row > 0 ? ring_bytes / row - 2 * (depth - 1) : g.ny;
  return std::clamp<std::int64_t>(rows, std::min<std::int64_t>(g.ny, 2 * depth), g.ny);
}

// Advances one strip [j0, j1) of planes [k0, k1) by `depth` sweeps.
template <class T>
class Strip {
 public:
  Strip(const Operator<T>& a, const T* x, T* y, const T* zeros, int depth, std::int64_t rows, bool streaming)
      : a_(a),
        x_(x),
        y_(y),
        zeros_(zeros),
        depth_(depth),
        streaming_(streaming),
        ring_rows_(rows + 2 * (depth - 1)),
        product_(row_kernels<T>(core::best_isa(), Form::constant).product),
        ring_(static_cast<std::size_t>((depth - 1) * 3 * ring_rows_ * a.grid.nx)) {}

  void march(std::int64_t j0, std::int64_t j1, std::int64_t k0, std::int64_t k1) {
    first_row_ = j0 - (depth_ - 1);
    const bool wraps = a_.boundary == Boundary::periodic;
    for (std::int64_t front = k0 - (depth_ - 1); front < k1 + depth_ - 1; ++front)
      for (int level = 1; level <= depth_; ++level) {
        const std::int64_t k = front - (level - 1), spread = depth_ - level;
        if (k < k0 - spread || k >= k1 + spread) continue;
        if (!wraps && (k < 0 || k >= a_.grid.nz)) continue;
        for (std::int64_t j = j0 - spread; j < j1 + spread; ++j)
          if (wraps || (j >= 0 && j < a_.grid.ny)) compute(level, j, k);
      }
  }

 private:
  void compute(int level, std::int64_t j, std::int64_t k) {
    Row<T> row;
    row.n = a_.grid.nx;
    for (int w = 0; w < 4; ++w) row.weight[w] = a_.weight[w];
    row.centre = at(level - 1, j, k);
    row.south = at(level - 1, j - 1, k);
    row.north = at(level - 1, j + 1, k);
    row.below = at(level - 1, j, k - 1);
    row.above = at(level - 1, j, k + 1);
    const bool wraps = a_.boundary == Boundary::periodic;
    row.west_end = wraps ? row.centre[row.n - 1] : T(0);
    row.east_end = wraps ? row.centre[0] : T(0);
    row.out = level == depth_ ? y_ + a_.grid.cell(0, j, k) : in_ring(level, j, k);
    product_(row, streaming_ && level == depth_);
  }

  // Row (j, k) of the field after `level` sweeps.
  const T* at(int level, std::int64_t j, std::int64_t k) {
    const std::int64_t j_there = neighbour_index(j, a_.grid.ny, a_.boundary),
                       k_there = neighbour_index(k, a_.grid.nz, a_.boundary);
    if (j_there < 0 || k_there < 0) return zeros_;
    return level == 0 ? x_ + a_.grid.cell(0, j_there, k_there) : in_ring(level, j, k);
  }
  T* in_ring(int level, std::int64_t j, std::int64_t k) {
    const std::int64_t plane = (level - 1) * 3 + (k % 3 + 3) % 3;
    return ring_.data() + (plane * ring_rows_ + j - first_row_) * a_.grid.nx;
  }

  const Operator<T>& a_;
  const T* x_;
  T* y_;
  const T* zeros_;
  int depth_;
  bool streaming_;
  std::int64_t ring_rows_, first_row_ = 0;
  void (*product_)(const Row<T>&, bool);
  core::HostBuffer<T> ring_;
};

template <class T>
void pass(const Operator<T>& a, const T* x, T* y, const T* zeros, int depth, const Tiles& tiles, int threads) {
  const Grid& g = a.grid;
  const std::int64_t rows = (g.ny + tiles.strips - 1) / tiles.strips;
  const bool streaming = core::streaming_wins(2 * g.size() * static_cast<std::int64_t>(sizeof(T)));
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    Strip<T> strip(a, x, y, zeros, depth, rows, streaming);
#pragma omp for schedule(dynamic)
    for (std::int64_t t = 0; t < tiles.count(); ++t) {
      const std::int64_t s = t / tiles.chunks, c = t % tiles.chunks;
      strip.march(Tiles::begin(g.ny, tiles.strips, s), Tiles::begin(g.ny, tiles.strips, s + 1),
                  Tiles::begin(g.nz, tiles.chunks, c), Tiles::begin(g.nz, tiles.chunks, c + 1));
    }
    if (streaming) streaming_fence();
  }
}

}  // namespace

template <class T>
void sweep(const Operator<T>& a, std::span<const T> x, std::span<T> y, std::span<T> scratch, int sweeps, int depth,
           const HostOptions& options) {
  require_product(a, x, y);
  require_product(a, x, scratch);
  require_apart<T>(y, scratch);
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("stencil: " + what); };
  if (a.form != Form::constant)
    refuse("sweeps of form " + std::string(to_string(a.form)) + "; only form e0 supports sweeps");
  if (sweeps < 1) refuse(std::to_string(sweeps) + " sweeps; must be at least 1");
  if (depth < 0) refuse("passes of " + std::to_string(depth) + " sweeps; must be at least 1, or 0 for automatic");
  const int threads = core::resolve_threads(options.threads);
  if (depth == 0) depth = max_depth;
  const std::vector<T> zeros(static_cast<std::size_t>(a.grid.nx), T(0));
  const int passes = (sweeps + depth - 1) / depth;
  const T* from = x.data();
  Tiles tiles;
  int depth_of_tiles = 0;
  for (int p = 0; p < passes; ++p) {
    T* const to = (passes - 1 - p) % 2 == 0 ? y.data() : scratch.data();  // the last one ends in y
    const int advanced = sweeps * (p + 1) / passes - sweeps * p / passes;
    if (advanced != depth_of_tiles) {
      tiles = divide_into_tiles(a.grid, advanced, threads, max_rows<T>(a.grid, advanced));
      depth_of_tiles = advanced;
    }
    pass(a, from, to, zeros.data(), advanced, tiles, threads);
    from = to;
  }
}

template void sweep(const Operator<float>&, std::span<const float>, std::span<float>, std::span<float>, int, int,
                    const HostOptions&);
template void sweep(const Operator<double>&, std::span<const double>, std::span<double>, std::span<double>, int, int,
                    const HostOptions&);

}  // namespace speedwell::stencil
