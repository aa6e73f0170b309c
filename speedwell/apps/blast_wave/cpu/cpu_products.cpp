// Matrix-free product y = A x for a tile of points: the products with the 5 x 5 blocks of A are computed from the state
// instead of stored blocks, as in the `cuda` variant. Compiled once for each instruction set.
#include "speedwell/apps/blast_wave/cpu/cpu_vectors.hpp"

namespace speedwell::blast_wave::SPEEDWELL_ISA {
namespace {

/// The variables at the neighbours of a tile's points as contiguous arrays; the neighbours are `shift` (-1 or 1) points
/// away along `axis`. An array is a part of the field x or, if a neighbour is across a periodic boundary, a copy.
template <int Variables>
class NeighbourTile {
 public:
  NeighbourTile(const TileMesh& m, const double* x, int t, int axis, int shift) {
    const int step = axis == 0 ? 1 : axis == 1 ? m.extent[0] : m.extent[0] * m.extent[1];
    const int begin = m.origin + t * lanes, from = begin + shift * step;
    const auto stride = static_cast<std::size_t>(m.stride);
    if (stays_inside(m, begin, step, m.extent[axis], shift)) {
      for (int c = 0; c < Variables; ++c) variables_[c] = x + static_cast<std::size_t>(c) * stride + from;
      return;
    }
    for (int c = 0; c < Variables; ++c) {
      const double* const variable = x + static_cast<std::size_t>(c) * stride;
      if (axis == 0 && from >= 0 && from + lanes <= m.points && begin + lanes <= m.points)
        copy_along_x(m, variable, begin, shift, copy_[c]);
      else
        gather(m, variable, t, axis == 0 ? shift : 0, axis == 1 ? shift : 0, axis == 2 ? shift : 0, copy_[c]);
      variables_[c] = copy_[c];
    }
  }
  NeighbourTile(const NeighbourTile&) = delete;
  NeighbourTile& operator=(const NeighbourTile&) = delete;

  V operator()(int c, int lane) const { return simd::load(variables_[c] + lane); }

 private:
  /// Whether no neighbour of the tile's points is across a boundary. `step` is the distance of neighbours in memory.
  static bool stays_inside(const TileMesh& m, int begin, int step, int extent, int shift) {
    const int end = begin + lanes;
    if (end > m.points || begin + shift * step < 0 || end + shift * step > m.points) return false;
    const int first = begin / step % extent, last = (end - 1) / step % extent;
    const bool one_line = begin / (step * extent) == (end - 1) / (step * extent);
    return one_line && (shift < 0 ? first > 0 : last < extent - 1);
  }
  /// Copies the neighbours along x as if rows did not end, then corrects those of the last points of rows (or the first
  /// ones), which are nx apart.
  static void copy_along_x(const TileMesh& m, const double* x, int begin, int shift, double (&to)[lanes]) {
    const int nx = m.extent[0];
    std::memcpy(to, x + begin + shift, sizeof to);
    const int first = begin % nx, edge = shift < 0 ? 0 : nx - 1;
    for (int lane = (edge - first + nx) % nx; lane < lanes; lane += nx) to[lane] = x[begin + lane - shift * (nx - 1)];
  }

  const double* variables_[Variables];
  alignas(64) double copy_[Variables][lanes];
};

inline void load(const NeighbourTile<5>& from, int lane, V (&x)[5]) {
  for (int c = 0; c < 5; ++c) x[c] = from(c, lane);
}
inline SpecificOf<V> specific(const NeighbourTile<5>& w, int lane) {
  return {{w(0, lane), w(1, lane), w(2, lane)}, w(3, lane), w(4, lane)};
}

/// y = A x for tile t (ProductOfTile in tiles.hpp): `w` is the state as Specific, `strength` the dissipation strengths
/// of the faces after each point.
void multiply_tile(const TileMesh& mesh, const Medium& m, const Weights& weights, const double* w,
                   const double* strength, const double* x, double* result, int t) {
  const auto stride = static_cast<std::size_t>(mesh.stride);
  const int begin = mesh.origin + t * lanes;
  alignas(64) double sums[5][lanes];
  {
    const double *const tile_x = x + begin, *const tile_w = w + begin;  // variables are padded to whole tiles
    for (int lane = 0; lane < lanes; lane += width) {
      V own[5], y[5];
      for (std::size_t c = 0; c < 5; ++c) y[c] = own[c] = simd::load(tile_x + c * stride + lane);
      const auto v = [&](std::size_t c) { return simd::load(tile_w + c * stride + lane); };
      const SpecificOf<V> here{{v(0), v(1), v(2)}, v(3), v(4)};
      for (int axis = 0; axis < 3; ++axis) add_jacobians(m, here, axis, 0, 2 * weights.diffusion[axis], own, y);
      for (int c = 0; c < 5; ++c) simd::store(sums[c] + lane, y[c]);
    }
  }
  for (int axis = 0; axis < 3; ++axis) {
    const double* const after = strength + static_cast<std::size_t>(axis) * stride;
    const NeighbourTile<1> before(mesh, after, t, axis, -1);
    for (int side = 0; side < 2; ++side) {
      const int shift = side == 0 ? -1 : 1;
      const NeighbourTile<5> neighbour_x(mesh, x, t, axis, shift), neighbour_w(mesh, w, t, axis, shift);
      const double convection = side == 0 ? -weights.convection[axis] : weights.convection[axis];
      for (int lane = 0; lane < lanes; lane += width) {
        V y[5], neighbour[5];
        load(neighbour_x, lane, neighbour);
        const V face = weights.dissipation[axis] * (side == 0 ? before(0, lane) : simd::load(after + begin + lane));
        for (std::size_t c = 0; c < 5; ++c)
          y[c] = simd::load(sums[c] + lane) - face * (neighbour[c] - simd::load(x + c * stride + begin + lane));
        add_jacobians(m, specific(neighbour_w, lane), axis, convection, -weights.diffusion[axis], neighbour, y);
        for (int c = 0; c < 5; ++c) simd::store(sums[c] + lane, y[c]);
      }
    }
  }
  const int end = begin + lanes < mesh.points ? lanes : mesh.points - begin;
  for (std::size_t c = 0; c < 5; ++c)
    std::memcpy(result + c * stride + begin, sums[c], static_cast<std::size_t>(end) * sizeof(double));
}

}  // namespace

extern ProductOfTile* const product;
ProductOfTile* const product = multiply_tile;

}  // namespace speedwell::blast_wave::SPEEDWELL_ISA
