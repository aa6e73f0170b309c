#include "speedwell/apps/wavefront/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace speedwell::wavefront {
namespace {

constexpr std::int64_t max_cells = std::int64_t{1} << 48;

// Output of SplitMix64 for state x: Steele, Lea, Flood, OOPSLA 2014.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

template <class T>
void fill(core::HostBuffer<T>& values, std::uint64_t stream, std::uint64_t first, int bits, T c) {
  const T unit = std::ldexp(c, -bits);
  const auto count = static_cast<std::int64_t>(values.size());
#pragma omp parallel for
  for (std::int64_t n = 0; n < count; ++n) {
    const std::uint64_t random = mixed((stream << 56) ^ (first + static_cast<std::uint64_t>(n)));
    values[static_cast<std::size_t>(n)] = static_cast<T>(random >> (64 - bits)) * unit;
  }
}

/// Whether a sum of Listing 2 can be infinite. Rounding is monotonic, so that it suffices to follow the largest
/// magnitudes, with both kinds of rounding.
template <class T>
bool overflows(const Recurrence<T>& r) {
  if (r.loops == 0) return false;
  const auto linear = [](T factor, T x, T summand) {
    const T a = std::abs(factor), b = std::abs(summand);
    return std::max(a * x + b, std::fma(a, x, b));
  };
  const T changed = linear(r.rc, r.c, r.rd), stored = std::max(r.c, changed);
  T value = stored, top = stored, north = stored, west = stored;
  for (std::int64_t l = 0; l < r.loops; ++l) {
    if (!std::isfinite(((value + top) + north) + west)) return true;
    const T before[] = {value, top, north, west};
    value = changed;
    top = linear(r.tc, top, r.td);
    north = linear(r.nc, north, r.nd);
    west = linear(r.wc, west, r.wd);
    if (value == before[0] && top == before[1] && north == before[2] && west == before[3]) return false;
  }
  return false;
}

}  // namespace

void require_valid(const Extents& extents) {
  const std::string text =
      std::to_string(extents.nx) + " x " + std::to_string(extents.ny) + " x " + std::to_string(extents.nz);
  if (extents.nx < 1 || extents.ny < 1 || extents.nz < 1)
    throw std::invalid_argument(text + ": every extent must be at least 1");
  if (extents.nx > max_cells / extents.ny || extents.nx * extents.ny > max_cells / extents.nz)
    throw std::invalid_argument(text + " are more than 2^48 cells");
}

std::string to_string(const Direction& direction) {
  std::string name;
  for (const bool down : {direction.down_x, direction.down_y, direction.down_z}) name += down ? '-' : '+';
  return name;
}

Direction direction_named(std::string_view name) {
  if (name.size() != 3 || name.find_first_not_of("+-") != std::string_view::npos)
    throw std::invalid_argument("'" + std::string(name) +
                                "' is not a direction; expected + or - for each of x, y and z");
  return {name[0] == '-', name[1] == '-', name[2] == '-'};
}

std::array<Direction, 8> all_directions() {
  std::array<Direction, 8> all;
  for (unsigned n = 0; n < 8; ++n) all[n] = {(n & 4) != 0, (n & 2) != 0, (n & 1) != 0};
  return all;
}

template <class T>
void require_valid(const Recurrence<T>& r) {
  if (!(r.c > 0) || !std::isfinite(4 * r.c))
    throw std::invalid_argument("c = " + std::to_string(r.c) + ": c must be positive, and 4c finite");
  if (r.loops < 0) throw std::invalid_argument(std::to_string(r.loops) + " loops: must not be negative");
  for (const T constant : {r.tc, r.td, r.nc, r.nd, r.wc, r.wd, r.rc, r.rd})
    if (!std::isfinite(constant)) throw std::invalid_argument("the constants of Listing 2 must be finite");
  if (overflows(r)) throw std::invalid_argument("with these constants of Listing 2 sums overflow");
}

template <class T>
bool stays_in_range(const Recurrence<T>& r) {
  if (r.loops == 0) return true;
  const auto stays = [&](T factor, T summand) {
    // Rounding is monotonic, so that it suffices to check the end of the range with both kinds of rounding.
    return factor >= 0 && summand >= 0 && factor * r.c + summand <= r.c && std::fma(factor, r.c, summand) <= r.c;
  };
  return stays(r.tc, r.td) && stays(r.nc, r.nd) && stays(r.wc, r.wd) && stays(r.rc, r.rd);
}

template <class T>
Remainder remainder_of(const Recurrence<T>& r) {
  if (!stays_in_range(r)) return Remainder::library;
  int exponent = 0;
  const bool is_power_of_two = std::frexp(r.c, &exponent) == T(0.5);
  return is_power_of_two && std::isnormal(1 / r.c) ? Remainder::floor : Remainder::subtraction;
}

template <class T>
Planes<T>::Planes(const Extents& e)
    : top(static_cast<std::size_t>(e.nx * e.ny)),
      north(static_cast<std::size_t>(e.nx * e.nz)),
      west(static_cast<std::size_t>(e.ny * e.nz)) {
  for (auto* plane : {&top, &north, &west}) std::fill(plane->begin(), plane->end(), T(0));
}

template <class T>
void require_valid(const GridOptions& options) {
  require_valid(options.extents);
  if (options.bits < 1 || options.bits > std::numeric_limits<T>::digits)
    throw std::invalid_argument(std::to_string(options.bits) + " random bits: must be 1 to " +
                                std::to_string(std::numeric_limits<T>::digits));
}

template <class T>
Grid<T> make_grid(const GridOptions& options, T c) {
  require_valid<T>(options);
  Grid<T> grid(options.extents);
  const std::uint64_t cells = 2 * options.seed + 1, planes = 2 * options.seed + 2;
  fill(grid.cells, cells, 0, options.bits, c);
  if (options.inflow == Inflow::random) {
    std::uint64_t first = 0;
    for (auto* plane : {&grid.planes.top, &grid.planes.north, &grid.planes.west}) {
      fill(*plane, planes, first, options.bits, c);
      first += std::uint64_t{1} << 40;
    }
  }
  return grid;
}

template <class T>
std::uint64_t checksum(const core::HostBuffer<T>& cells) {
  std::uint64_t sum = 0xcbf29ce484222325ull;
  const auto* bytes = reinterpret_cast<const unsigned char*>(cells.data());
  for (std::size_t i = 0; i < cells.bytes(); ++i) sum = (sum ^ bytes[i]) * 0x100000001b3ull;
  return sum;
}

template void require_valid(const Recurrence<float>&);
template void require_valid(const Recurrence<double>&);
template void require_valid<float>(const GridOptions&);
template void require_valid<double>(const GridOptions&);
template bool stays_in_range(const Recurrence<float>&);
template bool stays_in_range(const Recurrence<double>&);
template Remainder remainder_of(const Recurrence<float>&);
template Remainder remainder_of(const Recurrence<double>&);
template struct Planes<float>;
template struct Planes<double>;
template Grid<float> make_grid(const GridOptions&, float);
template Grid<double> make_grid(const GridOptions&, double);
template std::uint64_t checksum(const core::HostBuffer<float>&);
template std::uint64_t checksum(const core::HostBuffer<double>&);

}  // namespace speedwell::wavefront
