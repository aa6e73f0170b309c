// A cloudy column's equations: a layer has three regions (clear, stratiform, convective), each with its own
// reflection, transmission and sources, and at an interface the light of the regions on one side enters those on the
// other in proportion to the areas by which they overlap. Elimination from the top down and back substitution are
// those of column.hpp with 3 x 3 blocks (Edwards & Slingo 1996; solver_triple of FAMOUS, which eliminates upwards).
#pragma once

#include <cstdint>

#include "speedwell/apps/two_stream/two_stream.hpp"
#include "speedwell/core/host_device.hpp"

namespace speedwell::two_stream {

/// Clear, stratiform and convective, in this order.
inline constexpr int regions = 3;

/// A value of each region of a layer. Fluxes are those through the region's part of the column's area: the flux of a
/// column is their sum.
template <class V>
struct OfRegions {
  V of[regions];
};

template <class V>
SPEEDWELL_HD
V dot(const V* a, const V* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
template <class V>
SPEEDWELL_HD
V total(const OfRegions<V>& a) { return a.of[0] + a.of[1] + a.of[2]; }

/// The areas of the regions of a layer, whose sum is 1, and their reciprocals, 1 where the area is 0.
template <class V>
struct Areas {
  V of[regions], inverse[regions];
};

/// The areas of a layer with these cloudy fractions.
template <class M>
SPEEDWELL_HD
Areas<typename M::Value> areas(typename M::Value stratiform, typename M::Value convective) {
  using T = typename M::Scalar;
  using V = typename M::Value;
  const V clear = T(1) - stratiform - convective, zero = clear * T(0), one = zero + T(1);
  Areas<V> a{{M::select(clear > T(0), clear, zero), stratiform, convective}, {}};
  for (int r = 0; r < regions; ++r) a.inverse[r] = M::reciprocal(M::select(a.of[r] > T(0), a.of[r], one));
  return a;
}

/// The light that crosses an interface in one direction: of that of region j the share `leaves[j]` enters the regions
/// that are larger on the other side, region i with the share `enters[i]` of it; the rest stays in region j:
///   v_ij = (i == j) (1 - leaves[j]) + enters[i] leaves[j],   sum over i of v_ij = 1.
template <class V>
struct Crossing {
  V stays[regions], leaves[regions], enters[regions];
};

/// The coefficients v of downward and u of upward light at an interface.
template <class V>
struct Overlap {
  Crossing<V> down, up;
};

/// Maximum-random overlap (Geleyn & Hollingsworth 1979) as in the triple clouds of FAMOUS: regions of the same kind
/// overlap as far as their areas allow, and what is left of the regions of the upper layer overlaps what is left of
/// those of the lower layer at random:
///   area(k above, j below) = (k == j) min(a_k, b_k) + max(a_k - b_k, 0) max(b_j - a_j, 0) / sum of max(b - a, 0),
///   v_jk = area(k, j) / a_k downwards, u_kj = area(k, j) / b_j upwards.
/// The shares of light that leaves a region have the sum 1 in both directions: an interface conserves energy. Light in
/// a region of area 0 would stay in it; there is none.
template <class M>
SPEEDWELL_HD
Overlap<typename M::Value> overlap(const Areas<typename M::Value>& above, const Areas<typename M::Value>& below) {
  using T = typename M::Scalar;
  using V = typename M::Value;
  V shrinks[regions], grows[regions];
  for (int r = 0; r < regions; ++r) {
    const V more = below.of[r] - above.of[r], zero = more * T(0);
    grows[r] = M::select(more > T(0), more, zero);
    shrinks[r] = M::select(more > T(0), zero, -more);
  }
  // Both sums are the area that is not of the same kind on both sides, but for rounding.
  const V won = grows[0] + grows[1] + grows[2], lost = shrinks[0] + shrinks[1] + shrinks[2];
  const V one = won * T(0) + T(1);
  const V over_won = M::reciprocal(M::select(won > T(0), won, one));
  const V over_lost = M::reciprocal(M::select(lost > T(0), lost, one));
  Overlap<V> o;
  for (int r = 0; r < regions; ++r) {
    o.down.leaves[r] = shrinks[r] * above.inverse[r];
    o.down.stays[r] = T(1) - o.down.leaves[r];
    o.down.enters[r] = grows[r] * over_won;
    o.up.leaves[r] = grows[r] * below.inverse[r];
    o.up.stays[r] = T(1) - o.up.leaves[r];
    o.up.enters[r] = shrinks[r] * over_lost;
  }
  return o;
}

/// The light of the regions on the other side of the interface.
template <class V>
SPEEDWELL_HD
OfRegions<V> crossed(const Crossing<V>& c, const OfRegions<V>& light) {
  const V moves = dot(c.leaves, light.of);
  OfRegions<V> other;
  for (int i = 0; i < regions; ++i) other.of[i] = c.stays[i] * light.of[i] + c.enters[i] * moves;
  return other;
}
/// matrix * u, where u has the coefficients of a crossing.
template <class V>
SPEEDWELL_HD
void times_crossing(V (&matrix)[regions][regions], const Crossing<V>& u) {
  for (int i = 0; i < regions; ++i) {
    const V into = dot(matrix[i], u.enters);
    for (int j = 0; j < regions; ++j) matrix[i][j] = matrix[i][j] * u.stays[j] + into * u.leaves[j];
  }
}

/// The layers above a level of the regions: D_i = sum over j of reflected_ij U_j + emitted_i.
template <class V>
struct RegionsAbove {
  V reflected[regions][regions];
  OfRegions<V> emitted;
};

/// Moves a level from above an interface to below it: reflected becomes v reflected u, and emitted v emitted.
template <class V>
SPEEDWELL_HD
void cross(RegionsAbove<V>& above, const Overlap<V>& o) {
  times_crossing(above.reflected, o.up);
  for (int j = 0; j < regions; ++j) {
    OfRegions<V> column{{above.reflected[0][j], above.reflected[1][j], above.reflected[2][j]}};
    column = crossed(o.down, column);
    for (int i = 0; i < regions; ++i) above.reflected[i][j] = column.of[i];
  }
  above.emitted = crossed(o.down, above.emitted);
}

/// The factors of I - diag(factor) reflected, by elimination without pivoting: the columns of `reflected` are not
/// negative and have sums of at most 1, and factors are at most 1, so that the diagonal dominates each column.
template <class V>
struct Factors {
  V over[regions];              // reciprocals of the pivots
  V lower10, lower20, lower21;  // multipliers
  V upper01, upper02, upper12;  // rows above the diagonal

  SPEEDWELL_HD
  OfRegions<V> solve(const V (&rhs)[regions]) const {
    const V second = rhs[1] - lower10 * rhs[0], third = rhs[2] - lower20 * rhs[0] - lower21 * second;
    OfRegions<V> x;
    x.of[2] = third * over[2];
    x.of[1] = (second - upper12 * x.of[2]) * over[1];
    x.of[0] = (rhs[0] - upper01 * x.of[1] - upper02 * x.of[2]) * over[0];
    return x;
  }
};
template <class M>
SPEEDWELL_HD
Factors<typename M::Value> factors(const typename M::Value (&factor)[regions],
                                   const typename M::Value (&reflected)[regions][regions]) {
  using T = typename M::Scalar;
  Factors<typename M::Value> f;
  f.over[0] = M::reciprocal(T(1) - factor[0] * reflected[0][0]);
  f.upper01 = -(factor[0] * reflected[0][1]);
  f.upper02 = -(factor[0] * reflected[0][2]);
  f.lower10 = -(factor[1] * reflected[1][0]) * f.over[0];
  f.lower20 = -(factor[2] * reflected[2][0]) * f.over[0];
  f.over[1] = M::reciprocal(T(1) - factor[1] * reflected[1][1] - f.lower10 * f.upper01);
  f.upper12 = -(factor[1] * reflected[1][2]) - f.lower10 * f.upper02;
  f.lower21 = (-(factor[2] * reflected[2][1]) - f.lower20 * f.upper01) * f.over[1];
  f.over[2] = M::reciprocal(T(1) - factor[2] * reflected[2][2] - f.lower20 * f.upper02 - f.lower21 * f.upper12);
  return f;
}

/// A layer of three regions: reflection, transmission, and the light that its sources send out of its top and bottom.
template <class V>
struct RegionsLayer {
  V reflected[regions], transmitted[regions], up[regions], down[regions];
};

/// The equations at the top of an eliminated layer: U = from_below * (U at its bottom) + own, and the downward flux of
/// all regions together is reflected . U + emitted.
template <class V>
struct RegionsEliminated {
  V from_below[regions][regions];
  OfRegions<V> own;
  V reflected[regions], emitted;
};

/// Adds a layer, below an interface that has been crossed, to what is above.
template <class M>
SPEEDWELL_HD
RegionsEliminated<typename M::Value> eliminate_regions(RegionsAbove<typename M::Value>& above,
                                                       const RegionsLayer<typename M::Value>& layer) {
  using V = typename M::Value;
  RegionsEliminated<V> e;
  const Factors<V> f = factors<M>(layer.reflected, above.reflected);
  const V zero = layer.up[0] * typename M::Scalar(0);
  for (int j = 0; j < regions; ++j) {
    V column[regions] = {zero, zero, zero};
    column[j] = layer.transmitted[j];
    const OfRegions<V> x = f.solve(column);
    for (int i = 0; i < regions; ++i) e.from_below[i][j] = x.of[i];
    e.reflected[j] = above.reflected[0][j] + above.reflected[1][j] + above.reflected[2][j];
  }
  V source[regions];
  for (int i = 0; i < regions; ++i) source[i] = layer.up[i] + layer.reflected[i] * above.emitted.of[i];
  e.own = f.solve(source);
  e.emitted = total(above.emitted);
  for (int i = 0; i < regions; ++i) {
    V next[regions];
    for (int j = 0; j < regions; ++j) {
      const V through = above.reflected[i][0] * e.from_below[0][j] + above.reflected[i][1] * e.from_below[1][j] +
                        above.reflected[i][2] * e.from_below[2][j];
      next[j] = layer.transmitted[i] * through;
    }
    next[i] = next[i] + layer.reflected[i];
    above.emitted.of[i] =
        layer.down[i] + layer.transmitted[i] * (above.emitted.of[i] + dot(above.reflected[i], e.own.of));
    for (int j = 0; j < regions; ++j) above.reflected[i][j] = next[j];
  }
  return e;
}

/// U at the ground, which reflects the light of each region into the same region; own: what it sends out itself.
template <class M>
SPEEDWELL_HD
OfRegions<typename M::Value> ground_of_regions(const RegionsAbove<typename M::Value>& above, typename M::Value albedo,
                                               const OfRegions<typename M::Value>& own) {
  using V = typename M::Value;
  const V factor[regions] = {albedo, albedo, albedo};
  V rhs[regions];
  for (int r = 0; r < regions; ++r) rhs[r] = albedo * above.emitted.of[r] + own.of[r];
  return factors<M>(factor, above.reflected).solve(rhs);
}

/// A column of regions during elimination, at the bottom of a layer. from_below: of that layer, for the regions at its
/// bottom; enter() changes it to those of the next layer's top. beam: the direct flux.
template <class V>
struct RegionsColumn {
  RegionsAbove<V> above;
  Areas<V> areas;
  OfRegions<V> beam;
  V from_below[regions][regions];
};

/// The column below the layers with one region.
template <class V>
SPEEDWELL_HD
RegionsColumn<V> clear_column(V reflected, V emitted, V beam, V zero, V one) {
  return {{{{reflected, zero, zero}, {zero, zero, zero}, {zero, zero, zero}}, {{emitted, zero, zero}}},
          {{one, zero, zero}, {one, one, one}},
          {{beam, zero, zero}},
          {{zero, zero, zero}, {zero, zero, zero}, {zero, zero, zero}}};
}

/// Crosses the interface to a layer with these areas.
template <class M>
SPEEDWELL_HD
void enter(RegionsColumn<typename M::Value>& column, const Areas<typename M::Value>& below) {
  const Overlap<typename M::Value> o = overlap<M>(column.areas, below);
  cross(column.above, o);
  times_crossing(column.from_below, o.up);
  column.beam = crossed(o.down, column.beam);
  column.areas = below;
}

/// Values of an eliminated layer that wait for back substitution; of one with a single region, and of one with three.
inline constexpr int values_of_layer = 4, values_of_regions = 16;
/// Values before those of layer i, where the layers from `cloud_top` on have three regions.
SPEEDWELL_HD
constexpr std::int64_t values_before(std::int64_t i, std::int64_t cloud_top) {
  return i <= cloud_top ? values_of_layer * i : values_of_layer * cloud_top + values_of_regions * (i - cloud_top);
}

/// The layer from which on the columns have three regions; that after the last one if they have none.
template <class T>
std::int64_t first_layer_of_regions(const Atmosphere<T>& a) {
  return a.cloud_fraction ? a.cloud_top : a.layers;
}
/// Whether there are such layers.
template <class T>
bool has_regions(const Atmosphere<T>& a) {
  return first_layer_of_regions(a) < a.layers;
}

}  // namespace speedwell::two_stream
