// Measures of a row of cells in one instruction set: the convection rate, and the terms of statistics. As in
// row_kernels.cpp, the compiler vectorises the loops along the contiguous axis; lanes add up terms of their own.
#include "speedwell/apps/incompressible_flow/cpu/measure_rows.hpp"

namespace speedwell::incompressible_flow::SPEEDWELL_ISA {
namespace {

template <class T>
SPEEDWELL_ALWAYS_INLINE T magnitude(T x) {
  return x < T(0) ? -x : x;
}
// Not a number is never the larger one.
template <class T>
SPEEDWELL_ALWAYS_INLINE T larger(T a, T b) {
  return a < b ? b : a;
}

template <class T>
double convection_rate_in(const ConvectionRateRow<T>& r) {
  const T *u = r.u[0], *v = r.u[1], *w = r.u[2], *v_before = v - r.row, *w_before = w - r.plane;
  const T* x = r.metrics.axis[0].inverse_width;
  const T y = r.metrics.axis[1].inverse_width[0], z = r.metrics.axis[2].inverse_width[0];
  const int cells = r.cells;
  T largest = 0, not_finite = 0;
#pragma omp simd reduction(max : largest) reduction(+ : not_finite)
  for (int i = 0; i < cells; ++i) {
    const T here = larger(magnitude(u[i]), magnitude(u[i - 1])) * x[i] +
                   larger(magnitude(v[i]), magnitude(v_before[i])) * y +
                   larger(magnitude(w[i]), magnitude(w_before[i])) * z;
    largest = larger(largest, here);
    not_finite += (u[i] - u[i]) + (v[i] - v[i]) + (w[i] - w[i]);  // NaN, else 0
  }
  return not_finite == T(0) ? static_cast<double>(largest) : __builtin_nan("");
}

template <bool Solids, class T>
StatisticsTerms statistics_in(const StatisticsRow<T>& r) {
  const T *u = r.u[0], *v = r.u[1], *w = r.u[2];
  const std::ptrdiff_t row = r.row, plane = r.plane;
  const T *drag_u = r.wall_drag[0], *drag_v = r.wall_drag[1], *drag_w = r.wall_drag[2];
  const AxisMetrics<double> x = r.metrics.axis[0], y = r.metrics.axis[1], z = r.metrics.axis[2];
  // Widths, and distances between the centres of a cell and the next one.
  const double wy = y.width[0], wz = z.width[0], dy = 1 / y.inverse_distance[0], dz = 1 / z.inverse_distance[0];
  const double min_across = wy < wz ? wy : wz;
  // The difference to a wall is half that to the ghost cell, which mirrors it, over half the distance.
  const double last_y = (r.closed[1][1] ? 0.5 : 1) / dy, last_z = (r.closed[2][1] ? 0.5 : 1) / dz;
  const double first_y = r.closed[1][0] ? 0.5 * y.inverse_distance[-1] : 0;
  const double first_z = r.closed[2][0] ? 0.5 * z.inverse_distance[-1] : 0;
  const int cells = r.cells, last_x = r.closed[0][1] ? cells - 1 : -1;
  const auto d = [](T a, T b) { return static_cast<double>(a) - static_cast<double>(b); };
  const auto squared = [](double a) { return a * a; };
  double mean_u = 0, mean_v = 0, mean_w = 0, square_u = 0, square_v = 0, square_w = 0, uv = 0, uw = 0, vw = 0;
  double loss = 0, volume = 0, x2 = 0, y2 = 0, z2 = 0, x3 = 0, y3 = 0, z3 = 0;
  double divergence = 0, fastest = 0, not_finite = 0;
#pragma omp simd reduction(+ : mean_u, mean_v, mean_w, square_u, square_v, square_w, uv, uw, vw, loss, volume) \
    reduction(+ : x2, y2, z2, x3, y3, z3, not_finite) reduction(max : divergence, fastest)
  for (int i = 0; i < cells; ++i) {
    const double wx = x.width[i], ix = x.inverse_distance[i], dx = 1 / ix;
    const double cell = wx * wy * wz, around_u = dx * wy * wz, around_v = wx * dy * wz, around_w = wx * wy * dz;
    const double a = static_cast<double>(u[i]), b = static_cast<double>(v[i]), c = static_cast<double>(w[i]);
    const double before_a = static_cast<double>(u[i - 1]), before_b = static_cast<double>(v[i - row]),
                 before_c = static_cast<double>(w[i - plane]);
    mean_u += around_u * a;
    mean_v += around_v * b;
    mean_w += around_w * c;
    square_u += around_u * a * a;
    square_v += around_v * b * b;
    square_w += around_w * c * c;
    const double centre_a = 0.5 * (a + before_a), centre_b = 0.5 * (b + before_b), centre_c = 0.5 * (c + before_c);
    uv += cell * centre_a * centre_b;
    uw += cell * centre_a * centre_c;
    vw += cell * centre_b * centre_c;
    volume += cell;
    const double sx = (a - before_a) / wx, sy = (b - before_b) / wy, sz = (c - before_c) / wz;
    x2 += cell * sx * sx;
    y2 += cell * sy * sy;
    z2 += cell * sz * sz;
    x3 += cell * sx * sx * sx;
    y3 += cell * sy * sy * sy;
    z3 += cell * sz * sz * sz;
    // Areas of links times squares of differences over distances.
    const double along_x = dy * wz * squared(d(v[i + 1], v[i])) + wy * dz * squared(d(w[i + 1], w[i]));
    const double along_y = dx * wz * squared(d(u[i + row], u[i])) + wx * dz * squared(d(w[i + row], w[i]));
    const double along_z = dx * wy * squared(d(u[i + plane], u[i])) + wx * dy * squared(d(v[i + plane], v[i]));
    loss += cell * (sx * sx + sy * sy + sz * sz) + along_x * ix * (i == last_x ? 0.5 : 1) + along_y * last_y +
            along_z * last_z;
    if constexpr (Solids) {
      const auto held = [](double around, T f, double velocity) {
        return f > T(0) ? around * static_cast<double>(f) * velocity * velocity : 0.0;
      };
      loss += held(around_u, drag_u[i], a) + held(around_v, drag_v[i], b) + held(around_w, drag_w[i], c);
    }
    const double out = sx + sy + sz;
    divergence = larger(divergence, magnitude(out) * (wx < min_across ? wx : min_across));
    fastest = larger(fastest, larger(magnitude(a), larger(magnitude(b), magnitude(c))));
    not_finite += out - out;  // NaN, else 0
  }
  if (r.closed[0][0])
    loss += 0.5 * x.inverse_distance[-1] * (dy * wz * squared(d(v[0], v[-1])) + wy * dz * squared(d(w[0], w[-1])));
  if (r.closed[1][0]) {
#pragma omp simd reduction(+ : loss)
    for (int i = 0; i < cells; ++i)
      loss += first_y * (wz / x.inverse_distance[i] * squared(d(u[i], u[i - row])) +
                         x.width[i] * dz * squared(d(w[i], w[i - row])));
  }
  if (r.closed[2][0]) {
#pragma omp simd reduction(+ : loss)
    for (int i = 0; i < cells; ++i)
      loss += first_z * (wy / x.inverse_distance[i] * squared(d(u[i], u[i - plane])) +
                         x.width[i] * dy * squared(d(v[i], v[i - plane])));
  }
  return {{mean_u, mean_v, mean_w},
          {square_u, square_v, square_w},
          {uv, uw, vw},
          loss,
          {x2, y2, z2},
          {x3, y3, z3},
          volume,
          not_finite == 0 ? divergence : __builtin_huge_val(),
          fastest};
}
template <class T>
StatisticsTerms statistics_of(const StatisticsRow<T>& r) {
  return r.wall_drag[0] ? statistics_in<true>(r) : statistics_in<false>(r);
}

template <class T>
constexpr MeasureRows<T> all = {convection_rate_in<T>, statistics_of<T>};

}  // namespace

MeasureRows<float> measures_f32() { return all<float>; }
MeasureRows<double> measures_f64() { return all<double>; }

}  // namespace speedwell::incompressible_flow::SPEEDWELL_ISA
