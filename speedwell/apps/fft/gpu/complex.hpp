// A complex number that host and device code compute with. std::complex<T> in memory.
#pragma once

#include "speedwell/core/host_device.hpp"

namespace speedwell::fft::gpu {

template <class T>
struct alignas(2 * sizeof(T)) Complex {
  T re, im;
};

template <class T>
SPEEDWELL_HD
constexpr Complex<T> operator+(Complex<T> a, Complex<T> b) { return {a.re + b.re, a.im + b.im}; }
template <class T>
SPEEDWELL_HD
constexpr Complex<T> operator-(Complex<T> a, Complex<T> b) { return {a.re - b.re, a.im - b.im}; }
template <class T>
SPEEDWELL_HD
constexpr Complex<T> operator*(Complex<T> a, Complex<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class T>
SPEEDWELL_HD
constexpr Complex<T> conj(Complex<T> z) { return {z.re, -z.im}; }
/// Times -i.
template <class T>
SPEEDWELL_HD
constexpr Complex<T> quarter_turn(Complex<T> z) { return {z.im, -z.re}; }

}  // namespace speedwell::fft::gpu
