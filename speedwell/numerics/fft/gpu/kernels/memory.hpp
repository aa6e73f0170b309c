// Load and store functors of passes. A pass is a template over both: other applications compute values in the load, or
// store something else than the transform. Included by CUDA sources only.
//
// Load::line(number, lane, width, layout) returns a functor whose call with (e) yields the value of register e, which
// is point lane + width e. Store::line() returns one that is called with (e, value), or any(e, value) if registers are
// not stored in the order 0, 1, 2 …
#pragma once

#include "speedwell/numerics/fft/gpu/device/complex.hpp"
#include "speedwell/numerics/fft/gpu/device/line_layout.hpp"
#include "speedwell/numerics/fft/gpu/roots.hpp"

namespace speedwell::fft::gpu {

/// all_levels: the default (.ca, .wb). streaming: evict first (.cs). l2_only: bypasses the first-level cache (.cg), for
/// data that other multiprocessors have written during the kernel.
enum class CachePolicy { all_levels, streaming, l2_only };

namespace detail {

inline __device__ double2 as_vector(Complex<double> z) { return make_double2(z.re, z.im); }
inline __device__ float2 as_vector(Complex<float> z) { return make_float2(z.re, z.im); }
template <class T>
using Vector = decltype(as_vector(Complex<T>{}));

template <CachePolicy policy, class T>
__device__ Complex<T> fetch(const Complex<T>* p) {
  const auto* vector = reinterpret_cast<const Vector<T>*>(p);
  const Vector<T> v = policy == CachePolicy::all_levels  ? *vector
                      : policy == CachePolicy::streaming ? __ldcs(vector)
                                                         : __ldcg(vector);
  return {v.x, v.y};
}
template <CachePolicy policy, class T>
__device__ void put(Complex<T>* p, Complex<T> z) {
  auto* vector = reinterpret_cast<Vector<T>*>(p);
  if constexpr (policy == CachePolicy::all_levels) *vector = as_vector(z);
  if constexpr (policy == CachePolicy::streaming) __stcs(vector, as_vector(z));
  if constexpr (policy == CachePolicy::l2_only) __stcg(vector, as_vector(z));
}

}  // namespace detail

/// Loads from an array; a `sign` of -1 conjugates.
template <class T, CachePolicy policy = CachePolicy::all_levels>
struct FromMemory {
  const Complex<T>* x;
  T sign = 1;

  struct Line {
    const Complex<T>* x;
    std::int64_t step;
    T sign;
    __device__ Complex<T> operator()(int e) const {
      const Complex<T> z = detail::fetch<policy>(x + e * step);
      return {z.re, sign * z.im};
    }
  };
  __device__ Line line(std::int64_t number, int lane, int width, const LineLayout& layout) const {
    return {x + layout.line(number) + lane * layout.element, width * layout.element, sign};
  }
};

/// Stores to an array, scaled; a `sign` of -1 conjugates.
template <class T, CachePolicy policy = CachePolicy::all_levels>
struct ToMemory {
  Complex<T>* x;
  T scale = 1, sign = 1;

  struct Line {
    Complex<T>* x;
    std::int64_t step;
    T re, im;
    __device__ void operator()(int e, Complex<T> z) const { detail::put<policy>(x + e * step, {re * z.re, im * z.im}); }
    __device__ void any(int e, Complex<T> z) const { (*this)(e, z); }
  };
  __device__ Line line(std::int64_t number, int lane, int width, const LineLayout& layout) const {
    return {x + layout.line(number) + lane * layout.element, width * layout.element, scale, sign * scale};
  }
};

/// Stores results times the twiddles between two of Bailey's steps: point k of column c times e^{-2 pi i c k / M}.
template <class T>
struct ToMemoryWithTwiddles {
  Complex<T>* x;
  Roots<T> roots;
  std::int64_t columns;  // c = line number % columns

  struct Line {
    Complex<T>* x;
    std::int64_t step, exponent, exponent_step;  // exponents of register 0, and from one register to the next
    Roots<T> roots;
    Complex<T> small_powers[4] = {}, base = {};
    // Four registers share a base; the others follow from it by a product with a small power.
    __device__ void operator()(int e, Complex<T> z) {
      if (e == 0)
        for (int k = 1; k < 4; ++k) small_powers[k] = roots(k * exponent_step);
      if (e % 4 == 0) base = roots(exponent + e * exponent_step);
      write(e, z * (e % 4 == 0 ? base : base * small_powers[e % 4]));
    }
    __device__ void any(int e, Complex<T> z) const { write(e, z * roots(exponent + e * exponent_step)); }
    __device__ void write(int e, Complex<T> z) const { detail::put<CachePolicy::all_levels>(x + e * step, z); }
  };
  __device__ Line line(std::int64_t number, int lane, int width, const LineLayout& layout) const {
    const std::int64_t c = number % columns;
    return {x + layout.line(number) + lane * layout.element, width * layout.element, c * lane, c * width, roots};
  }
};

}  // namespace speedwell::fft::gpu
