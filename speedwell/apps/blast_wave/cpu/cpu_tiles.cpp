// Compiled once for each instruction set.
#include <cstddef>
#include <cstring>

#include "speedwell/apps/blast_wave/cpu/tiles.hpp"
#include "speedwell/core/simd/simd.hpp"

namespace speedwell::blast_wave::SPEEDWELL_ISA {
namespace {

namespace simd = core::simd;
using V = simd::Vector<double>;
constexpr int lanes = 32, width = simd::width<double>, vectors = lanes / width;

// The vectors at the seven points of a stencil, gathered: rows of the mesh are copied contiguously, so that neighbours
// across the edge of the box need no special case afterwards.
struct Gathered {
  alignas(64) double of[7][5][lanes];
};

inline void copy(const double* from, std::size_t stride, double (&to)[5][lanes], int lane, int count) {
  for (int c = 0; c < 5; ++c)
    std::memcpy(to[c] + lane, from + static_cast<std::size_t>(c) * stride,
                static_cast<std::size_t>(count) * sizeof(double));
}

inline void gather(const TileMesh& m, const double* x, int t, Gathered& g) {
  const int nx = m.extent[0], ny = m.extent[1], nz = m.extent[2], begin = m.origin + t * lanes;
  const auto stride = static_cast<std::size_t>(m.stride);
  int i = begin % nx, j = begin / nx % ny, k = begin / nx / ny;
  const int end = begin + lanes < m.points ? lanes : m.points - begin;
  if (end < lanes) std::memset(&g, 0, sizeof g);
  for (int lane = 0; lane < end;) {
    const int count = nx - i < end - lane ? nx - i : end - lane;
    const auto row = [&](int jj, int kk) {
      const int jw = jj < 0 ? ny - 1 : jj == ny ? 0 : jj, kw = kk < 0 ? nz - 1 : kk == nz ? 0 : kk;
      return x + (static_cast<std::size_t>(kw) * static_cast<std::size_t>(ny) + static_cast<std::size_t>(jw)) *
                     static_cast<std::size_t>(nx);
    };
    const double* const own = row(j, k);
    copy(own + i, stride, g.of[0], lane, count);
    // Along x: part of a row, and the periodic neighbour if it is across the edge.
    const int first = i == 0 ? 1 : 0, last = i + count == nx ? 1 : 0;
    if (first) copy(own + nx - 1, stride, g.of[1], lane, 1);
    if (count > first) copy(own + i + first - 1, stride, g.of[1], lane + first, count - first);
    if (count > last) copy(own + i + 1, stride, g.of[2], lane, count - last);
    if (last) copy(own, stride, g.of[2], lane + count - 1, 1);
    copy(row(j - 1, k) + i, stride, g.of[3], lane, count);
    copy(row(j + 1, k) + i, stride, g.of[4], lane, count);
    copy(row(j, k - 1) + i, stride, g.of[5], lane, count);
    copy(row(j, k + 1) + i, stride, g.of[6], lane, count);
    lane += count;
    i = 0;
    if (++j == ny) {
      j = 0;
      if (++k == nz) k = 0;
    }
  }
}

void multiply(const TileMesh& m, const double* blocks, const double* x, double* y, int t) {
  Gathered g;
  gather(m, x, t, g);
  const double* const a = blocks + static_cast<std::size_t>(t) * 175 * lanes;
  alignas(64) double sums[5][lanes];
  for (int row = 0; row < 5; ++row)
    for (int v = 0; v < vectors; ++v) {
      const int lane = v * width;
      V even = simd::broadcast(0.0), odd = even;
      for (int b = 0; b < 7; ++b) {
        const double* const own = a + (b * 25 + row * 5) * lanes + lane;
        even = simd::fma(simd::load(own), simd::load(g.of[b][0] + lane), even);
        odd = simd::fma(simd::load(own + lanes), simd::load(g.of[b][1] + lane), odd);
        even = simd::fma(simd::load(own + 2 * lanes), simd::load(g.of[b][2] + lane), even);
        odd = simd::fma(simd::load(own + 3 * lanes), simd::load(g.of[b][3] + lane), odd);
        even = simd::fma(simd::load(own + 4 * lanes), simd::load(g.of[b][4] + lane), even);
      }
      simd::store(sums[row] + lane, even + odd);
    }
  const int begin = m.origin + t * lanes, end = begin + lanes < m.points ? lanes : m.points - begin;
  for (int c = 0; c < 5; ++c)
    std::memcpy(y + static_cast<std::size_t>(c) * static_cast<std::size_t>(m.stride) + begin, sums[c],
                static_cast<std::size_t>(end) * sizeof(double));
}

// The five products of a vector of each variable, which are added up in registers.
struct DotProducts {
  V sums[5] = {};
  void add(V t, V s, V h) {
    sums[0] += t * s;
    sums[1] += t * t;
    sums[2] += s * s;
    sums[3] += h * s;
    sums[4] += h * t;
  }
};

// Lanes are added in pairs that do not depend on the width of vectors.
void dots(const double* t, const double* s, const double* h, int stride, int count, double sums[5]) {
  alignas(64) double of_lane[5][lanes];
  // Lanes without a point are 0.
  const auto load = [&](const double* from, int lane) {
    if (lane + width <= count) return simd::load(from + lane);
    alignas(64) double values[width] = {};
    for (int l = lane; l < count; ++l) values[l - lane] = from[l];
    return simd::load(values);
  };
  for (int lane = 0; lane < lanes; lane += width) {
    DotProducts products;
    for (int c = 0; c < 5; ++c) {
      const std::size_t at = static_cast<std::size_t>(c) * static_cast<std::size_t>(stride);
      products.add(load(t + at, lane), load(s + at, lane), load(h + at, lane));
    }
    for (int n = 0; n < 5; ++n) simd::store(of_lane[n] + lane, products.sums[n]);
  }
  for (int n = 0; n < 5; ++n) {
    for (int half = lanes / 2; half > 0; half /= 2)
      for (int l = 0; l < half; ++l) of_lane[n][l] += of_lane[n][l + half];
    sums[n] = of_lane[n][0];
  }
}

void subtract(double alpha, const double* v, double* r, int stride, int count) {
  for (int c = 0; c < 5; ++c, v += stride, r += stride) {
#pragma omp simd
    for (int l = 0; l < count; ++l) r[l] -= alpha * v[l];
  }
}

void end_iteration(double alpha, double omega, double beta, const IterationVectors& own, int stride, int count) {
  for (int c = 0; c < 5; ++c) {
    const std::ptrdiff_t first = std::ptrdiff_t{c} * stride;
    const double *v = own.v + first, *t = own.t + first;
    double *x = own.x + first, *r = own.r + first, *p = own.p + first;
#pragma omp simd
    for (int l = 0; l < count; ++l) {
      x[l] += alpha * p[l] + omega * r[l];
      r[l] -= omega * t[l];
      p[l] = r[l] + beta * (p[l] - omega * v[l]);
    }
  }
}

}  // namespace

extern const TileKernels tiles;
const TileKernels tiles = {multiply, dots, subtract, end_iteration};

}  // namespace speedwell::blast_wave::SPEEDWELL_ISA
