// The mathematics of one place, for all fast code: what convection and diffusion do to the velocity through a face, the
// divergence of a cell, the gradient across a face. Fields are anything that can be called as u(i,j,k); beyond the mesh
// they give what the edges say (a periodic neighbour; 2 u_wall - u inside a wall, so that plain differences make the
// wall's stress). Internal linkage: this is compiled for several instruction sets (core/isa.hpp).
#pragma once

#include "speedwell/core/host_device.hpp"

// A loop over cells becomes vectors only if nothing in it is a call.
#define SPEEDWELL_ALWAYS_INLINE inline __attribute__((always_inline))

namespace speedwell::incompressible_flow {

/// Tables of one axis, by cell, from -1 on.
template <class T>
struct AxisMetrics {
  const T* width;
  const T* inverse_width;
  const T* inverse_distance;  // between the centres of cells i and i + 1
  const T* link;              // the same where fluid passes between them, else 0: the pressure's
};
template <class T>
struct MeshMetrics {
  AxisMetrics<T> axis[3];
};

namespace {

struct Place {
  int i, j, k;
};
template <int Axis>
SPEEDWELL_HD
SPEEDWELL_ALWAYS_INLINE Place stepped(Place p, int by) {
  return {p.i + (Axis == 0 ? by : 0), p.j + (Axis == 1 ? by : 0), p.k + (Axis == 2 ? by : 0)};
}
template <int Axis>
SPEEDWELL_HD
SPEEDWELL_ALWAYS_INLINE int along(Place p) { return Axis == 0 ? p.i : Axis == 1 ? p.j : p.k; }
template <int Axis, class U, class V, class W>
SPEEDWELL_HD
SPEEDWELL_ALWAYS_INLINE auto component(const U& u, const V& v, const W& w, Place p) {
  if constexpr (Axis == 0)
    return u(p.i, p.j, p.k);
  else if constexpr (Axis == 1)
    return v(p.i, p.j, p.k);
  else
    return w(p.i, p.j, p.k);
}

template <class T>
struct Rates {
  T convection, diffusion;  // diffusion without the viscosity
};

// What crosses the two faces of the momentum volume of component C that are normal to B.
template <int C, int B, class T, template <class> class Mesh, class U, class V, class W>
SPEEDWELL_HD
SPEEDWELL_ALWAYS_INLINE void add_exchange(const Mesh<T>& m, const U& u, const V& v, const W& w, Place p,
                                          Rates<T>& rates) {
  const T half = T(0.5);
  const T own = component<C>(u, v, w, p);
  const T before = component<C>(u, v, w, stepped<B>(p, -1)), after = component<C>(u, v, w, stepped<B>(p, 1));
  const int c = along<C>(p), b = along<B>(p);
  const T inverse_distance = m.axis[C].inverse_distance[c];
  if constexpr (B == C) {
    const T low = half * (before + own), high = half * (own + after);
    rates.convection -= inverse_distance * (high * high - low * low);
    rates.diffusion += inverse_distance *
                       ((after - own) * m.axis[C].inverse_width[c + 1] - (own - before) * m.axis[C].inverse_width[c]);
  } else {
    const T width = m.axis[C].width[c], next_width = m.axis[C].width[c + 1];
    const Place beyond = stepped<C>(p, 1);
    const T mass_low = half * (component<B>(u, v, w, stepped<B>(p, -1)) * width +
                               component<B>(u, v, w, stepped<B>(beyond, -1)) * next_width);
    const T mass_high = half * (component<B>(u, v, w, p) * width + component<B>(u, v, w, beyond) * next_width);
    const T inverse_width = m.axis[B].inverse_width[b];
    rates.convection -=
        inverse_distance * inverse_width * (mass_high * half * (own + after) - mass_low * half * (before + own));
    rates.diffusion += inverse_width * ((after - own) * m.axis[B].inverse_distance[b] -
                                        (own - before) * m.axis[B].inverse_distance[b - 1]);
  }
}

/// Minus convection, and diffusion over viscosity, of the velocity through the face of axis C behind cell p.
template <int C, class T, template <class> class Mesh, class U, class V, class W>
SPEEDWELL_HD
SPEEDWELL_ALWAYS_INLINE Rates<T> momentum(const Mesh<T>& m, const U& u, const V& v, const W& w, Place p) {
  Rates<T> rates = {T(0), T(0)};
  add_exchange<C, 0>(m, u, v, w, p, rates);
  add_exchange<C, 1>(m, u, v, w, p, rates);
  add_exchange<C, 2>(m, u, v, w, p, rates);
  return rates;
}

/// Diffusion over viscosity of a component through faces of axis C.
template <int C, int B, class T, template <class> class Mesh, class Own>
SPEEDWELL_HD
SPEEDWELL_ALWAYS_INLINE T second_difference(const Mesh<T>& m, const Own& u, Place p) {
  const auto value = [&](Place q) { return u(q.i, q.j, q.k); };
  const T own = value(p), before = value(stepped<B>(p, -1)), after = value(stepped<B>(p, 1));
  const int b = along<B>(p);
  const auto& a = m.axis[B];
  if constexpr (B == C)
    return a.inverse_distance[b] * ((after - own) * a.inverse_width[b + 1] - (own - before) * a.inverse_width[b]);
  else
    return a.inverse_width[b] * ((after - own) * a.inverse_distance[b] - (own - before) * a.inverse_distance[b - 1]);
}
template <int C, class T, template <class> class Mesh, class Own>
SPEEDWELL_HD
SPEEDWELL_ALWAYS_INLINE T diffusion(const Mesh<T>& m, const Own& u, Place p) {
  return second_difference<C, 0>(m, u, p) + second_difference<C, 1>(m, u, p) + second_difference<C, 2>(m, u, p);
}

/// Outflow of cell p over its volume.
template <class T, template <class> class Mesh, class U, class V, class W>
SPEEDWELL_HD
SPEEDWELL_ALWAYS_INLINE T divergence(const Mesh<T>& m, const U& u, const V& v, const W& w, Place p) {
  return (u(p.i, p.j, p.k) - u(p.i - 1, p.j, p.k)) * m.axis[0].inverse_width[p.i] +
         (v(p.i, p.j, p.k) - v(p.i, p.j - 1, p.k)) * m.axis[1].inverse_width[p.j] +
         (w(p.i, p.j, p.k) - w(p.i, p.j, p.k - 1)) * m.axis[2].inverse_width[p.k];
}

}  // namespace
}  // namespace speedwell::incompressible_flow
