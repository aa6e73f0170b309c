// The update of a vector of cells, for kernels that are compiled for each instruction set without contraction.
// Everything has internal linkage, as in core/simd.hpp.
#pragma once

#include <cstdint>

#include "speedwell/apps/wavefront/cpu/plane_group_kernel.hpp"
#include "speedwell/apps/wavefront/cpu/vectors.hpp"
#include "speedwell/core/simd/simd.hpp"

namespace speedwell::wavefront::SPEEDWELL_ISA {
namespace {

namespace simd = core::simd;
using simd::Vector;
using simd::width;

float library_remainder(float x, float c) { return __builtin_fmodf(x, c); }
double library_remainder(double x, double c) { return __builtin_fmod(x, c); }

/// One step of all lanes of a plane. The remainder of a sum within [0, 4c] takes three subtractions; each is exact
/// (Sterbenz), and the third is for a sum of 4c itself.
template <class T, bool Loops, Remainder remainder>
class Cell {
 public:
  explicit Cell(const KernelRecurrence<T>& r)
      : r_(r), c_(simd::broadcast(r.c)), two_c_(simd::broadcast(2 * r.c)), per_c_(simd::broadcast(1 / r.c)) {}

  Vector<T> operator()(Vector<T> u, Vector<T> top, Vector<T> north, Vector<T> west) const {
    if constexpr (!Loops) return remainder_of_sum(((u + top) + north) + west);
    for (std::int64_t l = 0; l < r_.loops; ++l) {
      u = remainder_of_sum(((u + top) + north) + west);
      top = linear(r_.tc, top, r_.td);
      north = linear(r_.nc, north, r_.nd);
      west = linear(r_.wc, west, r_.wd);
      u = linear(r_.rc, u, r_.rd);
    }
    return u;
  }

 private:
  Vector<T> remainder_of_sum(Vector<T> sum) const {
    if constexpr (remainder == Remainder::floor) {
      return simd::fma(vectors::floor_of_product(sum, per_c_), -c_, sum);
    } else if constexpr (remainder == Remainder::subtraction) {
      sum = sum >= two_c_ ? sum - two_c_ : sum;
      sum = sum >= c_ ? sum - c_ : sum;
      sum = sum >= c_ ? sum - c_ : sum;
    } else {
      for (int l = 0; l < width<T>; ++l) sum[l] = library_remainder(sum[l], r_.c);
    }
    return sum;
  }
  Vector<T> linear(T factor, Vector<T> x, T summand) const {
    if (r_.fused) return simd::fma(simd::broadcast(factor), x, simd::broadcast(summand));
    return factor * x + summand;
  }

  const KernelRecurrence<T>& r_;
  Vector<T> c_, two_c_, per_c_;
};

}  // namespace
}  // namespace speedwell::wavefront::SPEEDWELL_ISA
