// One layer of one column on the device, for every kernel.
#pragma once

#include "speedwell/apps/two_stream/column.hpp"
#include "speedwell/apps/two_stream/layer.hpp"
#include "speedwell/apps/two_stream/two_stream.hpp"

namespace speedwell::two_stream {

template <class T>
struct Transfer {
  T reflected, transmitted;
  T direct, top, bottom;  // as in Coefficients
};

template <class T, bool Sun>
__device__ Transfer<T> transfer(T tau, T omega, T g, T mu0, T sec, const Terms<T>& terms, bool delta, bool quadratic) {
  using M = ScalarMath<T>;
  const auto o = optics<M>(tau, omega, g, delta);
  if constexpr (Sun) {
    const auto l = sunlit<M>(o, terms, mu0, sec);
    return {l.reflected, l.transmitted, l.direct, l.up, l.down};
  } else {
    const auto l = emitting<M>(o, terms, quadratic);
    return {l.reflected, l.transmitted, T(1), l.c1, l.c2};
  }
}

template <class T>
__device__ void put(const Coefficients<T>& to, std::int64_t k, const Transfer<T>& t, bool sun) {
  to.reflected[k] = t.reflected;
  to.transmitted[k] = t.transmitted;
  if (sun) to.direct[k] = t.direct;
  to.top[k] = t.top;
  to.bottom[k] = t.bottom;
}

}  // namespace speedwell::two_stream
