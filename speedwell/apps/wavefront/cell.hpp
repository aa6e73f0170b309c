// The update of one cell: the formulas of problem.hpp, shared by the GPU kernels and the serial sweep. Sources that
// include this header are compiled without contraction (nvcc: --fmad=false), so that a product is rounded unless fma()
// is called.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "speedwell/apps/wavefront/problem.hpp"
#include "speedwell/core/host_device.hpp"

namespace speedwell::wavefront {

namespace detail {
/// Remainder modulo c of a sum in [0, 4c]: the smallest non-negative number among sum, sum - c, sum - 2c, (sum - 2c) -
/// c and (sum - 2c) - 2c. That difference is exact by Sterbenz's lemma; the last is needed only for 4c itself, to which
/// a sum may be rounded. As unsigned integers all negative numbers compare larger than the others, so that one unsigned
/// minimum selects it.
SPEEDWELL_HD
inline float remainder_of_sum(float sum, float c, float two_c) {
  const float half = sum - two_c;
#ifdef __CUDA_ARCH__
  const auto bits = [](float x) { return __float_as_uint(x); };
  return __uint_as_float(
      __vimin3_u32(__vimin3_u32(bits(sum), bits(sum - c), bits(half)), bits(half - c), bits(half - two_c)));
#else
  const float x = half >= 0 ? half : sum, y = x >= c ? x - c : x;
  return y >= c ? y - c : y;
#endif
}
/// Double precision subtracts one multiple after the other, since there is no such minimum of 64 bits.
SPEEDWELL_HD
inline double remainder_of_sum(double sum, double c, double two_c) {
  const auto less = [](double x, double by) {
    const double difference = x - by;
#ifdef __CUDA_ARCH__
    return __double2hiint(difference) < 0 ? x : difference;
#else
    return difference >= 0 ? difference : x;
#endif
  };
  return less(less(less(sum, two_c), c), c);
}

/// Remainder modulo c where c is a power of two and `per_c` its inverse. The addition of a number whose last place is
/// worth 1 rounds the quotient down.
template <class T>
SPEEDWELL_HD
inline T remainder_by_floor(T sum, T c, T per_c) {
#ifdef __CUDA_ARCH__
  T quotient;
  if constexpr (std::is_same_v<T, float>)
    quotient = __fmaf_rd(sum, per_c, 0x1p23f) - 0x1p23f;
  else
    quotient = __fma_rd(sum, per_c, 0x1p52) - 0x1p52;
  return std::fma(-quotient, c, sum);
#else
  return sum - std::floor(sum * per_c) * c;
#endif
}
}  // namespace detail

/// Update of a cell by Listing 1, or by Listing 2 if `Loops`.
template <class T, bool Loops, Rounding rounding, Remainder remainder>
struct Cell {
  static constexpr bool has_loops = Loops;
  static constexpr int unroll = 4;  // unrolled loops without branches
  Recurrence<T> r;
  T two_c = 2 * r.c, per_c = 1 / r.c;
  std::int64_t unrolled_rounds = (r.loops - 1) / unroll;  // without the last loop
  int remaining_loops = static_cast<int>((r.loops - 1) % unroll);

  SPEEDWELL_HD
  T operator()(T u, T top, T north, T west) const {
    if constexpr (Loops) {
      const auto update = [&] {
        u = linear(r.rc, remainder_of_sum(((u + top) + north) + west), r.rd);
        top = linear(r.tc, top, r.td);
        north = linear(r.nc, north, r.nd);
        west = linear(r.wc, west, r.wd);
      };
#pragma unroll 1
      for (std::int64_t n = 0; n < unrolled_rounds; ++n) {
#pragma unroll
        for (int l = 0; l < unroll; ++l) update();
      }
#pragma unroll 1
      for (int l = 0; l < remaining_loops; ++l) update();
      return linear(r.rc, remainder_of_sum(((u + top) + north) + west), r.rd);
    } else {
      return remainder_of_sum(((u + top) + north) + west);
    }
  }

 private:
  SPEEDWELL_HD
  T remainder_of_sum(T sum) const {
    if constexpr (remainder == Remainder::floor)
      return detail::remainder_by_floor(sum, r.c, per_c);
    else if constexpr (remainder == Remainder::subtraction)
      return detail::remainder_of_sum(sum, r.c, two_c);
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

/// Update of a cell whose listing and rounding are selected at run time, for kernels that are limited by memory latency
/// and barriers.
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
