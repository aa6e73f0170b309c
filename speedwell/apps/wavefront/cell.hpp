// What one cell becomes: the formulas of problem.hpp, once for all kernels of GPUs. The sources that include this are
// compiled without contraction (nvcc: --fmad=false), so that a product is rounded unless fma() says otherwise.
#pragma once

#include <cmath>
#include <cstdint>

#include "speedwell/apps/wavefront/problem.hpp"
#include "speedwell/core/host_device.hpp"

namespace speedwell::wavefront {

/// How a sum becomes its remainder: by the library's fmod, or, where stays_in_range(), by three subtractions. Both are
/// exact, and so the same.
enum class Remainder { library, subtraction };

namespace detail {
/// x - c unless that is below zero; x is not. A difference below zero has its sign bit set and is the larger of the two
/// as an unsigned number.
SPEEDWELL_HD
inline float less(float x, float c) {
#ifdef __CUDA_ARCH__
  return __uint_as_float(min(__float_as_uint(x), __float_as_uint(x - c)));
#else
  return x >= c ? x - c : x;
#endif
}
SPEEDWELL_HD
inline double less(double x, double c) {
#ifdef __CUDA_ARCH__
  const double rest = x - c;
  return __double2hiint(rest) < 0 ? x : rest;
#else
  return x >= c ? x - c : x;
#endif
}
}  // namespace detail

/// A cell of Listing 1, or with `Loops` of Listing 2.
template <class T, bool Loops, Rounding rounding, Remainder remainder>
struct Cell {
  Recurrence<T> r;
  T two_c = 2 * r.c;

  SPEEDWELL_HD
  T operator()(T u, T top, T north, T west) const {
    if constexpr (Loops) {
      for (std::int64_t l = 0; l < r.loops; ++l) {
        u = rest(((u + top) + north) + west);
        top = linear(r.tc, top, r.td);
        north = linear(r.nc, north, r.nd);
        west = linear(r.wc, west, r.wd);
        u = linear(r.rc, u, r.rd);
      }
      return u;
    } else {
      return rest(((u + top) + north) + west);
    }
  }

 private:
  SPEEDWELL_HD
  T rest(T sum) const {
    // 4c itself, to which a sum may be rounded, needs the third.
    if constexpr (remainder == Remainder::subtraction)
      return detail::less(detail::less(detail::less(sum, two_c), r.c), r.c);
    else
      return std::fmod(sum, r.c);
  }
  SPEEDWELL_HD
  static T linear(T factor, T x, T summand) {
    if constexpr (rounding == Rounding::fused)
      return std::fma(factor, x, summand);
    else
      return factor * x + summand;
  }
};

/// The same, chosen cell by cell: for kernels that wait for memory and barriers anyway.
template <class T, Remainder remainder>
struct AnyCell {
  Recurrence<T> r;

  SPEEDWELL_HD
  T operator()(T u, T top, T north, T west) const {
    if (r.loops == 0) return Cell<T, false, Rounding::separate, remainder>{r}(u, top, north, west);
    if (r.rounding == Rounding::fused) return Cell<T, true, Rounding::fused, remainder>{r}(u, top, north, west);
    return Cell<T, true, Rounding::separate, remainder>{r}(u, top, north, west);
  }
};

}  // namespace speedwell::wavefront
