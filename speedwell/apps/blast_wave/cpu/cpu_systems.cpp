// Assembles the blocks and the right-hand side of a tile with vectors of points. Compiled once for each instruction
// set; only instantiations of point.hpp with this set's vectors are allowed here.
#include <cstring>

#include "speedwell/apps/blast_wave/cpu/cpu_vectors.hpp"

namespace speedwell::blast_wave::SPEEDWELL_ISA {
namespace {

/// Density and the state per unit mass of the points and of those one and two away along each axis.
struct Lines {
  alignas(64) double of[13][6][lanes];
  /// The index of the point at distance `by`, -2 to 2, along axis d.
  static int index(int d, int by) { return by == 0 ? 0 : 1 + 4 * d + (by < 0 ? by + 2 : by + 1); }

  Lines(const TileMesh& m, const double* q, const double* w, int t) {
    for (int d = 0; d < 3; ++d)
      for (int by = -2; by <= 2; ++by) {
        if (by == 0 && d > 0) continue;
        auto& to = of[index(d, by)];
        const int di = d == 0 ? by : 0, dj = d == 1 ? by : 0, dk = d == 2 ? by : 0;
        gather(m, q, t, di, dj, dk, to[0]);
        for (int c = 0; c < 5; ++c)
          gather(m, w + static_cast<std::size_t>(c) * static_cast<std::size_t>(m.stride), t, di, dj, dk, to[c + 1]);
      }
  }
  SpecificOf<V> specific(int d, int by, int lane) const {
    const auto& from = of[index(d, by)];
    const auto v = [&](int c) { return simd::load(from[c + 1] + lane); };
    return {{v(0), v(1), v(2)}, v(3), v(4)};
  }
  FluidOf<V> fluid(const Medium& m, int d, int by, int lane) const {
    return blast_wave::fluid(m, simd::load(of[index(d, by)][0] + lane), specific(d, by, lane));
  }
};

/// Velocities of the twelve points that are diagonal neighbours.
struct Corners {
  alignas(64) double of[12][3][lanes];
  /// The index of the point one step along d (by_d, -1 or 1) and one along e.
  static int index(int d, int by_d, int e, int by_e) {
    if (d > e) return index(e, by_e, d, by_d);
    return (d + e - 1) * 4 + (by_d < 0 ? 0 : 2) + (by_e < 0 ? 0 : 1);
  }

  Corners(const TileMesh& m, const double* w, int t) {
    for (int d = 0; d < 3; ++d)
      for (int e = d + 1; e < 3; ++e)
        for (int by_d = -1; by_d <= 1; by_d += 2)
          for (int by_e = -1; by_e <= 1; by_e += 2) {
            int by[3] = {};
            by[d] = by_d;
            by[e] = by_e;
            for (int c = 0; c < 3; ++c)
              gather(m, w + static_cast<std::size_t>(c) * static_cast<std::size_t>(m.stride), t, by[0], by[1], by[2],
                     of[index(d, by_d, e, by_e)][c]);
          }
  }
};

void blocks(const TileMesh& mesh, const Medium& m, const Weights& weights, const double* q, const double* w,
            double* blocks_, int t) {
  const Lines near(mesh, q, w, t);
  double* const own = blocks_ + static_cast<std::size_t>(t) * entries * lanes;
  for (int lane = 0; lane < lanes; lane += width) {
    V strength[3][2];
    for (int d = 0; d < 3; ++d) {
      const FluidOf<V> here = near.fluid(m, d, 0, lane), low = near.fluid(m, d, -1, lane),
                       high = near.fluid(m, d, 1, lane);
      strength[d][0] = dissipation(m, d, near.fluid(m, d, -2, lane).pressure, low, here, high.pressure).strength();
      strength[d][1] = dissipation(m, d, low.pressure, here, high, near.fluid(m, d, 2, lane).pressure).strength();
    }
    assemble(
        m, weights, near.specific(0, 0, lane),
        [&](int d, int side) { return near.specific(d, side == 0 ? -1 : 1, lane); },
        [&](int d, int side) { return strength[d][side]; },
        [&](int entry, V value) { simd::store(own + entry * lanes + lane, value); });
  }
}

void strengths(const TileMesh& mesh, const Medium& m, const double* q, const double* w, double* strength, int t) {
  const Lines near(mesh, q, w, t);
  for (int d = 0; d < 3; ++d) {
    double* const own =
        strength + static_cast<std::size_t>(d) * static_cast<std::size_t>(mesh.stride) + mesh.origin + t * lanes;
    for (int lane = 0; lane < lanes; lane += width)
      simd::store(own + lane, dissipation(m, d, near.fluid(m, d, -1, lane).pressure, near.fluid(m, d, 0, lane),
                                          near.fluid(m, d, 1, lane), near.fluid(m, d, 2, lane).pressure)
                                  .strength());
  }
}

void right_hand_sides(const TileMesh& mesh, const Medium& m, double dt, const double* q, const double* w, double* b_,
                      int t) {
  const Lines near(mesh, q, w, t);
  const Corners corners(mesh, w, t);
  alignas(64) double sums[5][lanes];
  for (int lane = 0; lane < lanes; lane += width) {
    V b[5] = {};
    for (int d = 0; d < 3; ++d)
      for (int side = 0; side < 2; ++side) {
        const int first = side == 0 ? -1 : 0,
                  beyond = side == 0 ? -1 : 1;  // first: offset of the face; beyond: offset of the other point
        const auto along = [&](int c, int e) {
          const auto corner = [&](int by) {
            return simd::load(corners.of[Corners::index(d, beyond, e, by)][c] + lane);
          };
          const auto beside = [&](int by) { return simd::load(near.of[Lines::index(e, by)][c + 1] + lane); };
          return 0.25 * m.per[e] * ((beside(1) - beside(-1)) + (corner(1) - corner(-1)));
        };
        V f[5];
        face_flux(m, d, near.fluid(m, d, first - 1, lane), near.fluid(m, d, first, lane),
                  near.fluid(m, d, first + 1, lane), near.fluid(m, d, first + 2, lane), along, f);
        const double factor = (side == 0 ? dt : -dt) * m.per[d];
        for (int c = 0; c < 5; ++c) b[c] += factor * f[c];
      }
    for (int c = 0; c < 5; ++c) simd::store(sums[c] + lane, b[c]);
  }
  const int begin = mesh.origin + t * lanes, end = begin + lanes < mesh.points ? lanes : mesh.points - begin;
  for (int c = 0; c < 5; ++c)
    std::memcpy(b_ + static_cast<std::size_t>(c) * static_cast<std::size_t>(mesh.stride) + begin, sums[c],
                static_cast<std::size_t>(end) * sizeof(double));
}

}  // namespace

extern const SystemKernels systems;
const SystemKernels systems = {blocks, strengths, right_hand_sides};

}  // namespace speedwell::blast_wave::SPEEDWELL_ISA
