// Vectors of points for sources that are compiled once for each instruction set: the functions of a number that
// point.hpp requires, and gathering of the neighbours of a tile's points.
#pragma once

#include <cstddef>
#include <cstring>

#include "speedwell/apps/blast_wave/cpu/tiles.hpp"
#include "speedwell/apps/blast_wave/point.hpp"
#include "speedwell/core/simd/simd.hpp"

namespace speedwell::blast_wave {

namespace simd = core::simd;
using V = simd::Vector<double>;

template <>
struct Functions<V> {
  static V root(V x) {
    for (int l = 0; l < simd::width<double>; ++l) x[l] = __builtin_sqrt(x[l]);
    return x;
  }
  static V magnitude(V x) { return x < 0 ? -x : x; }
  static V max(V a, V b) { return simd::max(a, b); }
};

namespace SPEEDWELL_ISA {
namespace {

constexpr int lanes = tile, width = simd::width<double>;

/// Gathers the values of one variable at the tile's points shifted by (di, dj, dk). Lanes without a point get the value
/// of the first point, so that all are numbers.
inline void gather(const TileMesh& m, const double* x, int t, int di, int dj, int dk, double (&to)[lanes]) {
  const int nx = m.extent[0], ny = m.extent[1], nz = m.extent[2], begin = m.origin + t * lanes;
  const int end = begin + lanes < m.points ? lanes : m.points - begin;
  int i = begin % nx, j = begin / nx % ny, k = begin / nx / ny;
  const auto wrapped = [](int at, int n) { return at < 0 ? at + n : at >= n ? at - n : at; };
  for (int lane = 0; lane < end;) {
    int count = nx - i < end - lane ? nx - i : end - lane;
    const double* const row = x + (static_cast<std::size_t>(wrapped(k + dk, nz)) * static_cast<std::size_t>(ny) +
                                   static_cast<std::size_t>(wrapped(j + dj, ny))) *
                                      static_cast<std::size_t>(nx);
    const int from = wrapped(i + di, nx);
    if (count > nx - from) count = nx - from;  // up to the row's end; the rest follows in the next iteration
    std::memcpy(to + lane, row + from, static_cast<std::size_t>(count) * sizeof(double));
    lane += count;
    if ((i += count) < nx) continue;
    i = 0;
    if (++j == ny) {
      j = 0;
      if (++k == nz) k = 0;
    }
  }
  for (int lane = end; lane < lanes; ++lane) to[lane] = to[0];
}

}  // namespace
}  // namespace SPEEDWELL_ISA
}  // namespace speedwell::blast_wave
