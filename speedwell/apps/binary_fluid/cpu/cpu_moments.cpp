// Processes rows of collided sites, a vector of sites at a time. The last vector of a row is computed whole and stored
// in part.
#include "speedwell/apps/binary_fluid/cpu/cpu_moments.hpp"

#include "speedwell/apps/binary_fluid/cpu/cpu_lanes.hpp"
#include "speedwell/apps/binary_fluid/gpu/collided.hpp"
#include "speedwell/apps/binary_fluid/lattice/lattice.hpp"
#include "speedwell/numerics/streaming.hpp"

namespace speedwell::binary_fluid::SPEEDWELL_ISA {
namespace {

template <class S, class R>
void store_lanes(S* p, Vector<R> v, int lanes) {
  if (lanes >= width<R>) return store<S, R>(p, v);
  for (int l = 0; l < lanes; ++l) p[l] = static_cast<S>(v[l]);
}

template <class R>
void fill_ghosts(R* row, int n) {
  row[-1] = row[n - 1];
  row[n] = row[0];
}

template <class S, class R>
Collided<Vector<R>> load_sites(const S* from, std::int64_t stride) {
  Vector<R> v[collided_fields];
  for (int q = 0; q < collided_fields; ++q) v[q] = load<S, R>(from + q * stride);
  return {v[0], {v[1], v[2], v[3]}, {v[4], v[5], v[6], v[7], v[8], v[9]}, v[10], {v[11], v[12], v[13]}, v[14]};
}
template <class S, class R>
void store_sites(S* to, std::int64_t stride, const Collided<Vector<R>>& c, int lanes, bool streaming) {
  const Vector<R> v[collided_fields] = {c.r,    c.m[0], c.m[1], c.m[2], c.s[0], c.s[1], c.s[2], c.s[3],
                                        c.s[4], c.s[5], c.phi,  c.j[0], c.j[1], c.j[2], c.mu};
  if constexpr (sizeof(S) == sizeof(R))
    if (streaming && lanes >= width<R>) {
      for (int q = 0; q < collided_fields; ++q) numerics::streaming::store(to + q * stride, v[q]);
      return;
    }
  for (int q = 0; q < collided_fields; ++q) store_lanes<S, R>(to + q * stride, v[q], lanes);
}

template <class S, class R>
void leave(const Coefficients<R>& k, int n, Ghosts ghosts, const S* from, std::int64_t stride, R* f, R* g) {
  const std::int64_t pitch = row_pitch(n);
  const int beyond = ghosts == Ghosts::stored ? 1 : 0;
  for (int i = -beyond; i < n + beyond; i += width<R>) {
    const Collided<Vector<R>> c = load_sites<S, R>(from + i, stride);
    Vector<R> out[velocities];
    if (f) {
      expand(quadratic_f(c), out);
      for (int p = 0; p < velocities; ++p) core::simd::store(f + p * pitch + i, out[p]);
    }
    expand(quadratic_g(k, c), out);
    out[0] = out[0] + c.phi;
    for (int p = 0; p < velocities; ++p) core::simd::store(g + p * pitch + i, out[p]);
  }
  if (ghosts == Ghosts::stored) return;
  for (int p = 0; p < velocities; ++p) {
    if (lattice::c(p, 0) == 0) continue;
    if (f) fill_ghosts(f + p * pitch, n);
    fill_ghosts(g + p * pitch, n);
  }
}

template <class R>
void take(const Incoming<R>& in, int i, Vector<R> (&to)[velocities]) {
  for (int p = 0; p < velocities; ++p) to[p] = core::simd::load(in.of[p] + i);
}

// Adds in the order of phi_of().
template <class R>
void phi(int n, Ghosts ghosts, const Incoming<R>& in, R* low, R* here, R* out) {
  for (int i = 0; i < n; i += width<R>) {
    Vector<R> g[velocities];
    take(in, i, g);
    if (out) {
      const Vector<R> sum = core::simd::load(low + i) + (((g[4] + g[17]) + (g[8] + g[13])) + g[10]);
      store_lanes<R, R>(out + i, sum, ghosts == Ghosts::stored ? n - i : width<R>);
    }
    core::simd::store(low + i, core::simd::load(here + i) +
                                   ((((g[3] + g[16]) + (g[7] + g[12])) + ((g[1] + g[18]) + (g[5] + g[14]))) + g[0]));
    core::simd::store(here + i, ((g[2] + g[15]) + (g[6] + g[11])) + g[9]);
  }
  if (out && ghosts == Ghosts::periodic) fill_ghosts(out, n);
}

template <class R>
Moments<Vector<R>> load_moments(const R* p, std::int64_t pitch) {
  Moments<Vector<R>> m;
  const auto field = [&](int q) { return core::simd::load(p + q * pitch); };
  m.r = field(0);
  for (int d = 0; d < 3; ++d) m.m[d] = field(1 + d), m.j[d] = field(11 + d);
  for (int q = 0; q < 6; ++q) m.s[q] = field(4 + q);
  m.phi = field(10);
  return m;
}
template <class R>
void store_moments(R* p, std::int64_t pitch, const Moments<Vector<R>>& m) {
  core::simd::store(p, m.r);
  for (int d = 0; d < 3; ++d) {
    core::simd::store(p + (1 + d) * pitch, m.m[d]);
    core::simd::store(p + (11 + d) * pitch, m.j[d]);
  }
  for (int q = 0; q < 6; ++q) core::simd::store(p + (4 + q) * pitch, m.s[q]);
  core::simd::store(p + 10 * pitch, m.phi);
}

template <class R>
Differences<Vector<R>> differences_at(const Coefficients<R>& k, const Stack<R>& phi, int i) {
  return differences<Vector<R>>(k.stencil(),
                                [&](int x, int y, int z) { return core::simd::load(phi.row[1 + y][1 + z] + i + x); });
}

template <class S, class R>
void step(const Coefficients<R>& k, int n, const Incoming<R>& f_in, const Incoming<R>& g_in, R* low, R* here,
          const Stack<R>& phi, S* to, std::int64_t stride, bool streaming) {
  const std::int64_t pitch = row_pitch(n);
  for (int i = 0; i < n; i += width<R>) {
    Vector<R> f[velocities], g[velocities];
    take(f_in, i, f);
    take(g_in, i, g);
    if (to) {
      Moments<Vector<R>> ended = load_moments(low + i, pitch);
      add_from_above(f, g, ended);
      settle(ended);
      store_sites<S, R>(to + i, stride, collide(k, ended, differences_at(k, phi, i), Differences<Vector<R>>{}), n - i,
                        streaming);
    }
    Moments<Vector<R>> middle = load_moments(here + i, pitch);
    add_from_same_plane(f, g, middle);
    store_moments(low + i, pitch, middle);
    store_moments(here + i, pitch, begin_from_below(f, g));
  }
}

template <class S, class R>
void first_phi(int n, Ghosts ghosts, const S* g, std::int64_t stride, R* out) {
  for (int i = 0; i < n; ++i) {
    R values[velocities];
    for (int p = 0; p < velocities; ++p) values[p] = static_cast<R>(g[p * stride + i]);
    out[i] = phi_of(values);
  }
  if (ghosts == Ghosts::periodic) fill_ghosts(out, n);
}

template <class S, class R>
void first_step(const Coefficients<R>& k, int n, S* f_, const S* g_, std::int64_t stride, const Stack<R>& phi) {
  int i = 0;
  for (; i + width<R> <= n; i += width<R>) {
    Vector<R> f[velocities], g[velocities];
    for (int p = 0; p < velocities; ++p) {
      f[p] = load<S, R>(f_ + p * stride + i);
      g[p] = load<S, R>(g_ + p * stride + i);
    }
    store_sites<S, R>(f_ + i, stride, collide(k, moments_of(f, g), differences_at(k, phi, i), Differences<Vector<R>>{}),
                      width<R>, false);
  }
  for (; i < n; ++i) {
    R f[velocities], g[velocities];
    for (int p = 0; p < velocities; ++p) {
      f[p] = static_cast<R>(f_[p * stride + i]);
      g[p] = static_cast<R>(g_[p * stride + i]);
    }
    const Differences<R> d =
        differences<R>(k.stencil(), [&](int x, int y, int z) { return phi.row[1 + y][1 + z][i + x]; });
    store_collided(f_, stride, i, collide(k, moments_of(f, g), d, Differences<R>{}));
  }
}

template <class S, class R>
MomentKernels<S, R> kernels() {
  return {leave<S, R>, phi<R>, step<S, R>, first_phi<S, R>, first_step<S, R>, numerics::streaming::fence};
}

}  // namespace

MomentKernels<double, double> moments_f64() { return kernels<double, double>(); }
MomentKernels<float, float> moments_f32() { return kernels<float, float>(); }
MomentKernels<float, double> moments_mixed() { return kernels<float, double>(); }

}  // namespace speedwell::binary_fluid::SPEEDWELL_ISA
