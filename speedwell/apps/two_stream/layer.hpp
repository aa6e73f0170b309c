// The mathematics of one layer, for all fast code. Everything is expressed by three integrals that are positive and
// lose no digits for thin layers, without absorption, or where the beam's slope meets the layer's own:
//   h = int_0^tau e^(-k t) cosh(k (tau - t)) dt ... = e^(-k tau) sinh(k tau) / k,
//   P = int_0^tau e^(-(s + k) t) dt,   Q = e^(-k tau) int_0^tau e^(-(s - k) t) dt,   s = 1 / mu0, k = sqrt(sum diff).
// A `Math` has the type of a value (a number, or a vector of them) and what operators do not say: see ScalarMath.
#pragma once

#include <cmath>

#include "speedwell/apps/two_stream/closure.hpp"
#include "speedwell/core/host_device.hpp"

namespace speedwell::two_stream {

template <class T>
struct ScalarMath {
  using Scalar = T;
  using Value = T;
  SPEEDWELL_HD static T exp(T x) { return ::exp(x); }
  SPEEDWELL_HD static T sqrt(T x) { return ::sqrt(x); }
  SPEEDWELL_HD static T select(bool condition, T yes, T no) { return condition ? yes : no; }
};
template <>
struct ScalarMath<float> {
  using Scalar = float;
  using Value = float;
  SPEEDWELL_HD static float exp(float x) { return ::expf(x); }
  SPEEDWELL_HD static float sqrt(float x) { return ::sqrtf(x); }
  SPEEDWELL_HD static float select(bool condition, float yes, float no) { return condition ? yes : no; }
};

/// The terms of a closure in the precision of the layers.
template <class T>
struct Terms {
  T sum_0, sum_g, sum_omega, diff_0, xi;
  explicit Terms(const ClosureTerms& c)
      : sum_0(static_cast<T>(c.sum_0)),
        sum_g(static_cast<T>(c.sum_g)),
        sum_omega(static_cast<T>(c.sum_omega)),
        diff_0(static_cast<T>(c.diff_0)),
        xi(static_cast<T>(c.xi)) {}
};

/// What a layer is made of. `absorbed` is 1 - omega, kept beside it because delta scaling knows it to all digits.
template <class V>
struct Optics {
  V tau, omega, absorbed, g;
};

template <class M>
SPEEDWELL_HD Optics<typename M::Value> optics(typename M::Value tau, typename M::Value omega, typename M::Value g,
                                              bool delta) {
  using T = typename M::Scalar;
  if (!delta) return {tau, omega, T(1) - omega, g};
  const auto forward = g * g, left = T(1) - omega * forward;
  return {tau * left, omega * (T(1) - forward) / left, (T(1) - omega) / left, g / (T(1) + g)};
}

/// (1 - e^-x) / x where |x| <= 1/2, by Taylor's series: the first term left out is below half a rounding error.
template <class M>
SPEEDWELL_HD typename M::Value mean_decay(typename M::Value x) {
  using T = typename M::Scalar;
  constexpr int degree = sizeof(T) == 4 ? 8 : 14;
  // Horner: 1 - x/2 (1 - x/3 (1 - x/4 ...)), whose factors are constants.
  typename M::Value sum = T(1) - x * (T(1) / T(degree + 1));
#ifdef __CUDACC__
#pragma unroll
#endif
  for (int n = degree; n >= 2; --n) sum = T(1) - x * (T(1) / T(n)) * sum;
  return sum;
}

/// Diffuse light in a layer, and what the sources are made of.
template <class V>
struct Diffuse {
  V sum, diff, k, e;  // e = exp(-k tau)
  V h, cosine;        // e sinh(k tau) / k and e cosh(k tau)
  V over;             // 1 / (cosine + alpha1 h)
  V reflected, transmitted;
};

template <class M>
SPEEDWELL_HD Diffuse<typename M::Value> diffuse(const Optics<typename M::Value>& o,
                                                const Terms<typename M::Scalar>& c) {
  using T = typename M::Scalar;
  using V = typename M::Value;
  Diffuse<V> d;
  d.sum = c.sum_0 - o.omega * (c.sum_g * o.g + c.sum_omega);
  d.diff = c.diff_0 * o.absorbed;
  const V square = d.sum * d.diff;
  d.k = M::sqrt(M::select(square > T(0), square, square * T(0)));  // a rounding error below 0 for g -> 1
  const V y = d.k * o.tau;
  d.e = M::exp(-y);
  const V e2 = d.e * d.e;
  d.h = M::select(y < T(0.25), o.tau * mean_decay<M>(y + y), (T(1) - e2) / (d.k + d.k));
  d.cosine = T(0.5) + T(0.5) * e2;
  d.over = T(1) / (d.cosine + T(0.5) * (d.sum + d.diff) * d.h);
  d.reflected = T(0.5) * (d.sum - d.diff) * d.h * d.over;
  d.transmitted = d.e * d.over;
  return d;
}

/// Per direct flux at the top: what comes out unscattered, and scattered upwards and downwards.
template <class V>
struct Beam {
  V direct, up, down;
};

template <class M>
SPEEDWELL_HD Beam<typename M::Value> beam(const Optics<typename M::Value>& o, const Diffuse<typename M::Value>& d,
                                          const Terms<typename M::Scalar>& c, typename M::Value mu0,
                                          typename M::Value s) {
  using T = typename M::Scalar;
  using V = typename M::Value;
  const V direct = M::exp(-(s * o.tau));
  const V faster = s + d.k, slower = s - d.k;
  const V x = faster * o.tau, z = slower * o.tau;
  const V P = M::select(x < T(0.5), o.tau * mean_decay<M>(x), (T(1) - d.e * direct) / faster);
  const V Q = M::select((z < T(0.5)) & (z > T(-0.5)), d.e * o.tau * mean_decay<M>(z), (d.e - direct) / slower);
  // Integrals of the beam with cosh and with sinh / k of the distance to the bottom (up) and to the top (down), times
  // e. The differences lose digits as k vanishes, where the second form of sinh's is exact; it loses them at s = k.
  const auto absorbing = d.k > T(0.1);
  const V share = T(0.5) / M::select(absorbing, d.k, T(0.5) * faster * slower);
  const V sinh_up = M::select(absorbing, P - d.e * Q, d.e * direct - d.cosine + s * d.h) * share;
  const V sinh_down = M::select(absorbing, Q - d.e * P, d.e - direct * (d.cosine + s * d.h)) * share;
  const V cosh_up = T(0.5) * (P + d.e * Q), cosh_down = T(0.5) * (Q + d.e * P);
  const V xi = c.xi * o.g * mu0;
  const V upward = T(0.5) - T(0.5) * xi, downward = T(0.5) + T(0.5) * xi;
  const V alpha1 = T(0.5) * (d.sum + d.diff), alpha2 = T(0.5) * (d.sum - d.diff);
  const V factor = o.omega * s * d.over;
  return {direct, factor * (upward * cosh_up + (alpha1 * upward + alpha2 * downward) * sinh_up),
          factor * (downward * cosh_down + (alpha1 * downward + alpha2 * upward) * sinh_down)};
}

/// Factors of dB = B_bottom - B_top and d2B = 2 (B_top + B_bottom - 2 B_middle) in the differential sources: up at the
/// top c1 dB + c2 d2B, down at the bottom -c1 dB + c2 d2B.
template <class V>
struct Emission {
  V c1, c2;
};

template <class M>
SPEEDWELL_HD Emission<typename M::Value> emission(const Optics<typename M::Value>& o,
                                                  const Diffuse<typename M::Value>& d, bool quadratic) {
  using T = typename M::Scalar;
  using V = typename M::Value;
  const V y = d.k * o.tau;
  // h / tau, and 1 + e squared, halved: 1 - T + R = tau sum c1 without a difference of near values.
  const V mean = M::select(y < T(0.25), mean_decay<M>(y + y), d.h / o.tau);
  const V w = T(0.5) * (T(1) + d.e) * (T(1) + d.e);
  const V c1 = mean * (T(1) + d.diff * d.h / w) * d.over;
  if (!quadratic) return {c1, c1 - c1};
  // (1 + cosh y - 2 sinh(y) / y) / y^2, of which the terms are (2n - 1) / (2n + 1)! y^(2n - 2).
  constexpr int terms = sizeof(T) == 4 ? 7 : 12;
  const V y2 = y * y;
  V series = y2 * T(0) + T(1);
#ifdef __CUDACC__
#pragma unroll
#endif
  for (int n = terms; n >= 2; --n)
    series = T(1) + y2 * (T(2 * n - 1) / (T(2 * n - 3) * T(2 * n) * T(2 * n + 1))) * series;
  series = series * (T(1) / T(6));
  const V bracket = M::select(y < T(2), d.e * d.diff * o.tau * series, (w - T(2) * mean) / (d.sum * o.tau));
  return {c1, -(w + d.sum * d.h) * bracket * d.over / w};
}

}  // namespace speedwell::two_stream
