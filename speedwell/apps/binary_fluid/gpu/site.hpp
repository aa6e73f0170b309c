// The work of one thread on one site, in functions that tests also call on the host, in any order of sites.
#pragma once

#include "speedwell/apps/binary_fluid/gpu/collided.hpp"
#include "speedwell/apps/binary_fluid/lattice/in_place.hpp"

namespace speedwell::binary_fluid::device {

/// Populations with `stride` between slots: in natural order, or in the order of in_place.hpp before an odd step.
template <class S>
struct Populations {
  S *f = nullptr, *g = nullptr;
  std::int64_t stride = 0;
  bool odd = false;
};

template <class S, class R>
SPEEDWELL_HD
inline void phi_site(const Domain& box, const Populations<S>& at, R* phi, int i, int j, int k) {
  const Surroundings around(box, i, j, k);
  R g[velocities];
#pragma unroll
  for (int p = 0; p < velocities; ++p) g[p] = static_cast<R>(at.g[around.index(p, at.odd, at.stride)]);
  phi[around.near.site(0, 0, 0)] = phi_of(g);
}

template <class R>
SPEEDWELL_HD
inline void laplacian_site(const Domain& box, Stencil stencil, const R* field, R* laplacian, int i, int j, int k) {
  const Near near(box, i, j, k);
  laplacian[near.site(0, 0, 0)] =
      differences<R>(stencil, [&](int x, int y, int z) { return field[near.site(x, y, z)]; }).laplacian;
}

/// Collision, and with `propagates` the propagation in place. Without it populations stay in natural order.
template <bool propagates, class S, class R>
SPEEDWELL_HD
inline void collide_site(const Domain& box, const Coefficients<R>& c, const Populations<S>& at, const R* phi,
                         const R* laplacian, int i, int j, int k) {
  const Surroundings around(box, i, j, k);
  const bool odd = propagates && at.odd;
  R f[velocities], g[velocities];
#pragma unroll
  for (int p = 0; p < velocities; ++p) {
    const std::int64_t index = around.index(p, odd, at.stride);
    f[p] = static_cast<R>(at.f[index]);
    g[p] = static_cast<R>(at.g[index]);
  }
  const auto differences_of = [&](const R* field) {
    return differences<R>(c.stencil(), [&](int x, int y, int z) { return field[around.near.site(x, y, z)]; });
  };
  const Differences<R> d = differences_of(phi);
  Differences<R> second;
  if (c.brazovskii) second = differences_of(laplacian);
  collide_populations(c, d, second, f, g);
#pragma unroll
  for (int p = 0; p < velocities; ++p) {
    const int back = propagates ? lattice::opposite(p) : p;
    const std::int64_t index = around.index(back, odd, at.stride);
    if (propagates && around.wall_bits != 0) f[p] = f[p] + static_cast<R>(around.push(box, back));
    at.f[index] = static_cast<S>(f[p]);
    at.g[index] = static_cast<S>(g[p]);
  }
}

/// Propagation to one site from a lattice in natural order to another.
template <class S>
SPEEDWELL_HD
inline void propagate_site(const Domain& box, const Populations<S>& from, const Populations<S>& to, int i, int j,
                           int k) {
  const Surroundings around(box, i, j, k);
  const std::int64_t here = around.near.site(0, 0, 0);
#pragma unroll
  for (int p = 0; p < velocities; ++p) {
    const int x = -lattice::c(p, 0), y = -lattice::c(p, 1), z = -lattice::c(p, 2);
    const bool wall = around.wall_bits != 0 && around.wall(x, y, z);
    const std::int64_t index =
        wall ? lattice::opposite(p) * from.stride + here : p * from.stride + around.near.site(x, y, z);
    to.f[p * to.stride + here] = from.f[index] + (wall ? static_cast<S>(around.push(box, p)) : S(0));
    to.g[p * to.stride + here] = from.g[index];
  }
}

/// Copies populations to natural order, or to another type.
template <class From, class To>
SPEEDWELL_HD
inline void copy_site(const Domain& box, const Populations<From>& from, const Populations<To>& to, int i, int j,
                      int k) {
  const Surroundings around(box, i, j, k);
  const std::int64_t here = around.near.site(0, 0, 0);
#pragma unroll
  for (int p = 0; p < velocities; ++p) {
    const std::int64_t index = around.index(p, from.odd, from.stride);
    to.f[p * to.stride + here] = static_cast<To>(from.f[index]);
    to.g[p * to.stride + here] = static_cast<To>(from.g[index]);
  }
}

/// Collides populations in natural order into a collided site.
template <class S, class R>
SPEEDWELL_HD
inline void enter_site(const Domain& box, const Coefficients<R>& c, const Populations<double>& from, const R* phi,
                       S* to, std::int64_t stride, int i, int j, int k) {
  const Near near(box, i, j, k);
  const std::int64_t here = near.site(0, 0, 0);
  R f[velocities], g[velocities];
#pragma unroll
  for (int p = 0; p < velocities; ++p) {
    f[p] = static_cast<R>(from.f[p * from.stride + here]);
    g[p] = static_cast<R>(from.g[p * from.stride + here]);
  }
  const Differences<R> d = differences<R>(c.stencil(), [&](int x, int y, int z) { return phi[near.site(x, y, z)]; });
  store_collided(to, stride, here, collide(c, moments_of(f, g), d, Differences<R>{}));
}

/// Propagates a collided site to populations in natural order.
template <class S, class R>
SPEEDWELL_HD
inline void leave_site(const Domain& box, const Coefficients<R>& c, const S* from, std::int64_t stride,
                       const Populations<double>& to, int i, int j, int k) {
  const Near near(box, i, j, k);
  R f[velocities], g[velocities];
  outgoing_populations(c, load_collided<S, R>(from, stride, near.site(0, 0, 0)), f, g);
#pragma unroll
  for (int p = 0; p < velocities; ++p) {
    const std::int64_t index = p * to.stride + near.site(lattice::c(p, 0), lattice::c(p, 1), lattice::c(p, 2));
    to.f[index] = static_cast<double>(f[p]);
    to.g[index] = static_cast<double>(g[p]);
  }
}

}  // namespace speedwell::binary_fluid::device
