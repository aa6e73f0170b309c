// What one cell becomes: the formulas of problem.hpp, once for all kernels of GPUs. The sources that include this are
// compiled without contraction (nvcc: --fmad=false), so that a product is rounded unless fma() says otherwise.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "speedwell/apps/wavefront/problem.hpp"
#include "speedwell/core/host_device.hpp"

namespace speedwell::wavefront {

namespace detail {
/// The remainder of a sum in [0, 4c]: the least of sum, sum - c, sum - 2c, (sum - 2c) - c and (sum - 2c) - 2c that is
/// not below zero. That one is exact (Sterbenz's lemma; the last only for 4c itself, to which a sum may be rounded). As
/// unsigned numbers all below zero are larger than all others, and the least does not have to be looked for in order.
SPEEDWELL_HD
inline float rest(float sum, float c, float two_c) {
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
/// In double precision one after another: 64 bits have no such minimum.
SPEEDWELL_HD
inline double rest(double sum, double c, double two_c) {
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

/// The same for a c that is a power of two, `per_c` its inverse. Added to a number whose last place is worth 1, the
/// quotient is rounded down by the addition itself.
template <class T>
SPEEDWELL_HD
inline T rest_of_floor(T sum, T c, T per_c) {
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

/// A cell of Listing 1, or with `Loops` of Listing 2.
template <class T, bool Loops, Rounding rounding, Remainder remainder>
struct Cell {
  static constexpr bool has_loops = Loops;
  static constexpr int round = 4;  // loops without a branch between them
  Recurrence<T> r;
  T two_c = 2 * r.c, per_c = 1 / r.c;
  std::int64_t rounds = (r.loops - 1) / round;  // the last loop is not in them
  int beside_rounds = static_cast<int>((r.loops - 1) % round);

  SPEEDWELL_HD
  T operator()(T u, T top, T north, T west) const {
    if constexpr (Loops) {
      const auto once = [&] {
        u = linear(r.rc, rest(((u + top) + north) + west), r.rd);
        top = linear(r.tc, top, r.td);
        north = linear(r.nc, north, r.nd);
        west = linear(r.wc, west, r.wd);
      };
#pragma unroll 1
      for (std::int64_t n = 0; n < rounds; ++n) {
#pragma unroll
        for (int l = 0; l < round; ++l) once();
      }
#pragma unroll 1
      for (int l = 0; l < beside_rounds; ++l) once();
      return linear(r.rc, rest(((u + top) + north) + west), r.rd);
    } else {
      return rest(((u + top) + north) + west);
    }
  }

 private:
  SPEEDWELL_HD
  T rest(T sum) const {
    if constexpr (remainder == Remainder::floor)
      return detail::rest_of_floor(sum, r.c, per_c);
    else if constexpr (remainder == Remainder::subtraction)
      return detail::rest(sum, r.c, two_c);
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
