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

/// The corner that a sweep begins at. Without a flag it goes from low to high indices along that axis.
struct Direction {
  bool down_x = false, down_y = false, down_z = false;
  friend bool operator==(const Direction&, const Direction&) = default;
};
/// "+++" … "---", x first. The other throws std::invalid_argument for anything else.
std::string to_string(const Direction& direction);
Direction direction_named(std::string_view name);
std::array<Direction, 8> all_directions();

/// How a * b + c is rounded: the product first, or once at the end. The two give different grids.
enum class Rounding { separate, fused };

/// Listing 1 of the paper without loops; with L of them Listing 2, whose constants change what the neighbours are
/// worth.
template <class T>
struct Recurrence {
  std::int64_t loops = 0;
  T c = 1;
  T tc = T(0.25), td = T(0.0625), nc = T(0.375), nd = T(0.1), wc = T(0.3), wd = T(0.2), rc = T(0.7), rd = T(0.15);
  Rounding rounding = Rounding::separate;
};
/// Throws std::invalid_argument unless c > 0 and 4c is finite, loops >= 0, all constants of Listing 2 are finite, and
/// with them every sum is, whatever values of at most c a grid begins with.
template <class T>
void require_valid(const Recurrence<T>& recurrence);
/// Whether all values stay in [0, c] when the grid and its inflow do: then a sum of four needs no division for its
/// remainder (cell.hpp). Always so for Listing 1.
template <class T>
bool stays_in_range(const Recurrence<T>& recurrence);

/// How a sum of four becomes its remainder. All of these are exact, and so the same.
enum class Remainder {
  library,      // fmod
  subtraction,  // of c, while sums stay in [0, 4c]
  floor,        // and c is a power of two: a sum over c is exact then, and what its floor leaves of it, too
};
/// The one that takes the fewest instructions.
template <class T>
Remainder remainder_of(const Recurrence<T>& recurrence);

/// What lies before the first cells: top (i,j) at i ny + j, north (i,k) at i nz + k, west (j,k) at j nz + k.
template <class T>
struct Planes {
  core::HostBuffer<T> top, north, west;
  explicit Planes(const Extents& extents);  // zeros
};

/// What goes into a sweep.
template <class T>
struct Grid {
  Extents extents;
  core::HostBuffer<T> cells;
  Planes<T> planes;
  /// A sweep goes along all rows at a time, more of them than there are translations of ordinary pages at hand.
  explicit Grid(const Extents& all)
      : extents(all), cells(static_cast<std::size_t>(all.cells()), core::Pages::large), planes(all) {}
};

enum class Inflow { zero, random };
struct GridOptions {
  Extents extents;
  Inflow inflow = Inflow::zero;
  /// Bits of a random value, a multiple of 2^-bits below 1: 1 … 53, in single precision 1 … 24. With 50 and 22 no
  /// addition of Listing 1 rounds if c is 1.
  int bits = 53;
  std::uint64_t seed = 0;  // 0: the data of the published checksums
};
/// Throws std::invalid_argument for extents or bits that are not valid.
template <class T>
void require_valid(const GridOptions& options);
/// Values times c. A value depends on the seed and its place alone. Throws as require_valid().
template <class T>
Grid<T> make_grid(const GridOptions& options, T c = 1);

/// FNV-1a, 64 bits, over the bytes of the cells.
template <class T>
std::uint64_t checksum(const core::HostBuffer<T>& cells);

}  // namespace speedwell::wavefront
