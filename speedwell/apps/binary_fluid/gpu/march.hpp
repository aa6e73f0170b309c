// Time steps that store moments instead of populations. A block of threads marches along z with a tile of columns and
// the ring of columns around it, one column per thread. In each plane, emit() computes the outgoing populations of the
// thread's site and passes those that leave the column to other threads through shared memory; after a barrier,
// absorb() accumulates the incoming ones: the moments of a site start with the populations from the plane below and are
// complete with those from the plane above. Each of the two is the work of one thread between two barriers, so that
// tests can execute a block on the host. Boxes are periodic.
#pragma once

#include "speedwell/apps/binary_fluid/gpu/collided.hpp"
#include "speedwell/apps/binary_fluid/lattice/lattice.hpp"

namespace speedwell::binary_fluid {

/// The velocities other than 0, 9 and 10 (at rest, up and down) lead to another column: sixteen, each with a slot in
/// shared memory.
constexpr int crossing = 16;
SPEEDWELL_HD
constexpr int crossing_slot(int p) { return p < 9 ? p - 1 : p - 3; }
SPEEDWELL_HD
constexpr bool crosses(int p) { return p != 0 && p != 9 && p != 10; }

/// The columns of a block: TX x TY of them, whose results are stored, and a ring of columns around these.
template <int TX, int TY>
struct Tile {
  static constexpr int tx = TX, ty = TY;
  static constexpr int width = TX + 2, lanes = width * (TY + 2);
  static constexpr int threads = (lanes + 31) / 32 * 32;
};

/// The column of sites of a thread.
struct Column {
  std::int32_t start = 0;  // index of the site in plane 0
  std::int16_t x = 0, y = 0;
  bool has = false, inner = false;  // has: the thread has a column; inner: it is in the tile and in the box

  /// The column of thread `lane` of a block whose tile T begins at (x0, y0). Columns outside of the box wrap around.
  template <class T>
  SPEEDWELL_HD
  static Column of(const Domain& box, T, int lane, int x0, int y0) {
    Column c;
    const int lx = lane % T::width - 1, ly = lane / T::width - 1;
    c.has = lane < T::lanes;
    c.inner = c.has && lx >= 0 && lx < T::tx && ly >= 0 && ly < T::ty && x0 + lx < box.n[0] && y0 + ly < box.n[1];
    const int x = (x0 + lx + box.n[0]) % box.n[0], y = (y0 + ly + box.n[1]) % box.n[1];
    c.x = static_cast<std::int16_t>(x);
    c.y = static_cast<std::int16_t>(y);
    c.start = x + box.n[0] * y;
    return c;
  }
};
/// The plane k of a periodic box of n planes, for -n <= k < 2 n.
SPEEDWELL_HD
inline int wrapped(int k, int n) { return k < 0 ? k + n : k >= n ? k - n : k; }

/// Writes the populations of a thread's site that leave its column to shared memory, which has `crossing` rows of
/// T::lanes values.
template <class T, class R>
SPEEDWELL_HD
inline void share(const R (&out)[velocities], R* shared, int t) {
#pragma unroll
  for (int p = 0; p < velocities; ++p)
    if (crosses(p)) shared[crossing_slot(p) * T::lanes + t] = out[p];
}
/// Population p that arrives at the column of thread t from the one that it has left.
template <class T, class R>
SPEEDWELL_HD
inline R arriving(const R* shared, int t, int p) {
  return shared[crossing_slot(p) * T::lanes + t - lattice::c(p, 0) - lattice::c(p, 1) * T::width];
}

/// One time step: from the sites after a collision (collided.hpp), `from`, and `phi` of the sites after their
/// propagation, as PhiMarch computes it, to the sites after the next collision, `to`. `stride`: elements between
/// fields.
template <class S, class R, class T>
struct StepMarch {
  Domain box;
  Coefficients<R> k;
  const S* from;
  S* to;
  const R* phi;
  std::int64_t stride;

  struct Lane {
    Column column;
    R f[3], g[3];          // populations that stay in the column: at rest, up, down
    Moments<R> low, here;  // incomplete moments: of the plane below the last one processed, and of that plane
  };
  static constexpr std::size_t shared_words = std::size_t{2} * crossing * T::lanes;  // elements of type R

  SPEEDWELL_HD
  void emit(Lane& lane, int t, int plane, R* shared) const {
    const std::int64_t site = lane.column.start + std::int64_t{box.n[0]} * box.n[1] * wrapped(plane, box.n[2]);
    const Collided<R> c = load_collided<S, R>(from, stride, site);
    R out[velocities];
    expand(quadratic_f(c), out);
    keep(out, lane.f, shared, t);
    expand(quadratic_g(k, c), out);
    out[0] = out[0] + c.phi;
    keep(out, lane.g, shared + crossing * T::lanes, t);
  }
  /// Adds the populations that arrive from `plane`. This completes the plane below, which is stored if it is one of the
  /// planes [z0, z1).
  SPEEDWELL_HD
  void absorb(Lane& lane, int t, int plane, int z0, int z1, const R* shared) const {
    R f[velocities], g[velocities];
    take(lane.f, shared, t, f);
    take(lane.g, shared + crossing * T::lanes, t, g);
    add_from_above(f, g, lane.low);
    if (plane - 1 >= z0 && plane - 1 < z1) finish(lane, plane - 1);
    add_from_same_plane(f, g, lane.here);
    lane.low = lane.here;
    lane.here = begin_from_below(f, g);
  }

 private:
  SPEEDWELL_HD
  static void keep(const R (&out)[velocities], R (&own)[3], R* shared, int t) {
    own[0] = out[0], own[1] = out[9], own[2] = out[10];
    share<T>(out, shared, t);
  }
  SPEEDWELL_HD
  static void take(const R (&own)[3], const R* shared, int t, R (&in)[velocities]) {
    in[0] = own[0], in[9] = own[1], in[10] = own[2];
#pragma unroll
    for (int p = 0; p < velocities; ++p)
      if (crosses(p)) in[p] = arriving<T>(shared, t, p);
  }
  SPEEDWELL_HD
  void finish(Lane& lane, int plane) const {
    settle(lane.low);
    const Near near(box, lane.column.x, lane.column.y, plane);
    const Differences<R> d =
        differences<R>(k.stencil(), [&](int dx, int dy, int dz) { return phi[near.site(dx, dy, dz)]; });
    store_collided(to, stride, near.site(0, 0, 0), collide(k, lane.low, d, Differences<R>{}));
  }
};

/// Computes `phi` of every site after the propagation of the sites after a collision, `from`; `stride`: elements
/// between fields.
template <class S, class R, class T>
struct PhiMarch {
  Domain box;
  Coefficients<R> k;
  const S* from;
  R* phi;
  std::int64_t stride;

  struct Lane {
    Column column;
    R g[3];       // populations that stay in the column: at rest, up, down
    R low, here;  // incomplete phi: of the plane below the last one processed, and of that plane
  };
  static constexpr std::size_t shared_words = std::size_t{crossing} * T::lanes;  // elements of type R

  SPEEDWELL_HD
  void emit(Lane& lane, int t, int plane, R* shared) const {
    const std::int64_t site = lane.column.start + std::int64_t{box.n[0]} * box.n[1] * wrapped(plane, box.n[2]);
    const Collided<R> c = load_collided<S, R>(from, stride, site);  // quadratic_g() does not use c.s: it is not loaded
    R out[velocities];
    expand(quadratic_g(k, c), out);
    lane.g[0] = out[0] + c.phi, lane.g[1] = out[9], lane.g[2] = out[10];
    share<T>(out, shared, t);
  }
  SPEEDWELL_HD
  void absorb(Lane& lane, int t, int plane, int z0, int z1, const R* shared) const {
    const auto in = [&](int p) { return arriving<T>(shared, t, p); };
    // Adds in the order of phi_of(), so that the bits are the same.
    const R complete = lane.low + (((in(4) + in(17)) + (in(8) + in(13))) + lane.g[2]);
    if (plane - 1 >= z0 && plane - 1 < z1)
      phi[lane.column.start + std::int64_t{box.n[0]} * box.n[1] * (plane - 1)] = complete;
    lane.low =
        lane.here + ((((in(3) + in(16)) + (in(7) + in(12))) + ((in(1) + in(18)) + (in(5) + in(14)))) + lane.g[0]);
    lane.here = ((in(2) + in(15)) + (in(6) + in(11))) + lane.g[1];
  }
};

}  // namespace speedwell::binary_fluid
