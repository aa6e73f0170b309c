// The mathematics of one point, for all fast code: the numerical flux through a face, the blocks' entries, and what a
// block does to a vector without being formed. Equations: README.md.
#pragma once

#include <cmath>
#include <cstdint>

#include "speedwell/apps/blast_wave/problem.hpp"
#include "speedwell/core/host_device.hpp"

namespace speedwell::blast_wave {

/// The mesh in 32 bits, and what the equations have of constants.
struct Medium {
  int extent[3];
  int step[3];  // from a point to the next along an axis
  int points;
  int stride;     // from a variable to the next: points, rounded up to a tile
  double per[3];  // points per unit length
  double gamma, heat /* gamma / Pr */, mu, kappa2, kappa4, theta, cfl, dt /* 0: by cfl */;
};

/// Points whose blocks lie together: entry e of the 175 of point p is at ((p / tile) 175 + e) tile + p % tile.
constexpr int tile = 32;
constexpr int entries = 7 * 25;
constexpr std::int64_t rounded(std::int64_t points) { return (points + tile - 1) / tile * tile; }

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

/// What a step in time makes of the blocks' terms along each axis: theta dt / (2 dx), theta dt mu / dx^2, theta dt /
/// dx.
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

/// The state per unit mass, made once a step: velocities, energy, and 1 / density.
struct Specific {
  double u[3], energy, volume;
};
SPEEDWELL_HD
inline Specific specific(const double q[5]) {
  const double volume = 1 / q[0];
  return {{q[1] * volume, q[2] * volume, q[3] * volume}, q[4] * volume, volume};
}
SPEEDWELL_HD
inline double square(const double u[3]) { return u[0] * u[0] + u[1] * u[1] + u[2] * u[2]; }
SPEEDWELL_HD
inline double internal(const Specific& s) { return s.energy - 0.5 * square(s.u); }
SPEEDWELL_HD
inline double sound(const Medium& m, const Specific& s) { return std::sqrt(m.gamma * (m.gamma - 1) * internal(s)); }
/// Of a point: what the CFL number divides, per unit time.
SPEEDWELL_HD
inline double rate(const Medium& m, const Specific& s) {
  const double c = sound(m, s);
  double sum = 0;
  for (int d = 0; d < 3; ++d) sum += (std::abs(s.u[d]) + c) * m.per[d];
  return sum;
}

/// A variable of all points, by the site: `flow` in what follows has density(site) and specific(site).
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

/// A point as a face sees it.
struct Fluid {
  double rho, pressure;
  Specific s;
};
SPEEDWELL_HD
inline Fluid fluid(const Medium& m, const Flow& flow, Site at) {
  const double rho = flow.density(at);
  const Specific s = flow.specific(at);
  return {rho, (m.gamma - 1) * rho * internal(s), s};
}

/// Dissipation at the face between the middle two of four points in a row: lambda / 2 and the two coefficients.
struct FaceDissipation {
  double half_lambda, second, fourth;
  /// What of it the blocks have.
  SPEEDWELL_HD
  double strength() const { return half_lambda * (second + 2 * fourth); }
};
SPEEDWELL_HD
inline double sensor(double before, double here, double after) {
  return std::abs(after - 2 * here + before) / (after + 2 * here + before);
}
SPEEDWELL_HD
inline FaceDissipation dissipation(const Medium& m, int d, double before, const Fluid& here, const Fluid& there,
                                   double after) {
  const double left = sensor(before, here.pressure, there.pressure),
               right = sensor(here.pressure, there.pressure, after);
  const double second = m.kappa2 * (left > right ? left : right), fourth = m.kappa4 - second;
  return {0.25 * (std::abs(here.s.u[d]) + sound(m, here.s) + std::abs(there.s.u[d]) + sound(m, there.s)), second,
          fourth > 0 ? fourth : 0};
}

SPEEDWELL_HD
inline double face_strength(const Medium& m, const Flow& flow, Site at, int d) {
  const double before = fluid(m, flow, moved(m, at, d, -1)).pressure,
               after = fluid(m, flow, moved(m, at, d, 2)).pressure;
  return dissipation(m, d, before, fluid(m, flow, at), fluid(m, flow, moved(m, at, d, 1)), after).strength();
}

/// The flux through the face between `at` and its neighbour along d: convection, dissipation and viscous terms.
SPEEDWELL_HD
inline void face_flux(const Medium& m, const Flow& flow, Site at, int d, double f[5]) {
  const Site next = moved(m, at, d, 1);
  const Fluid before = fluid(m, flow, moved(m, at, d, -1)), here = fluid(m, flow, at), there = fluid(m, flow, next),
              after = fluid(m, flow, moved(m, at, d, 2));
  const FaceDissipation s = dissipation(m, d, before.pressure, here, there, after.pressure);
  const auto dissipated = [&](double b, double h, double t, double a) {
    return s.half_lambda * (s.second * (t - h) - s.fourth * (a - 3 * t + 3 * h - b));
  };
  const double flow_here = here.rho * here.s.u[d], flow_there = there.rho * there.s.u[d];
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
  double work = m.heat * (internal(there.s) - internal(here.s)) * m.per[d];
  const auto along = [&](int c, int t) {  // the derivative of velocity c along t, at the face
    return 0.25 * m.per[t] *
           ((flow.velocity(moved(m, at, t, 1), c) - flow.velocity(moved(m, at, t, -1), c)) +
            (flow.velocity(moved(m, next, t, 1), c) - flow.velocity(moved(m, next, t, -1), c)));
  };
  for (int c = 0; c < 3; ++c) {
    const double a = c == d ? 4.0 / 3.0 : 1.0, mean = 0.5 * (here.s.u[c] + there.s.u[c]);
    const double normal = a * (there.s.u[c] - here.s.u[c]) * m.per[d];
    double cross = 0;
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

/// -dt R at a point.
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
SPEEDWELL_HD
inline void add_jacobians(const Medium& m, const Specific& s, int d, double scale_a, double scale_g, const double x[5],
                          double y[5]) {
  double du[3], du_u = 0;  // of the velocities, times the density
  for (int c = 0; c < 3; ++c) {
    du[c] = x[c + 1] - s.u[c] * x[0];
    du_u += s.u[c] * du[c];
  }
  const double phi = 0.5 * square(s.u);
  const double dp = (m.gamma - 1) * (x[4] - du_u - phi * x[0]);
  const double enthalpy = m.gamma * s.energy - (m.gamma - 1) * phi;
  const double ga = scale_g * s.volume;
  y[0] += scale_a * x[d + 1];
  for (int c = 0; c < 3; ++c) {
    const double a = c == d ? 4.0 / 3.0 : 1.0;
    y[c + 1] += scale_a * (s.u[c] * du[d] + s.u[d] * x[c + 1]) + ga * a * du[c];
  }
  y[d + 1] += scale_a * dp;
  y[4] += scale_a * (s.u[d] * (x[4] + dp) + enthalpy * du[d]) +
          ga * (du_u + s.u[d] * du[d] / 3 + m.heat * (x[4] - du_u - s.energy * x[0]));
}

/// y = A x at a point: x(site, c) is anything that can be called so, strength[d] those of the faces after each point.
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

/// The 175 entries of a point to store(entry, value): the block of the point, then of its neighbours at -x, +x, -y, +y,
/// -z, +z; rows of columns.
template <class Store>
SPEEDWELL_HD
inline void assemble(const Medium& m, const Weights& w, const Flow& flow, const double* strength, Site at,
                     const Store& store) {
  double faces = 0;
  const Specific here = flow.specific(at);
  for (int d = 0; d < 3; ++d)
    for (int side = 0; side < 2; ++side) {
      const Site to = moved(m, at, d, side == 0 ? -1 : 1);
      const double face = w.dissipation[d] * strength[d * m.stride + (side == 0 ? to.p : at.p)];
      faces += face;
      const Specific there = flow.specific(to);
      for (int column = 0; column < 5; ++column) {
        double unit[5] = {}, y[5] = {};
        unit[column] = 1;
        add_jacobians(m, there, d, side == 0 ? -w.convection[d] : w.convection[d], -w.diffusion[d], unit, y);
        y[column] -= face;
        for (int row = 0; row < 5; ++row) store((1 + 2 * d + side) * 25 + row * 5 + column, y[row]);
      }
    }
  for (int column = 0; column < 5; ++column) {
    double unit[5] = {}, y[5] = {};
    unit[column] = 1;
    y[column] = 1 + faces;
    for (int d = 0; d < 3; ++d) add_jacobians(m, here, d, 0, 2 * w.diffusion[d], unit, y);
    for (int row = 0; row < 5; ++row) store(row * 5 + column, y[row]);
  }
}

}  // namespace speedwell::blast_wave
