// The hyperplane demonstrator of Pennycook, Mudalige, Hammond and Jarvis (UKPEW 2010): every cell of a grid needs the
// new values of the cells before it along x, y and z, so that only cells of one plane i + j + k are independent.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "speedwell/core/host_buffer.hpp"

namespace speedwell::wavefront {

/// Cells along x, y and z. Cell (i,j,k) lies at (i ny + j) nz + k: z is contiguous.
struct Extents {
  std::int64_t nx = 1, ny = 1, nz = 1;
  std::int64_t cells() const { return nx * ny * nz; }
  /// Planes of independent cells: the length of the longest chain.
  std::int64_t hyperplanes() const { return nx + ny + nz - 2; }
  friend bool operator==(const Extents&, const Extents&) = default;
};
/// Throws std::invalid_argument if an extent is below 1 or the cells pass 2^48.
void require_valid(const Extents& extents);

/// The corner at which a sweep begins. By default it proceeds from low to high indices along each axis.
struct Direction {
  bool down_x = false, down_y = false, down_z = false;
  friend bool operator==(const Direction&, const Direction&) = default;
};
/// The name of a direction, "+++" … "---", x first, and its inverse, which throws std::invalid_argument for any other
/// text.
std::string to_string(const Direction& direction);
Direction direction_named(std::string_view name);
std::array<Direction, 8> all_directions();

/// Rounding of a * b + c: the product first (separate), or once at the end (fused). The two give different grids.
enum class Rounding { separate, fused };

/// Constants of the update. With loops = 0 it is Listing 1 of the paper, otherwise Listing 2 with so many loops, whose
/// linear updates change the cell and the values of its neighbours.
template <class T>
struct Recurrence {
  std::int64_t loops = 0;
  T c = 1;
  T tc = T(0.25), td = T(0.0625), nc = T(0.375), nd = T(0.1), wc = T(0.3), wd = T(0.2), rc = T(0.7), rd = T(0.15);
  Rounding rounding = Rounding::separate;
};
/// Throws std::invalid_argument unless c > 0, 4c is finite, loops >= 0, all constants of Listing 2 are finite, and
/// every sum is finite for all initial values of at most c.
template <class T>
void require_valid(const Recurrence<T>& recurrence);
/// Whether all values stay in [0, c] if the grid and its inflow are: then the remainder of a sum of four needs no
/// division (cell.hpp). Always true for Listing 1.
template <class T>
bool stays_in_range(const Recurrence<T>& recurrence);

/// Methods of computing the remainder of a sum of four values. All are exact and therefore give the same result.
enum class Remainder {
  library,      // fmod
  subtraction,  // repeated subtraction of c; requires sums in [0, 4c]
  floor,  // fraction of sum / c; requires sums in [0, 4c] and that c is a power of two, so that the quotient is exact
};
/// The applicable method with the fewest instructions.
template <class T>
Remainder remainder_of(const Recurrence<T>& recurrence);

/// Inflow planes, the neighbours of the first cells: top (i,j) at i ny + j, north (i,k) at i nz + k, west (j,k) at j nz
/// + k.
template <class T>
struct Planes {
  core::HostBuffer<T> top, north, west;
  explicit Planes(const Extents& extents);  // zeros
};

/// A grid and its inflow, the input and output of a sweep.
template <class T>
struct Grid {
  Extents extents;
  core::HostBuffer<T> cells;
  Planes<T> planes;
  /// No cells.
  Grid() : Grid(Extents{0, 0, 0}) {}
  /// Allocates large pages: a sweep accesses all rows concurrently, which are more than the TLB covers with ordinary
  /// pages.
  explicit Grid(const Extents& all)
      : extents(all), cells(static_cast<std::size_t>(all.cells()), core::Pages::large), planes(all) {}
};

enum class Inflow { zero, random };
struct GridOptions {
  Extents extents;
  Inflow inflow = Inflow::zero;
  /// Bits of a random value, which is a multiple of 2^-bits below 1: 1 … 53, in single precision 1 … 24. With up to 50
  /// and 22 bits no addition of Listing 1 rounds if c is 1.
  int bits = 53;
  std::uint64_t seed = 0;  // 0: the data of the published checksums
};
/// Throws std::invalid_argument for invalid extents or bits.
template <class T>
void require_valid(const GridOptions& options);
/// Creates a grid of random values in [0, c). A value depends only on the seed and its index. Throws as
/// require_valid().
template <class T>
Grid<T> make_grid(const GridOptions& options, T c = 1);

/// FNV-1a, 64 bits, over the bytes of the cells.
template <class T>
std::uint64_t checksum(const core::HostBuffer<T>& cells);

}  // namespace speedwell::wavefront
