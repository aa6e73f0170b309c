// The discrete operators for all fast code: convection and diffusion of the velocity through a face, the divergence of
// a cell, the gradient across a face. Fields can be any callable u(i,j,k); ghost cells follow from the boundary
// conditions (a periodic neighbour; 2 u_wall - u inside at a wall, so that plain differences give the wall's stress).
// Internal linkage: this is compiled for several instruction sets (core/isa.hpp).
#pragma once

#include "speedwell/core/host_device.hpp"

// A loop over cells is vectorised only if all calls in it are inlined.
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

struct CellPosition {
  int i, j, k;
};
template <int Axis>
SPEEDWELL_HD
SPEEDWELL_ALWAYS_INLINE CellPosition stepped(CellPosition p, int by) {
  return {p.i + (Axis == 0 ? by : 0), p.j + (Axis == 1 ? by : 0), p.k + (Axis == 2 ? by : 0)};
}
template <int Axis>
SPEEDWELL_HD
SPEEDWELL_ALWAYS_INLINE int along(CellPosition p) { return Axis == 0 ? p.i : Axis == 1 ? p.j : p.k; }
template <int Axis, class U, class V, class W>
SPEEDWELL_HD
SPEEDWELL_ALWAYS_INLINE auto component(const U& u, const V& v, const W& w, CellPosition p) {
  if constexpr (Axis == 0)
    return u(p.i, p.j, p.k);
  else if constexpr (Axis == 1)
    return v(p.i, p.j, p.k);
  else
    return w(p.i, p.j, p.k);
}

/// The flux through the face on the high side along B of the momentum volume of component C at p, per area of the face
/// and, if B is another axis, per distance between the volume's two cells: m (u_P + u_N) / 2 - nu (u_N - u_P) /
/// distance.
template <int C, int B, class T, template <class> class Mesh, class U, class V, class W>
SPEEDWELL_HD
SPEEDWELL_ALWAYS_INLINE T flux(const Mesh<T>& m, T viscosity, const U& u, const V& v, const W& w, CellPosition p) {
  const T own = component<C>(u, v, w, p), after = component<C>(u, v, w, stepped<B>(p, 1));
  const int c = along<C>(p), b = along<B>(p);
  if constexpr (B == C) {
    const T mean = T(0.5) * (own + after);
    return mean * mean - viscosity * m.axis[C].inverse_width[c + 1] * (after - own);
  } else {
    const T quarter = T(0.25) * m.axis[C].inverse_distance[c];
    const T mass = quarter * m.axis[C].width[c] * component<B>(u, v, w, p) +
                   quarter * m.axis[C].width[c + 1] * component<B>(u, v, w, stepped<C>(p, 1));
    return mass * (own + after) - viscosity * m.axis[B].inverse_distance[b] * (after - own);
  }
}
/// The factor of a difference of fluxes along B in the momentum volume of C at p.
template <int C, int B, class T, template <class> class Mesh>
SPEEDWELL_HD
SPEEDWELL_ALWAYS_INLINE T inverse_depth(const Mesh<T>& m, CellPosition p) {
  return B == C ? m.axis[C].inverse_distance[along<C>(p)] : m.axis[B].inverse_width[along<B>(p)];
}

template <int C, int B, class T, template <class> class Mesh, class U, class V, class W>
SPEEDWELL_HD
SPEEDWELL_ALWAYS_INLINE T inflow(const Mesh<T>& m, T viscosity, const U& u, const V& v, const W& w, CellPosition p) {
  return inverse_depth<C, B>(m, p) *
         (flux<C, B>(m, viscosity, u, v, w, stepped<B>(p, -1)) - flux<C, B>(m, viscosity, u, v, w, p));
}
/// Minus convection plus diffusion of the velocity through the face of axis C on the high side of cell p.
template <int C, class T, template <class> class Mesh, class U, class V, class W>
SPEEDWELL_HD
SPEEDWELL_ALWAYS_INLINE T momentum(const Mesh<T>& m, T viscosity, const U& u, const V& v, const W& w, CellPosition p) {
  return inflow<C, 0>(m, viscosity, u, v, w, p) + inflow<C, 1>(m, viscosity, u, v, w, p) +
         inflow<C, 2>(m, viscosity, u, v, w, p);
}

/// Diffusion over viscosity of a component through faces of axis C.
template <int C, int B, class T, template <class> class Mesh, class Own>
SPEEDWELL_HD
SPEEDWELL_ALWAYS_INLINE T second_difference(const Mesh<T>& m, const Own& u, CellPosition p) {
  const auto value = [&](CellPosition q) { return u(q.i, q.j, q.k); };
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
SPEEDWELL_ALWAYS_INLINE T diffusion(const Mesh<T>& m, const Own& u, CellPosition p) {
  return second_difference<C, 0>(m, u, p) + second_difference<C, 1>(m, u, p) + second_difference<C, 2>(m, u, p);
}

/// Outflow of cell p over its volume.
template <class T, template <class> class Mesh, class U, class V, class W>
SPEEDWELL_HD
SPEEDWELL_ALWAYS_INLINE T divergence(const Mesh<T>& m, const U& u, const V& v, const W& w, CellPosition p) {
  return (u(p.i, p.j, p.k) - u(p.i - 1, p.j, p.k)) * m.axis[0].inverse_width[p.i] +
         (v(p.i, p.j, p.k) - v(p.i, p.j - 1, p.k)) * m.axis[1].inverse_width[p.j] +
         (w(p.i, p.j, p.k) - w(p.i, p.j, p.k - 1)) * m.axis[2].inverse_width[p.k];
}

}  // namespace
}  // namespace speedwell::incompressible_flow
