// The mathematics of one layer, for all fast code. All coefficients are expressed by three positive integrals that do
// not lose digits for thin layers, without absorption, or at resonance, where 1 / mu0 = k:
//   h = int_0^tau e^(-k t) cosh(k (tau - t)) dt ... = e^(-k tau) sinh(k tau) / k,
//   P = int_0^tau e^(-(s + k) t) dt,   Q = e^(-k tau) int_0^tau e^(-(s - k) t) dt,   s = 1 / mu0, k = sqrt(sum diff).
// A `Math` has the type of a value (a number or a vector) and the functions that are not operators: see ScalarMath.
#pragma once

#include <cmath>

#include "speedwell/apps/two_stream/closure.hpp"
#include "speedwell/core/host_device.hpp"

namespace speedwell::two_stream {

template <class T>
struct ScalarMath {
  using Scalar = T;
  using Value = T;
  SPEEDWELL_HD
  static T exp(T x) { return ::exp(x); }
  SPEEDWELL_HD
  static T sqrt(T x) { return ::sqrt(x); }
  SPEEDWELL_HD
  static T reciprocal(T x) { return T(1) / x; }
  SPEEDWELL_HD
  static T select(bool condition, T yes, T no) { return condition ? yes : no; }
};
template <>
struct ScalarMath<float> {
  using Scalar = float;
  using Value = float;
  SPEEDWELL_HD
  static float exp(float x) { return ::expf(x); }
  SPEEDWELL_HD
  static float sqrt(float x) { return ::sqrtf(x); }
  SPEEDWELL_HD
  static float reciprocal(float x) { return 1.0f / x; }
  SPEEDWELL_HD
  static float select(bool condition, float yes, float no) { return condition ? yes : no; }
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

/// Optical properties of a layer. `absorbed` is 1 - omega, kept separately because delta scaling yields it to full
/// precision.
template <class V>
struct Optics {
  V tau, omega, absorbed, g;
};

/// Applies delta scaling if requested. One division replaces three: it takes ten times as long as a multiplication.
template <class M>
SPEEDWELL_HD
Optics<typename M::Value> optics(typename M::Value tau, typename M::Value omega, typename M::Value g, bool delta) {
  using T = typename M::Scalar;
  using V = typename M::Value;
  if (!delta) return {tau, omega, T(1) - omega, g};
  const V forward = g * g, left = T(1) - omega * forward, wide = T(1) + g;
  const V both = M::reciprocal(left * wide), over_left = both * wide;
  return {tau * left, omega * (T(1) - forward) * over_left, (T(1) - omega) * over_left, g * left * both};
}

/// The sum of c_n x^n from n = First, c_n = (-1)^n / (n + 1)!; c_first is given.
template <class M, int First, int Last>
SPEEDWELL_HD
typename M::Value mean_decay_from(typename M::Value x) {
  using T = typename M::Scalar;
  constexpr auto coefficient = [](int n) {
    double c = 1;
    for (int i = 1; i <= n; ++i) c /= -(i + 1);
    return static_cast<T>(c);
  };
  constexpr T c = coefficient(First);
  if constexpr (First + 1 == Last) {
    constexpr T last = coefficient(Last);
    return c + last * x;
  } else {
    return c + x * mean_decay_from<M, First + 1, Last>(x);
  }
}
/// (1 - e^-x) / x for |x| <= 1/2, by Taylor's series: the first omitted term is below half a rounding error.
template <class M>
SPEEDWELL_HD
typename M::Value mean_decay(typename M::Value x) {
  return mean_decay_from < M, 0, sizeof(typename M::Scalar) == 4 ? 7 : 13 > (x);
}

/// The two-stream coefficients of a layer and the exponent k of its homogeneous solutions.
template <class V>
struct Slope {
  V sum, diff, k, y, e;  // y = k tau, e = exp(-y)
};

template <class M>
SPEEDWELL_HD
Slope<typename M::Value> slope(const Optics<typename M::Value>& o, const Terms<typename M::Scalar>& c) {
  using T = typename M::Scalar;
  using V = typename M::Value;
  const V sum = c.sum_0 - o.omega * (c.sum_g * o.g + c.sum_omega), diff = c.diff_0 * o.absorbed;
  const V square = sum * diff;
  const V k = M::sqrt(M::select(square > T(0), square, square * T(0)));  // a rounding error below 0 for g -> 1
  const V y = k * o.tau;
  return {sum, diff, k, y, M::exp(-y)};
}

/// Reflection and transmission of diffuse light by a layer, and the terms of the sources.
template <class V>
struct Diffuse {
  V h, cosine;  // e sinh(k tau) / k and e cosh(k tau)
  V over;       // 1 / (cosine + alpha1 h)
  V reflected, transmitted;
};

/// over_k is 1 / k where y >= 1/4, and any finite number elsewhere.
template <class M>
SPEEDWELL_HD
Diffuse<typename M::Value> diffuse(const Optics<typename M::Value>& o, const Slope<typename M::Value>& l,
                                   typename M::Value over_k) {
  using T = typename M::Scalar;
  using V = typename M::Value;
  Diffuse<V> d;
  const V e2 = l.e * l.e;
  d.h = M::select(l.y < T(0.25), o.tau * mean_decay<M>(l.y + l.y), (T(0.5) - T(0.5) * e2) * over_k);
  d.cosine = T(0.5) + T(0.5) * e2;
  d.over = M::reciprocal(d.cosine + T(0.5) * (l.sum + l.diff) * d.h);
  d.reflected = T(0.5) * (l.sum - l.diff) * d.h * d.over;
  d.transmitted = l.e * d.over;
  return d;
}

/// A layer in sunlight, per direct flux at its top: transmitted without scattering, and scattered upwards and
/// downwards.
template <class V>
struct Sunlit {
  V reflected, transmitted;
  V direct, up, down;
};

template <class M>
SPEEDWELL_HD
Sunlit<typename M::Value> sunlit(const Optics<typename M::Value>& o, const Terms<typename M::Scalar>& c,
                                 typename M::Value mu0, typename M::Value s) {
  using T = typename M::Scalar;
  using V = typename M::Value;
  const Slope<V> l = slope<M>(o, c);
  const V faster = s + l.k, slower = s - l.k;
  const V x = faster * o.tau, z = slower * o.tau;
  const auto absorbing = l.k > T(0.1);
  const auto meeting = (z < T(0.5)) & (z > T(-0.5));
  // Reciprocals of k, s + k and s - k from one division; a value that is not needed and may be 0 is replaced by 1.
  const V one = x * T(0) + T(1);
  const V safe_k = M::select(absorbing | (l.y >= T(0.25)), l.k, one);
  const V safe_slower = M::select(absorbing & meeting, one, slower);
  const V k_faster = safe_k * faster, all = M::reciprocal(k_faster * safe_slower), over_k_faster = all * safe_slower;
  const V over_slower = all * k_faster, over_faster = over_k_faster * safe_k, over_k = over_k_faster * faster;

  const Diffuse<V> d = diffuse<M>(o, l, over_k);
  const V direct = M::exp(-(s * o.tau));
  const V P = M::select(x < T(0.5), o.tau * mean_decay<M>(x), (T(1) - l.e * direct) * over_faster);
  const V Q = M::select(meeting, l.e * o.tau * mean_decay<M>(z), (l.e - direct) * over_slower);
  // Twice the integrals of the beam with cosh and with sinh / k of the distance to the bottom (up) and to the top
  // (down), times e. The differences lose digits as k vanishes, where the second form of sinh's integral is exact; the
  // second form loses digits at s = k.
  const V share = M::select(absorbing, over_k, T(2) * over_faster * over_slower);
  const V eP = l.e * P, eQ = l.e * Q, s_h = s * d.h;
  const V sinh_up = M::select(absorbing, P - eQ, l.e * direct - d.cosine + s_h) * share;
  const V sinh_down = M::select(absorbing, Q - eP, l.e - direct * (d.cosine + s_h)) * share;
  const V xi = c.xi * o.g * mu0, factor = T(0.25) * o.omega * s * d.over;
  // alpha1 upward + alpha2 downward = (sum - xi diff) / 2, where upward = (1 - xi) / 2 and downward = (1 + xi) / 2.
  return {d.reflected, d.transmitted, direct, factor * ((T(1) - xi) * (P + eQ) + (l.sum - xi * l.diff) * sinh_up),
          factor * ((T(1) + xi) * (Q + eP) + (l.sum + xi * l.diff) * sinh_down)};
}

/// An emitting layer: the factors of dB = B_bottom - B_top and d2B = 2 (B_top + B_bottom - 2 B_middle) in the
/// differential sources: up at the top c1 dB + c2 d2B, down at the bottom -c1 dB + c2 d2B.
template <class V>
struct Emitting {
  V reflected, transmitted;
  V c1, c2;
};

template <class M>
SPEEDWELL_HD
Emitting<typename M::Value> emitting(const Optics<typename M::Value>& o, const Terms<typename M::Scalar>& c,
                                     bool quadratic) {
  using T = typename M::Scalar;
  using V = typename M::Value;
  const Slope<V> l = slope<M>(o, c);
  const V one = l.y * T(0) + T(1);
  const Diffuse<V> d = diffuse<M>(o, l, M::reciprocal(M::select(l.y < T(0.25), one, l.k)));
  // h / tau, and 1 + e squared, halved: 1 - T + R = tau sum c1 without a difference of near values.
  const V mean = M::select(l.y < T(0.25), mean_decay<M>(l.y + l.y), d.h / o.tau);
  const V w = T(0.5) * (T(1) + l.e) * (T(1) + l.e);
  const V c1 = mean * (T(1) + l.diff * d.h / w) * d.over;
  if (!quadratic) return {d.reflected, d.transmitted, c1, c1 - c1};
  // (1 + cosh y - 2 sinh(y) / y) / y^2, of which the terms are (2n - 1) / (2n + 1)! y^(2n - 2).
  constexpr int terms = sizeof(T) == 4 ? 7 : 12;
  const V y2 = l.y * l.y;
  V series = one;
#ifdef __CUDACC__
#pragma unroll
#endif
  for (int n = terms; n >= 2; --n)
    series = T(1) + y2 * (T(2 * n - 1) / (T(2 * n - 3) * T(2 * n) * T(2 * n + 1))) * series;
  series = series * (T(1) / T(6));
  const V bracket = M::select(l.y < T(2), l.e * l.diff * o.tau * series, (w - T(2) * mean) / (l.sum * o.tau));
  return {d.reflected, d.transmitted, c1, -(w + l.sum * d.h) * bracket * d.over / w};
}

}  // namespace speedwell::two_stream
