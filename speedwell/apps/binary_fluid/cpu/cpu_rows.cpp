// Kernels for rows of sites, which are processed in SIMD vectors, one lane per site. Vectors at the ends of a row, some
// of whose neighbours are at the other end of a periodic row or behind a wall, have types of their own with the same
// functions: gather() and scatter() of populations, wall_term(), and the neighbours() of the sites in a row of values.
#include "speedwell/apps/binary_fluid/cpu/cpu_rows.hpp"

#include "speedwell/apps/binary_fluid/cpu/cpu_lanes.hpp"

namespace speedwell::binary_fluid::SPEEDWELL_ISA {
namespace {

// The x components of the velocities, in the order of lattice.hpp.
constexpr signed char cx[velocities] = {0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1};

/// A full vector of sites, from site i of the row on, whose neighbours are all within the row.
template <class S, class R>
struct InnerVector {
  const Row<S>& row;
  int i;
  Vector<R> gather(S* const (&incoming)[velocities], S* const (&)[velocities], int p) const {
    return load<S, R>(incoming[p] + i + row.shift[p]);
  }
  void scatter(S* const (&incoming)[velocities], S* const (&)[velocities], int p, Vector<R> v) const {
    store<S, R>(incoming[p] + i + row.shift[p], v);
  }
  Vector<R> wall_term(int) const { return Vector<R>{}; }
  Vector<R> neighbours(const R* values, int dx) const { return core::simd::load(values + i + dx); }
};

/// A full vector at one end of a row, or at both: a neighbour of its first or last lane is at the other end of the row
/// or behind a wall.
template <class S, class R>
struct EndVector {
  static constexpr int num_lanes = width<R>;
  const Row<S>& row;
  int i;
  bool first, last;

  bool crosses_low_end(int shift) const { return shift < 0 && first && row.ends.low != RowEnd::stored; }
  bool crosses_high_end(int shift) const { return shift > 0 && last && row.ends.high != RowEnd::stored; }
  S* low_element(S* const (&incoming)[velocities], S* const (&bounced)[velocities], int p) const {
    return row.ends.low == RowEnd::wall ? bounced[p] : incoming[p] + row.n - 1;
  }
  S* high_element(S* const (&incoming)[velocities], S* const (&bounced)[velocities], int p) const {
    return row.ends.high == RowEnd::wall ? bounced[p] + row.n - 1 : incoming[p];
  }
  Vector<R> gather(S* const (&incoming)[velocities], S* const (&bounced)[velocities], int p) const {
    const int shift = row.shift[p];
    if (crosses_low_end(shift))
      return core::simd::shifted_in(load<S, R>(incoming[p] + i), static_cast<R>(*low_element(incoming, bounced, p)));
    if (crosses_high_end(shift))
      return shifted_down(load<S, R>(incoming[p] + i), static_cast<R>(*high_element(incoming, bounced, p)));
    return load<S, R>(incoming[p] + i + shift);
  }
  void scatter(S* const (&incoming)[velocities], S* const (&bounced)[velocities], int p, Vector<R> v) const {
    const int shift = row.shift[p];
    if (!crosses_low_end(shift) && !crosses_high_end(shift)) return store<S, R>(incoming[p] + i + shift, v);
    S values[num_lanes];
    store<S, R>(values, v);
    constexpr int others = num_lanes - 1;
    if (shift < 0) {
      *low_element(incoming, bounced, p) = values[0];
      __builtin_memcpy(incoming[p] + i, values + 1, others * sizeof(S));
    } else {
      *high_element(incoming, bounced, p) = values[others];
      __builtin_memcpy(incoming[p] + i + 1, values, others * sizeof(S));
    }
  }
  Vector<R> wall_term(int p) const {
    Vector<R> v{};
    if (first && row.ends.low == RowEnd::wall && cx[p] > 0) v[0] = static_cast<R>(row.x_wall_term[0][p]);
    if (last && row.ends.high == RowEnd::wall && cx[p] < 0) v[num_lanes - 1] = static_cast<R>(row.x_wall_term[1][p]);
    return v;
  }
  Vector<R> neighbours(const R* values, int dx) const {
    if (crosses_low_end(dx))
      return core::simd::shifted_in(core::simd::load(values + i), values[row.ends.low == RowEnd::wall ? 0 : row.n - 1]);
    if (crosses_high_end(dx))
      return shifted_down(core::simd::load(values + i), values[row.ends.high == RowEnd::wall ? row.n - 1 : 0]);
    return core::simd::load(values + i + dx);
  }

 private:
  /// Moves every value one lane down and sets the last lane to `value`.
  static Vector<R> shifted_down(Vector<R> v, R value) {
    R values[num_lanes + 1];
    core::simd::store(values, v);
    values[num_lanes] = value;
    return core::simd::load(values + 1);
  }
};

/// The last vector of a row if fewer sites than lanes are left, `lanes` of them: the neighbours of each site are found
/// separately.
template <class S, class R>
struct PartialVector {
  const Row<S>& row;
  int i, lanes;

  /// Which kind of end the site `from` is beyond; RowEnd::stored also if it is within the row.
  RowEnd end_at(int from) const { return from < 0 ? row.ends.low : from >= row.n ? row.ends.high : RowEnd::stored; }
  S* element(S* const (&incoming)[velocities], S* const (&bounced)[velocities], int p, int at) const {
    const int from = at + row.shift[p];
    const RowEnd end = end_at(from);
    if (end == RowEnd::stored) return incoming[p] + from;
    if (end == RowEnd::wall) return bounced[p] + at;
    return incoming[p] + (from < 0 ? from + row.n : from - row.n);
  }
  Vector<R> gather(S* const (&incoming)[velocities], S* const (&bounced)[velocities], int p) const {
    Vector<R> v{};
    for (int l = 0; l < lanes; ++l) v[l] = static_cast<R>(*element(incoming, bounced, p, i + l));
    return v;
  }
  void scatter(S* const (&incoming)[velocities], S* const (&bounced)[velocities], int p, Vector<R> v) const {
    for (int l = 0; l < lanes; ++l) *element(incoming, bounced, p, i + l) = static_cast<S>(v[l]);
  }
  Vector<R> wall_term(int p) const {
    Vector<R> v{};
    if (cx[p] == 0) return v;
    for (int l = 0; l < lanes; ++l) {
      const int from = i + l - cx[p];
      if (end_at(from) == RowEnd::wall) v[l] = static_cast<R>(row.x_wall_term[from < 0 ? 0 : 1][p]);
    }
    return v;
  }
  Vector<R> neighbours(const R* values, int dx) const {
    Vector<R> v{};
    for (int l = 0; l < lanes; ++l) {
      int at = i + l + dx;
      const RowEnd end = end_at(at);
      if (end == RowEnd::wall) at = at < 0 ? 0 : row.n - 1;
      if (end == RowEnd::periodic) at = at < 0 ? row.n - 1 : 0;
      v[l] = values[at];
    }
    return v;
  }
};

// Calls body(vector) for each vector of the row, with one of the three types above.
template <class S, class R, class Body>
void for_each_vector(const Row<S>& row, const Body& body) {
  constexpr int lanes = width<R>;
  for (int i = 0; i < row.n; i += lanes) {
    if (i > 0 && i + lanes < row.n)
      body(InnerVector<S, R>{row, i});
    else if (i + lanes <= row.n)
      body(EndVector<S, R>{row, i, i == 0, i + lanes == row.n});
    else
      body(PartialVector<S, R>{row, i, row.n - i < lanes ? row.n - i : lanes});
  }
}

// A PartialVector is recognised by its member `lanes`, which the other two types lack; its lanes are stored one by one.
template <class S, class R>
void phi_row(const Row<S>& row, R* phi) {
  for_each_vector<S, R>(row, [&](const auto& at) {
    Vector<R> g[velocities];
    for (int p = 0; p < velocities; ++p) g[p] = at.gather(row.g_incoming, row.g_bounced, p);
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
  return differences<Vector<R>>(stencil,
                                [&](int x, int y, int z) { return at.neighbours(field.row[1 + y][1 + z], x); });
}

template <class S, class R>
void laplacian_row(Stencil stencil, int n, const RowEnds& ends, const Stack<R>& field, R* laplacian) {
  Row<S> row;
  row.n = n;
  row.ends = ends;
  for_each_vector<S, R>(row, [&](const auto& at) {
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
  for_each_vector<S, R>(row, [&](const auto& at) {
    Vector<R> f[velocities], g[velocities];
    for (int p = 0; p < velocities; ++p) {
      f[p] = at.gather(row.f_incoming, row.f_bounced, p);
      g[p] = at.gather(row.g_incoming, row.g_bounced, p);
    }
    const Differences<Vector<R>> d = differences_at<R>(stencil, at, phi);
    Differences<Vector<R>> second;
    if (k.brazovskii) second = differences_at<R>(stencil, at, laplacian);
    collide_populations(k, d, second, f, g);
    for (int p = 0; p < velocities; ++p) {
      const int back = p == 0 ? 0 : velocities - p;  // the index of the opposite velocity (lattice::opposite)
      if (row.moving_walls) f[p] = f[p] + (static_cast<R>(row.wall_term[back]) + at.wall_term(back));
      at.scatter(row.f_incoming, row.f_bounced, back, f[p]);
      at.scatter(row.g_incoming, row.g_bounced, back, g[p]);
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
