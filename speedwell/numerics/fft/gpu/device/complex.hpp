// A complex number for host and device code with the memory layout of std::complex<T>.
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
/// The product with -i.
template <class T>
SPEEDWELL_HD
constexpr Complex<T> times_minus_i(Complex<T> z) { return {z.im, -z.re}; }

}  // namespace speedwell::fft::gpu
