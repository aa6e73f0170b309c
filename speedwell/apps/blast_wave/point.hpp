// The mathematics of one point, for all fast code: the numerical flux through a face, the blocks' entries, and
// matrix-free products with the blocks. Equations: README.md.
#pragma once

#include <cmath>
#include <cstdint>

#include "speedwell/apps/blast_wave/problem.hpp"
#include "speedwell/core/host_device.hpp"

namespace speedwell::blast_wave {

/// The mesh with 32-bit indices, and the constants of the equations.
struct Medium {
  int extent[3];
  int step[3];  // distance in memory to the next point along an axis
  int points;
  int stride;     // distance between variables: the number of points, rounded up to a tile
  double per[3];  // points per unit length
  double gamma, heat /* gamma / Pr */, mu, kappa2, kappa4, theta, cfl, dt /* 0: by cfl */;
};

/// Number of points whose blocks are interleaved: entry e of the 175 of point p is at ((p / tile) 175 + e) tile + p %
/// tile.
constexpr int tile = 32;
constexpr int entries = 7 * 25;
constexpr std::int64_t rounded(std::int64_t points) { return (points + tile - 1) / tile * tile; }

/// Planes of points along z that a step reads on each side of a slab: fourth differences reach two points. Each rank
/// has at least as many points of its own, so that the halo comes from its two neighbours alone.
constexpr int halo_planes = 2;

inline Medium medium_of(const Problem& p) {
  const Extents& e = p.extents;
  const auto nx = static_cast<int>(e.nx), ny = static_cast<int>(e.ny), nz = static_cast<int>(e.nz);
  return {.extent = {nx, ny, nz},
          .step = {1, nx, nx * ny},
          .points = nx * ny * nz,
          .stride = static_cast<int>(rounded(e.points())),
          .per = {static_cast<double>(nx), static_cast<double>(ny), static_cast<double>(nz)},
          .gamma = p.gas.gamma,
          .heat = p.gas.gamma / p.gas.prandtl,
          .mu = p.gas.viscosity(),
          .kappa2 = p.kappa2,
          .kappa4 = p.kappa4,
          .theta = p.theta,
          .cfl = p.cfl,
          .dt = p.dt};
}

/// Factors of the blocks' terms along each axis: theta dt / (2 dx), theta dt mu / dx^2, theta dt / dx.
struct Weights {
  double convection[3], diffusion[3], dissipation[3];
};
SPEEDWELL_HD
inline Weights weights_of(const Medium& m, double dt) {
  Weights w;
  for (int d = 0; d < 3; ++d) {
    w.convection[d] = 0.5 * m.theta * dt * m.per[d];
    w.diffusion[d] = m.theta * dt * m.mu * m.per[d] * m.per[d];
    w.dissipation[d] = m.theta * dt * m.per[d];
  }
  return w;
}

struct Site {
  int at[3];
  int p;
};
SPEEDWELL_HD
inline Site moved(const Medium& m, Site s, int d, int by) {
  int to = s.at[d] + by;
  to += to < 0 ? m.extent[d] : to >= m.extent[d] ? -m.extent[d] : 0;
  s.p += (to - s.at[d]) * m.step[d];
  s.at[d] = to;
  return s;
}
SPEEDWELL_HD
inline Site site_of(const Medium& m, int p) {
  const int i = p % m.extent[0], rest = p / m.extent[0];
  return {{i, rest % m.extent[1], rest / m.extent[1]}, p};
}

/// Functions of a number or vector that are not operators. Sources with vectors specialise it.
template <class T>
struct Functions {
  SPEEDWELL_HD
  static T root(T x) { return std::sqrt(x); }
  SPEEDWELL_HD
  static T magnitude(T x) { return std::abs(x); }
  SPEEDWELL_HD
  static T max(T a, T b) { return a > b ? a : b; }
};

/// The state per unit mass, computed once per step: velocities, energy, and 1 / density. T is double, or a vector of
/// points.
template <class T>
struct SpecificOf {
  T u[3], energy, volume;
};
using Specific = SpecificOf<double>;
SPEEDWELL_HD
inline Specific specific(const double q[5]) {
  const double volume = 1 / q[0];
  return {{q[1] * volume, q[2] * volume, q[3] * volume}, q[4] * volume, volume};
}
/// Stores it at point p of the five variables w, `stride` apart.
SPEEDWELL_HD
inline void store(const Specific& s, double* w, int stride, int p) {
  for (int c = 0; c < 3; ++c) w[c * stride + p] = s.u[c];
  w[3 * stride + p] = s.energy;
  w[4 * stride + p] = s.volume;
}
template <class T>
SPEEDWELL_HD
inline T square(const T u[3]) { return u[0] * u[0] + u[1] * u[1] + u[2] * u[2]; }
template <class T>
SPEEDWELL_HD
inline T internal(const SpecificOf<T>& s) { return s.energy - 0.5 * square(s.u); }
template <class T>
SPEEDWELL_HD
inline T sound(const Medium& m, const SpecificOf<T>& s) {
  return Functions<T>::root(m.gamma * (m.gamma - 1) * internal(s));
}
/// The rate of a point: the time step is the CFL number over its maximum.
SPEEDWELL_HD
inline double rate(const Medium& m, const Specific& s) {
  const double c = sound(m, s);
  double sum = 0;
  for (int d = 0; d < 3; ++d) sum += (std::abs(s.u[d]) + c) * m.per[d];
  return sum;
}

/// The fields by site: `flow` in the following functions has density(site) and specific(site).
struct Flow {
  const Medium* medium;
  const double* q;  // conserved variables
  const double* w;  // Specific, its five members as variables
  SPEEDWELL_HD
  double density(Site s) const { return q[s.p]; }
  SPEEDWELL_HD
  double velocity(Site s, int d) const { return w[d * medium->stride + s.p]; }
  SPEEDWELL_HD
  Specific specific(Site s) const {
    const int n = medium->stride;
    return {{w[s.p], w[n + s.p], w[2 * n + s.p]}, w[3 * n + s.p], w[4 * n + s.p]};
  }
};

/// The state of a point, as a face needs it.
template <class T>
struct FluidOf {
  T rho, pressure;
  SpecificOf<T> s;
};
template <class T>
SPEEDWELL_HD
inline FluidOf<T> fluid(const Medium& m, const T& rho, const SpecificOf<T>& s) {
  return {rho, (m.gamma - 1) * rho * internal(s), s};
}
using Fluid = FluidOf<double>;
SPEEDWELL_HD
inline Fluid fluid(const Medium& m, const Flow& flow, Site at) { return fluid(m, flow.density(at), flow.specific(at)); }

/// Dissipation at the face between the middle two of four points in a row: lambda / 2 and the two coefficients.
template <class T>
struct FaceDissipation {
  T half_lambda, second, fourth;
  /// The part of the dissipation that the blocks contain.
  SPEEDWELL_HD
  T strength() const { return half_lambda * (second + 2 * fourth); }
};
template <class T>
SPEEDWELL_HD
inline T sensor(const T& before, const T& here, const T& after) {
  return Functions<T>::magnitude(after - 2 * here + before) / (after + 2 * here + before);
}
template <class T>
SPEEDWELL_HD
inline FaceDissipation<T> dissipation(const Medium& m, int d, const T& before, const FluidOf<T>& here,
                                      const FluidOf<T>& there, const T& after) {
  using F = Functions<T>;
  const T left = sensor(before, here.pressure, there.pressure), right = sensor(here.pressure, there.pressure, after);
  const T second = m.kappa2 * F::max(left, right), fourth = m.kappa4 - second;
  return {0.25 * (F::magnitude(here.s.u[d]) + sound(m, here.s) + F::magnitude(there.s.u[d]) + sound(m, there.s)),
          second, F::max(fourth, T{})};
}

SPEEDWELL_HD
inline double face_strength(const Medium& m, const Flow& flow, Site at, int d) {
  const double before = fluid(m, flow, moved(m, at, d, -1)).pressure,
               after = fluid(m, flow, moved(m, at, d, 2)).pressure;
  return dissipation(m, d, before, fluid(m, flow, at), fluid(m, flow, moved(m, at, d, 1)), after).strength();
}

/// The flux through the face between `here` and `there`, the middle two of four points in a row along d: convection,
/// dissipation and viscous terms. along(c, t) is the derivative of velocity c along t at the face.
template <class T, class Along>
SPEEDWELL_HD
inline void face_flux(const Medium& m, int d, const FluidOf<T>& before, const FluidOf<T>& here, const FluidOf<T>& there,
                      const FluidOf<T>& after, const Along& along, T f[5]) {
  const FaceDissipation<T> s = dissipation(m, d, before.pressure, here, there, after.pressure);
  const auto dissipated = [&](const T& b, const T& h, const T& t, const T& a) -> T {
    return s.half_lambda * (s.second * (t - h) - s.fourth * (a - 3 * t + 3 * h - b));
  };
  const T flow_here = here.rho * here.s.u[d], flow_there = there.rho * there.s.u[d];
  f[0] = 0.5 * (flow_here + flow_there) - dissipated(before.rho, here.rho, there.rho, after.rho);
  for (int c = 0; c < 3; ++c)
    f[c + 1] = 0.5 * (flow_here * here.s.u[c] + flow_there * there.s.u[c]) -
               dissipated(before.rho * before.s.u[c], here.rho * here.s.u[c], there.rho * there.s.u[c],
                          after.rho * after.s.u[c]);
  f[d + 1] += 0.5 * (here.pressure + there.pressure);
  f[4] = 0.5 * ((here.rho * here.s.energy + here.pressure) * here.s.u[d] +
                (there.rho * there.s.energy + there.pressure) * there.s.u[d]) -
         dissipated(before.rho * before.s.energy, here.rho * here.s.energy, there.rho * there.s.energy,
                    after.rho * after.s.energy);
  if (m.mu == 0) return;
  T work = m.heat * (internal(there.s) - internal(here.s)) * m.per[d];
  for (int c = 0; c < 3; ++c) {
    const double a = c == d ? 4.0 / 3.0 : 1.0;
    const T mean = 0.5 * (here.s.u[c] + there.s.u[c]), normal = a * (there.s.u[c] - here.s.u[c]) * m.per[d];
    T cross = {};
    if (c != d)
      cross = along(d, c);
    else
      for (int t = 0; t < 3; ++t)
        if (t != d) cross -= 2.0 / 3.0 * along(t, t);
    f[c + 1] -= m.mu * (normal + cross);
    work += mean * (normal + cross);  // u . du is the difference of squares over 2: the mean times the difference
  }
  f[4] -= m.mu * work;
}
/// The flux through the face between `at` and its neighbour along d.
SPEEDWELL_HD
inline void face_flux(const Medium& m, const Flow& flow, Site at, int d, double f[5]) {
  const Site next = moved(m, at, d, 1);
  const auto along = [&](int c, int t) {
    return 0.25 * m.per[t] *
           ((flow.velocity(moved(m, at, t, 1), c) - flow.velocity(moved(m, at, t, -1), c)) +
            (flow.velocity(moved(m, next, t, 1), c) - flow.velocity(moved(m, next, t, -1), c)));
  };
  face_flux(m, d, fluid(m, flow, moved(m, at, d, -1)), fluid(m, flow, at), fluid(m, flow, next),
            fluid(m, flow, moved(m, at, d, 2)), along, f);
}

/// The right-hand side -dt R at a point.
SPEEDWELL_HD
inline void right_hand_side(const Medium& m, const Flow& flow, Site at, double dt, double b[5]) {
  for (int c = 0; c < 5; ++c) b[c] = 0;
#pragma unroll
  for (int d = 0; d < 3; ++d) {
    double high[5], low[5];
    face_flux(m, flow, at, d, high);
    face_flux(m, flow, moved(m, at, d, -1), d, low);
    for (int c = 0; c < 5; ++c) b[c] -= dt * m.per[d] * (high[c] - low[c]);
  }
}

/// y += scale_a A_d x + scale_g G_d x, at the state `s`, in about 60 operations.
template <class T>
SPEEDWELL_HD
inline void add_jacobians(const Medium& m, const SpecificOf<T>& s, int d, double scale_a, double scale_g, const T x[5],
                          T y[5]) {
  T du[3], du_u = {};  // differences of the velocities, times the density
  for (int c = 0; c < 3; ++c) {
    du[c] = x[c + 1] - s.u[c] * x[0];
    du_u += s.u[c] * du[c];
  }
  const T phi = 0.5 * square(s.u);
  const T dp = (m.gamma - 1) * (x[4] - du_u - phi * x[0]);
  const T enthalpy = m.gamma * s.energy - (m.gamma - 1) * phi;
  const T ga = scale_g * s.volume;
  y[0] += scale_a * x[d + 1];
  for (int c = 0; c < 3; ++c) {
    const double a = c == d ? 4.0 / 3.0 : 1.0;
    y[c + 1] += scale_a * (s.u[c] * du[d] + s.u[d] * x[c + 1]) + ga * a * du[c];
  }
  y[d + 1] += scale_a * dp;
  y[4] += scale_a * (s.u[d] * (x[4] + dp) + enthalpy * du[d]) +
          ga * (du_u + s.u[d] * du[d] / 3 + m.heat * (x[4] - du_u - s.energy * x[0]));
}

/// y = A x at a point. x(site, c) can be any callable; strength[d] has the dissipation strengths of the faces after
/// each point.
template <class Vector>
SPEEDWELL_HD
inline void apply_blocks(const Medium& m, const Weights& w, const Flow& flow, const double* strength, const Vector& x,
                         Site at, double y[5]) {
  double own[5];
  for (int c = 0; c < 5; ++c) y[c] = own[c] = x(at, c);
  const Specific here = flow.specific(at);
#pragma unroll
  for (int d = 0; d < 3; ++d) {
#pragma unroll
    for (int side = 0; side < 2; ++side) {
      const Site to = moved(m, at, d, side == 0 ? -1 : 1);
      const double face = w.dissipation[d] * strength[d * m.stride + (side == 0 ? to.p : at.p)];
      double there[5];
      for (int c = 0; c < 5; ++c) {
        there[c] = x(to, c);
        y[c] -= face * (there[c] - own[c]);
      }
      add_jacobians(m, flow.specific(to), d, side == 0 ? -w.convection[d] : w.convection[d], -w.diffusion[d], there, y);
    }
    add_jacobians(m, here, d, 0, 2 * w.diffusion[d], own, y);
  }
}

/// Passes the 175 entries of a point to store(entry, value): the block of the point, then those of its neighbours at
/// -x, +x, -y, +y, -z, +z, row by row. `here` is the point's Specific, there(d, side) that of a neighbour, strength(d,
/// side) that of the face between them.
template <class T, class There, class Strength, class Store>
SPEEDWELL_HD
inline void assemble(const Medium& m, const Weights& w, const SpecificOf<T>& here, const There& there,
                     const Strength& strength, const Store& store) {
  T faces = {};
  for (int d = 0; d < 3; ++d)
    for (int side = 0; side < 2; ++side) {
      const T face = w.dissipation[d] * strength(d, side);
      faces += face;
      const SpecificOf<T> other = there(d, side);
      for (int column = 0; column < 5; ++column) {
        T unit[5] = {}, y[5] = {};
        unit[column] += 1;
        add_jacobians(m, other, d, side == 0 ? -w.convection[d] : w.convection[d], -w.diffusion[d], unit, y);
        y[column] -= face;
        for (int row = 0; row < 5; ++row) store((1 + 2 * d + side) * 25 + row * 5 + column, y[row]);
      }
    }
  for (int column = 0; column < 5; ++column) {
    T unit[5] = {}, y[5] = {};
    unit[column] += 1;
    y[column] = 1 + faces;
    for (int d = 0; d < 3; ++d) add_jacobians(m, here, d, 0, 2 * w.diffusion[d], unit, y);
    for (int row = 0; row < 5; ++row) store(row * 5 + column, y[row]);
  }
}
/// The same for the point `at`; strength[d] has the dissipation strengths of the faces after each point.
template <class Store>
SPEEDWELL_HD
inline void assemble(const Medium& m, const Weights& w, const Flow& flow, const double* strength, Site at,
                     const Store& store) {
  assemble(
      m, w, flow.specific(at), [&](int d, int side) { return flow.specific(moved(m, at, d, side == 0 ? -1 : 1)); },
      [&](int d, int side) { return strength[d * m.stride + (side == 0 ? moved(m, at, d, -1).p : at.p)]; }, store);
}

}  // namespace speedwell::blast_wave
