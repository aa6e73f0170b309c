#include "speedwell/apps/wavefront/verify/reference.hpp"

#include <atomic>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace speedwell::wavefront::reference {
namespace {

/// Calls cell(i, j, k) for every cell after its predecessors. Threads process planes in turn; each row waits for the
/// same row of the preceding plane. (On one core the largest grids would take minutes.)
template <class Cell>
void for_each_in_sweep_order(const Extents& extents, const Direction& direction, const Cell& cell) {
  const auto index = [](std::int64_t step, std::int64_t count, bool down) { return down ? count - 1 - step : step; };
  std::vector<std::atomic<std::int64_t>> rows_done(static_cast<std::size_t>(extents.nx));
#pragma omp parallel for schedule(static, 1) if (extents.cells() > 1 << 20)
  for (std::int64_t a = 0; a < extents.nx; ++a)
    for (std::int64_t b = 0; b < extents.ny; ++b) {
      const auto plane = static_cast<std::size_t>(a);
      while (a > 0 && rows_done[plane - 1].load(std::memory_order_acquire) <= b) std::this_thread::yield();
      for (std::int64_t d = 0; d < extents.nz; ++d)
        cell(index(a, extents.nx, direction.down_x), index(b, extents.ny, direction.down_y),
             index(d, extents.nz, direction.down_z));
      rows_done[plane].store(b + 1, std::memory_order_release);
    }
}

/// The value that precedes cell (i,j,k) along each axis: a cell of the grid, or the inflow at its boundary.
template <class Buffer>
class Neighbours {
 public:
  Neighbours(const Extents& extents, const Direction& direction, const Buffer& cells, const Buffer& top,
             const Buffer& north, const Buffer& west)
      : e_(extents), d_(direction), cells_(cells), top_(top), north_(north), west_(west) {}

  auto top(std::int64_t i, std::int64_t j, std::int64_t k) const {
    const std::int64_t before = d_.down_z ? k + 1 : k - 1;
    return before < 0 || before == e_.nz ? at(top_, i * e_.ny + j) : at(cells_, cell(i, j, before));
  }
  auto north(std::int64_t i, std::int64_t j, std::int64_t k) const {
    const std::int64_t before = d_.down_y ? j + 1 : j - 1;
    return before < 0 || before == e_.ny ? at(north_, i * e_.nz + k) : at(cells_, cell(i, before, k));
  }
  auto west(std::int64_t i, std::int64_t j, std::int64_t k) const {
    const std::int64_t before = d_.down_x ? i + 1 : i - 1;
    return before < 0 || before == e_.nx ? at(west_, j * e_.nz + k) : at(cells_, cell(before, j, k));
  }
  std::int64_t cell(std::int64_t i, std::int64_t j, std::int64_t k) const { return (i * e_.ny + j) * e_.nz + k; }

 private:
  static auto at(const Buffer& values, std::int64_t n) { return values[static_cast<std::size_t>(n)]; }
  const Extents& e_;
  const Direction& d_;
  const Buffer &cells_, &top_, &north_, &west_;
};

// This file is compiled without contraction.
template <class T>
T product_and_sum(T a, T b, T c, Rounding rounding) {
  return rounding == Rounding::fused ? std::fma(a, b, c) : a * b + c;
}

std::vector<std::uint64_t> integers(const auto& values, int bits) {
  std::vector<std::uint64_t> made;
  for (const auto value : values) {
    const double scaled = std::ldexp(static_cast<double>(value), bits);
    if (!(scaled >= 0) || scaled >= std::ldexp(1.0, bits) || scaled != std::floor(scaled))
      throw std::invalid_argument(std::to_string(value) + " is not a multiple of 2^-" + std::to_string(bits) +
                                  " below 1");
    made.push_back(static_cast<std::uint64_t>(scaled));
  }
  return made;
}

}  // namespace

template <class T>
void sweep(Grid<T>& grid, const Recurrence<T>& recurrence, const Direction& direction) {
  require_valid(recurrence);
  const auto& r = recurrence;
  const Neighbours before(grid.extents, direction, grid.cells, grid.planes.top, grid.planes.north, grid.planes.west);
  for_each_in_sweep_order(grid.extents, direction, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    T& u = grid.cells[static_cast<std::size_t>(before.cell(i, j, k))];
    T top = before.top(i, j, k), north = before.north(i, j, k), west = before.west(i, j, k);
    if (r.loops == 0) {
      u = std::fmod(((u + top) + north) + west, r.c);
      return;
    }
    T value = u;
    for (std::int64_t l = 0; l < r.loops; ++l) {
      value = std::fmod(((value + top) + north) + west, r.c);
      top = product_and_sum(r.tc, top, r.td, r.rounding);
      north = product_and_sum(r.nc, north, r.nd, r.rounding);
      west = product_and_sum(r.wc, west, r.wd, r.rounding);
      value = product_and_sum(r.rc, value, r.rd, r.rounding);
    }
    u = value;
  });
}

template <class T>
void sweep_in_integers(Grid<T>& grid, int bits, const Direction& direction) {
  constexpr int max_bits = std::numeric_limits<T>::digits - 2;  // a sum of four needs two more bits
  if (bits < 1 || bits > max_bits)
    throw std::invalid_argument(std::to_string(bits) + " bits: sums of four are exact with 1 to " +
                                std::to_string(max_bits));
  std::vector<std::uint64_t> cells = integers(grid.cells, bits);
  const std::vector<std::uint64_t> top = integers(grid.planes.top, bits), north = integers(grid.planes.north, bits),
                                   west = integers(grid.planes.west, bits);
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  const Neighbours before(grid.extents, direction, cells, top, north, west);
  for_each_in_sweep_order(grid.extents, direction, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    std::uint64_t& z = cells[static_cast<std::size_t>(before.cell(i, j, k))];
    z = (z + before.top(i, j, k) + before.north(i, j, k) + before.west(i, j, k)) & mask;
  });
  for (std::size_t n = 0; n < cells.size(); ++n)
    grid.cells[n] = static_cast<T>(std::ldexp(static_cast<double>(cells[n]), -bits));
}

std::uint64_t paths_to(std::int64_t i, std::int64_t j, std::int64_t k, int bits) {
  if (i < 0 || j < 0 || k < 0) throw std::invalid_argument("indices must not be negative");
  // (i+j+k)! / (i! j! k!) modulo 2^bits: odd factors are multiplied and divided modulo 2^64, powers of two are counted.
  struct Factor {
    std::uint64_t odd = 1;
    std::int64_t twos = 0;
    void take(std::int64_t n, bool divide) {
      for (; n % 2 == 0; n /= 2) twos += divide ? -1 : 1;
      odd *= divide ? inverse(static_cast<std::uint64_t>(n)) : static_cast<std::uint64_t>(n);
    }
    static std::uint64_t inverse(
        std::uint64_t a) {  // Newton's iteration: each step doubles the number of correct bits, from three
      std::uint64_t x = a;
      for (int step = 0; step < 5; ++step) x *= 2 - a * x;
      return x;
    }
  } factor;
  for (std::int64_t n = 1; n <= i + j + k; ++n) factor.take(n, false);
  for (const std::int64_t count : {i, j, k})
    for (std::int64_t n = 1; n <= count; ++n) factor.take(n, true);
  if (factor.twos >= bits) return 0;
  return factor.odd << factor.twos & ((std::uint64_t{1} << bits) - 1);
}

template void sweep(Grid<float>&, const Recurrence<float>&, const Direction&);
template void sweep(Grid<double>&, const Recurrence<double>&, const Direction&);
template void sweep_in_integers(Grid<float>&, int, const Direction&);
template void sweep_in_integers(Grid<double>&, int, const Direction&);

}  // namespace speedwell::wavefront::reference
