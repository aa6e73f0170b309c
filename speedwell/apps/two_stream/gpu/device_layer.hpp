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
  const auto d = diffuse<M>(o, terms);
  if constexpr (Sun) {
    const auto b = beam<M>(o, d, terms, mu0, sec);
    return {d.reflected, d.transmitted, b.direct, b.up, b.down};
  } else {
    const auto c = emission<M>(o, d, quadratic);
    return {d.reflected, d.transmitted, T(1), c.c1, c.c2};
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
