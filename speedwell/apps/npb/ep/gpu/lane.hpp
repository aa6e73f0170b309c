// What one thread of the best GPU variant does with its pairs, for host and device: several pairs side by side, all of
// them computed whether accepted or not, so that no two lanes of a warp part.
#pragma once

#include <cmath>
#include <cstdint>

#include "speedwell/apps/npb/ep/gpu/pair.hpp"

namespace speedwell::npb::ep {

struct LaneSums {
  double x = 0;
  double y = 0;
  std::uint32_t at_least[4] = {};  // pairs whose larger deviate is at least 0, 1, 2, 3
};

/// The larger of |x| and |y|, cut to the upper word of its double and read as a float: in the same order as the
/// doubles, and compared with the upper words of 1, 2 and 3, which have no lower ones, as exactly. Single precision is
/// spared FP64's pipe, and its instructions take magnitudes for nothing.
SPEEDWELL_HD
inline float larger_upper_word(double x, double y) {
  return fmaxf(fabsf(__builtin_bit_cast(float, upper_word(x))), fabsf(__builtin_bit_cast(float, upper_word(y))));
}

/// Adds and counts the deviates of a pair with s <= 1; those of another may be NaN.
SPEEDWELL_HD
inline void add_accepted(LaneSums& sums, double s, double x, double y) {
  const float larger = larger_upper_word(x, y);
#ifdef __CUDA_ARCH__
  // The compiler would part the warp, or add numbers that it has made of conditions. 1.875, 2 and 2.125 are the upper
  // words of 1, 2 and 3.
  asm("{\n\t"
      ".reg .pred accepted, p;\n\t"
      "setp.le.f64 accepted, %6, 0d3FF0000000000000;\n\t"
      "@accepted add.f64 %0, %0, %7;\n\t"
      "@accepted add.f64 %1, %1, %8;\n\t"
      "@accepted add.u32 %2, %2, 1;\n\t"
      "setp.ge.and.f32 p, %9, 0f3FF00000, accepted;\n\t"
      "@p add.u32 %3, %3, 1;\n\t"
      "setp.ge.and.f32 p, %9, 0f40000000, accepted;\n\t"
      "@p add.u32 %4, %4, 1;\n\t"
      "setp.ge.and.f32 p, %9, 0f40080000, accepted;\n\t"
      "@p add.u32 %5, %5, 1;\n\t"
      "}"
      : "+d"(sums.x), "+d"(sums.y), "+r"(sums.at_least[0]), "+r"(sums.at_least[1]), "+r"(sums.at_least[2]),
        "+r"(sums.at_least[3])
      : "d"(s), "d"(x), "d"(y), "f"(larger));
#else
  if (!(s <= 1)) return;
  sums.x += x;
  sums.y += y;
  ++sums.at_least[0];
  for (int l = 1; l < 4; ++l) sums.at_least[l] += larger >= __builtin_bit_cast(float, upper_word(l));
#endif
}

/// Takes the next `Pairs` pairs of the stream. table(upper word of s): its Segment; rough_inverse_root(a): 1/sqrt(a)
/// but for 2^-19 of it, anything for a < 0; far(x, y, s): a pair with s below far_upper_word, which is for others to
/// count.
template <int Pairs, class Table, class Root, class Far>
SPEEDWELL_HD
inline void take_pairs(std::uint64_t& state, LaneSums& sums, const Table& table, const Root& rough_inverse_root,
                       const Far& far) {
  double x[Pairs], y[Pairs], s[Pairs];
  bool any_far = false;
#pragma unroll
  for (int p = 0; p < Pairs; ++p) {
    state = stepped(state);
    x[p] = centred(state);
    state = stepped(state);
    y[p] = centred(state);
    s[p] = fma(x[p], x[p], y[p] * y[p]);
    any_far |= upper_word(s[p]) < far_upper_word;
  }
  if (any_far) {
#pragma unroll
    for (int p = 0; p < Pairs; ++p)
      if (upper_word(s[p]) < far_upper_word) {
        far(x[p], y[p], s[p]);
        --sums.at_least[0];  // which what is left in its place, a pair of deviates 0, will add
        x[p] = y[p] = 0;
        s[p] = 1;
      }
  }
#pragma unroll
  for (int p = 0; p < Pairs; ++p) {
    const double log = minus_twice_log(s[p], table(upper_word(s[p]))), a = log * s[p];
    const double f = factor(log, a, rough_inverse_root(a));
    add_accepted(sums, s[p], x[p] * f, y[p] * f);
  }
}

/// The pairs of thread t of so many: equal shares, one after another, but for one pair.
struct Share {
  std::int64_t begin, end;
};
SPEEDWELL_HD
inline Share share_of(std::int64_t pairs, std::int64_t thread, std::int64_t threads) {
  // Without products that 64 bits do not hold.
  const std::int64_t each = pairs / threads, left = pairs % threads;
  const std::int64_t begin = each * thread + (thread < left ? thread : left);
  return {begin, begin + each + (thread < left ? 1 : 0)};
}

}  // namespace speedwell::npb::ep
