// Processes rows of sites, a vector of sites at a time. Vectors at the ends of a row, where neighbours are at the
// periodic end or behind a wall, are assembled lane by lane.
#include "speedwell/apps/binary_fluid/cpu_rows.hpp"

#include "speedwell/apps/binary_fluid/cpu_lanes.hpp"

namespace speedwell::binary_fluid::SPEEDWELL_ISA {
namespace {

constexpr signed char cx[velocities] = {0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1};

/// Populations that arrive at the `lanes` sites from i on, whose neighbours are all within the row.
template <class S, class R>
struct Inside {
  const Row<S>& row;
  int i;
  Vector<R> take(S* const (&come)[velocities], S* const (&)[velocities], int p) const {
    return load<S, R>(come[p] + i + row.shift[p]);
  }
  void give(S* const (&come)[velocities], S* const (&)[velocities], int p, Vector<R> v) const {
    store<S, R>(come[p] + i + row.shift[p], v);
  }
  Vector<R> push(int) const { return Vector<R>{}; }
  Vector<R> near(const R* values, int dx) const { return core::simd::load(values + i + dx); }
};

/// A whole vector at one end of a row, or at both: the neighbour of one lane is at the periodic end or behind a wall.
template <class S, class R>
struct End {
  static constexpr int lanes_in_all = width<R>;
  const Row<S>& row;
  int i;
  bool first, last;

  bool around_low(int shift) const { return shift < 0 && first; }
  bool around_high(int shift) const { return shift > 0 && last; }
  S* low(S* const (&come)[velocities], S* const (&own)[velocities], int p) const {
    return row.x_walls ? own[p] : come[p] + row.n - 1;
  }
  S* high(S* const (&come)[velocities], S* const (&own)[velocities], int p) const {
    return row.x_walls ? own[p] + row.n - 1 : come[p];
  }
  Vector<R> take(S* const (&come)[velocities], S* const (&own)[velocities], int p) const {
    const int shift = row.shift[p];
    if (around_low(shift)) return core::simd::shifted_in(load<S, R>(come[p] + i), static_cast<R>(*low(come, own, p)));
    if (around_high(shift)) return shifted_out(load<S, R>(come[p] + i), static_cast<R>(*high(come, own, p)));
    return load<S, R>(come[p] + i + shift);
  }
  void give(S* const (&come)[velocities], S* const (&own)[velocities], int p, Vector<R> v) const {
    const int shift = row.shift[p];
    if (!around_low(shift) && !around_high(shift)) return store<S, R>(come[p] + i + shift, v);
    S values[lanes_in_all];
    store<S, R>(values, v);
    constexpr int others = lanes_in_all - 1;
    if (shift < 0) {
      *low(come, own, p) = values[0];
      __builtin_memcpy(come[p] + i, values + 1, others * sizeof(S));
    } else {
      *high(come, own, p) = values[others];
      __builtin_memcpy(come[p] + i + 1, values, others * sizeof(S));
    }
  }
  Vector<R> push(int p) const {
    Vector<R> v{};
    if (!row.x_walls) return v;
    if (first && cx[p] > 0) v[0] = static_cast<R>(row.push_x[0][p]);
    if (last && cx[p] < 0) v[lanes_in_all - 1] = static_cast<R>(row.push_x[1][p]);
    return v;
  }
  Vector<R> near(const R* values, int dx) const {
    if (around_low(dx))
      return core::simd::shifted_in(core::simd::load(values + i), values[row.x_walls ? 0 : row.n - 1]);
    if (around_high(dx)) return shifted_out(core::simd::load(values + i), values[row.x_walls ? row.n - 1 : 0]);
    return core::simd::load(values + i + dx);
  }

 private:
  /// Moves every value one lane down; the last lane becomes `value`.
  static Vector<R> shifted_out(Vector<R> v, R value) {
    R values[lanes_in_all + 1];
    core::simd::store(values, v);
    values[lanes_in_all] = value;
    return core::simd::load(values + 1);
  }
};

/// Fewer sites than a vector has lanes: the neighbours of each are found separately.
template <class S, class R>
struct Edge {
  const Row<S>& row;
  int i, lanes;

  S* element(S* const (&come)[velocities], S* const (&own)[velocities], int p, int at) const {
    const int from = at + row.shift[p];
    if (from >= 0 && from < row.n) return come[p] + from;
    if (row.x_walls) return own[p] + at;
    return come[p] + (from < 0 ? from + row.n : from - row.n);
  }
  Vector<R> take(S* const (&come)[velocities], S* const (&own)[velocities], int p) const {
    Vector<R> v{};
    for (int l = 0; l < lanes; ++l) v[l] = static_cast<R>(*element(come, own, p, i + l));
    return v;
  }
  void give(S* const (&come)[velocities], S* const (&own)[velocities], int p, Vector<R> v) const {
    for (int l = 0; l < lanes; ++l) *element(come, own, p, i + l) = static_cast<S>(v[l]);
  }
  Vector<R> push(int p) const {
    Vector<R> v{};
    if (!row.x_walls || cx[p] == 0) return v;
    for (int l = 0; l < lanes; ++l) {
      const int from = i + l - cx[p];
      if (from < 0 || from >= row.n) v[l] = static_cast<R>(row.push_x[from < 0 ? 0 : 1][p]);
    }
    return v;
  }
  Vector<R> near(const R* values, int dx) const {
    Vector<R> v{};
    for (int l = 0; l < lanes; ++l) {
      int at = i + l + dx;
      if (at < 0) at = row.x_walls ? 0 : row.n - 1;
      if (at >= row.n) at = row.x_walls ? row.n - 1 : 0;
      v[l] = values[at];
    }
    return v;
  }
};

// The inner vectors of a row first, then those at its ends.
template <class S, class R, class Body>
void along(const Row<S>& row, const Body& body) {
  constexpr int lanes = width<R>;
  for (int i = 0; i < row.n; i += lanes) {
    if (i > 0 && i + lanes < row.n)
      body(Inside<S, R>{row, i});
    else if (i + lanes <= row.n)
      body(End<S, R>{row, i, i == 0, i + lanes == row.n});
    else
      body(Edge<S, R>{row, i, row.n - i < lanes ? row.n - i : lanes});
  }
}

template <class S, class R>
void phi_row(const Row<S>& row, R* phi) {
  along<S, R>(row, [&](const auto& at) {
    Vector<R> g[velocities];
    for (int p = 0; p < velocities; ++p) g[p] = at.take(row.g_come, row.g_own, p);
    const Vector<R> sum = phi_of(g);
    if constexpr (requires { at.lanes; }) {
      for (int l = 0; l < at.lanes; ++l) phi[at.i + l] = sum[l];
    } else {
      core::simd::store(phi + at.i, sum);
    }
  });
}

template <class R, class At>
Differences<Vector<R>> differences_at(Stencil stencil, const At& at, const Stack<R>& field) {
  return differences<Vector<R>>(stencil, [&](int x, int y, int z) { return at.near(field.row[1 + y][1 + z], x); });
}

template <class S, class R>
void laplacian_row(Stencil stencil, int n, bool x_walls, const Stack<R>& field, R* laplacian) {
  Row<S> row;
  row.n = n;
  row.x_walls = x_walls;
  along<S, R>(row, [&](const auto& at) {
    const Vector<R> value = differences_at<R>(stencil, at, field).laplacian;
    if constexpr (requires { at.lanes; }) {
      for (int l = 0; l < at.lanes; ++l) laplacian[at.i + l] = value[l];
    } else {
      core::simd::store(laplacian + at.i, value);
    }
  });
}

template <class S, class R>
void collide_row(const Coefficients<R>& k, const Row<S>& row, const Stack<R>& phi, const Stack<R>& laplacian) {
  const Stencil stencil = k.twenty_seven ? Stencil::twenty_seven : Stencil::seven;
  along<S, R>(row, [&](const auto& at) {
    Vector<R> f[velocities], g[velocities];
    for (int p = 0; p < velocities; ++p) {
      f[p] = at.take(row.f_come, row.f_own, p);
      g[p] = at.take(row.g_come, row.g_own, p);
    }
    const Differences<Vector<R>> d = differences_at<R>(stencil, at, phi);
    Differences<Vector<R>> second;
    if (k.brazovskii) second = differences_at<R>(stencil, at, laplacian);
    collide_populations(k, d, second, f, g);
    for (int p = 0; p < velocities; ++p) {
      const int back = p == 0 ? 0 : 19 - p;
      if (row.moving) f[p] = f[p] + (static_cast<R>(row.push[back]) + at.push(back));
      at.give(row.f_come, row.f_own, back, f[p]);
      at.give(row.g_come, row.g_own, back, g[p]);
    }
  });
}

template <class S, class R>
RowKernels<S, R> kernels() {
  return {phi_row<S, R>, laplacian_row<S, R>, collide_row<S, R>};
}

}  // namespace

RowKernels<double, double> kernels_f64() { return kernels<double, double>(); }
RowKernels<float, float> kernels_f32() { return kernels<float, float>(); }
RowKernels<float, double> kernels_mixed() { return kernels<float, double>(); }

}  // namespace speedwell::binary_fluid::SPEEDWELL_ISA
