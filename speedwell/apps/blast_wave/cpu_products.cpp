// Matrix-free products for a tile of points: the effect of the blocks on a vector is computed from the state, as on the
// GPU. Compiled once for each instruction set.
#include "speedwell/apps/blast_wave/cpu_vectors.hpp"

namespace speedwell::blast_wave::SPEEDWELL_ISA {
namespace {

/// The variables of a tile's neighbours along an axis as contiguous arrays: a pointer into the field, or a copy if a
/// neighbour is across an edge of the box.
template <int Variables>
class Moved {
 public:
  Moved(const TileMesh& m, const double* x, int t, int d, int by) {
    const int step = d == 0 ? 1 : d == 1 ? m.extent[0] : m.extent[0] * m.extent[1];
    const int begin = t * lanes, from = begin + by * step;
    const auto stride = static_cast<std::size_t>(m.stride);
    if (stays_inside(m, begin, step, m.extent[d], by)) {
      for (int c = 0; c < Variables; ++c) of_[c] = x + static_cast<std::size_t>(c) * stride + from;
      return;
    }
    for (int c = 0; c < Variables; ++c) {
      const double* const variable = x + static_cast<std::size_t>(c) * stride;
      if (d == 0 && from >= 0 && from + lanes <= m.points && begin + lanes <= m.points)
        along_x(m, variable, begin, by, copy_[c]);
      else
        gather(m, variable, t, d == 0 ? by : 0, d == 1 ? by : 0, d == 2 ? by : 0, copy_[c]);
      of_[c] = copy_[c];
    }
  }
  Moved(const Moved&) = delete;
  Moved& operator=(const Moved&) = delete;

  V operator()(int c, int lane) const { return simd::load(of_[c] + lane); }

 private:
  /// Whether all neighbours of the tile's points are on this side of the edge.
  static bool stays_inside(const TileMesh& m, int begin, int step, int extent, int by) {
    const int end = begin + lanes;
    if (end > m.points || begin + by * step < 0 || end + by * step > m.points) return false;
    const int first = begin / step % extent, last = (end - 1) / step % extent;
    const bool one_line = begin / (step * extent) == (end - 1) / (step * extent);
    return one_line && (by < 0 ? first > 0 : last < extent - 1);
  }
  /// Copies contiguously, then corrects the points at the edge, which are a row apart.
  static void along_x(const TileMesh& m, const double* x, int begin, int by, double (&to)[lanes]) {
    const int nx = m.extent[0];
    std::memcpy(to, x + begin + by, sizeof to);
    const int first = begin % nx, edge = by < 0 ? 0 : nx - 1;
    for (int lane = (edge - first + nx) % nx; lane < lanes; lane += nx) to[lane] = x[begin + lane - by * (nx - 1)];
  }

  const double* of_[Variables];
  alignas(64) double copy_[Variables][lanes];
};

inline void load(const Moved<5>& from, int lane, V (&x)[5]) {
  for (int c = 0; c < 5; ++c) x[c] = from(c, lane);
}
inline SpecificOf<V> specific(const Moved<5>& w, int lane) {
  return {{w(0, lane), w(1, lane), w(2, lane)}, w(3, lane), w(4, lane)};
}

void multiply(const TileMesh& mesh, const Medium& m, const Weights& weights, const double* w, const double* strength,
              const double* x, double* y_, int t) {
  const auto stride = static_cast<std::size_t>(m.stride);
  alignas(64) double sums[5][lanes];
  {
    const double *const own_x = x + t * lanes, *const own_w = w + t * lanes;  // whole tiles: variables are padded
    for (int lane = 0; lane < lanes; lane += width) {
      V own[5], y[5];
      for (std::size_t c = 0; c < 5; ++c) y[c] = own[c] = simd::load(own_x + c * stride + lane);
      const auto v = [&](std::size_t c) { return simd::load(own_w + c * stride + lane); };
      const SpecificOf<V> here{{v(0), v(1), v(2)}, v(3), v(4)};
      for (int d = 0; d < 3; ++d) add_jacobians(m, here, d, 0, 2 * weights.diffusion[d], own, y);
      for (int c = 0; c < 5; ++c) simd::store(sums[c] + lane, y[c]);
    }
  }
  for (int d = 0; d < 3; ++d) {
    const double* const after = strength + static_cast<std::size_t>(d) * stride;
    const Moved<1> before(mesh, after, t, d, -1);
    for (int side = 0; side < 2; ++side) {
      const int by = side == 0 ? -1 : 1;
      const Moved<5> there_x(mesh, x, t, d, by), there_w(mesh, w, t, d, by);
      const double convection = side == 0 ? -weights.convection[d] : weights.convection[d];
      for (int lane = 0; lane < lanes; lane += width) {
        V y[5], there[5];
        load(there_x, lane, there);
        const V face = weights.dissipation[d] * (side == 0 ? before(0, lane) : simd::load(after + t * lanes + lane));
        for (std::size_t c = 0; c < 5; ++c)
          y[c] = simd::load(sums[c] + lane) - face * (there[c] - simd::load(x + c * stride + t * lanes + lane));
        add_jacobians(m, specific(there_w, lane), d, convection, -weights.diffusion[d], there, y);
        for (int c = 0; c < 5; ++c) simd::store(sums[c] + lane, y[c]);
      }
    }
  }
  const int end = (t + 1) * lanes < m.points ? lanes : m.points - t * lanes;
  for (std::size_t c = 0; c < 5; ++c)
    std::memcpy(y_ + c * stride + t * lanes, sums[c], static_cast<std::size_t>(end) * sizeof(double));
}

}  // namespace

extern ProductOfTile* const product;
ProductOfTile* const product = multiply;

}  // namespace speedwell::blast_wave::SPEEDWELL_ISA
