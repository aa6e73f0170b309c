// Right-hand sides and solutions of the systems along z in the spectrum of the planes, for kernels with a thread per
// mode. For CUDA sources only.
#pragma once

#include <cstdint>

#include "speedwell/apps/incompressible_flow/gpu/direct/lines.hpp"

namespace speedwell::incompressible_flow::gpu {

template <class T>
__device__ __forceinline__ ComplexOf<T> operator*(ComplexOf<T> a, ComplexOf<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class T>
__device__ __forceinline__ ComplexOf<T> conjugate(ComplexOf<T> a) {
  return {a.re, -a.im};
}

/// Loads and stores of right-hand sides and solutions of modes y and, for cosines, ny - y, in the spectrum.
template <class T>
struct LineModes {
  const Lines<T>& l;
  std::int64_t plane, first, second;
  ComplexOf<T> twiddle_x, twiddle_y[2];
  bool rotates, pair;

  __device__ LineModes(const Lines<T>& lines, int x, int y) : l(lines) {
    const int modes = l.nx / 2 + 1, other = l.cosine_y && y > 0 ? l.ny - y : y;
    plane = static_cast<std::int64_t>(l.ny) * modes;
    first = static_cast<std::int64_t>(y) * modes + x;
    second = static_cast<std::int64_t>(other) * modes + x;
    rotates = l.cosine_y && y > 0;
    pair = other != y;
    if (l.cosine_x) twiddle_x = l.twiddles_x[x];
    if (l.cosine_y) {
      twiddle_y[0] = l.twiddles_y[y];
      twiddle_y[1] = l.twiddles_y[other];
    }
  }
  __device__ __forceinline__ void load(int k, ComplexOf<T>& a, ComplexOf<T>& b) const {
    ComplexOf<T> v = l.spectrum[k * plane + first];
    v = {v.re * l.scale, v.im * l.scale};
    a = v;
    if (rotates) {
      ComplexOf<T> w = l.spectrum[k * plane + second];
      v = v * twiddle_y[0];
      w = ComplexOf<T>{w.re * l.scale, w.im * l.scale} * twiddle_y[1];
      const T half = T(0.5);
      a = {half * (v.re - w.im), half * (v.im + w.re)};
      b = {half * (w.re - v.im), half * (w.im + v.re)};
    }
    if (l.cosine_x) {
      a = a * twiddle_x;
      b = b * twiddle_x;
    }
  }
  __device__ __forceinline__ void store(int k, ComplexOf<T> a, ComplexOf<T> b) const {
    if (l.cosine_x) {
      a = a * conjugate(twiddle_x);
      b = b * conjugate(twiddle_x);
    }
    if (!rotates) {
      l.spectrum[k * plane + first] = a;
      return;
    }
    if (!pair) b = a;
    l.spectrum[k * plane + first] = conjugate(twiddle_y[0]) * ComplexOf<T>{a.re + b.im, a.im - b.re};
    if (pair) l.spectrum[k * plane + second] = conjugate(twiddle_y[1]) * ComplexOf<T>{b.re + a.im, b.im - a.re};
  }
};

}  // namespace speedwell::incompressible_flow::gpu
