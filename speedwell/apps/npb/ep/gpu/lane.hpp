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

/// count += larger >= bound, as one predicated instruction after the comparison.
SPEEDWELL_HD
inline void count_if_at_least(std::uint32_t& count, float larger, double bound) {
  const float word = __builtin_bit_cast(float, upper_word(bound));
#ifdef __CUDA_ARCH__
  asm("{\n\t.reg .pred p;\n\tsetp.ge.f32 p, %1, %2;\n\t@p add.u32 %0, %0, 1;\n\t}"
      : "+r"(count)
      : "f"(larger), "f"(word));
#else
  count += larger >= word;
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
      if (upper_word(s[p]) < far_upper_word) far(x[p], y[p], s[p]);
  }
#pragma unroll
  for (int p = 0; p < Pairs; ++p) {
    const std::uint32_t upper = upper_word(s[p]);
    const bool counts = s[p] <= 1.0 && upper >= far_upper_word;
    const double log = minus_twice_log(s[p], table(upper > far_upper_word ? upper : far_upper_word)), a = log * s[p];
    const double exact = factor(log, a, rough_inverse_root(a));
    // 0 where the pair does not count, or what is left of a NaN without its upper word: less than 2^-1042, which
    // changes no sum and is below every bound.
    const double f = of_words(counts ? upper_word(exact) : 0, lower_word(exact));
    const float larger = larger_upper_word(x[p] * f, y[p] * f);
    sums.x = fma(x[p], f, sums.x);
    sums.y = fma(y[p], f, sums.y);
    sums.at_least[0] += counts;
    count_if_at_least(sums.at_least[1], larger, 1.0);
    count_if_at_least(sums.at_least[2], larger, 2.0);
    count_if_at_least(sums.at_least[3], larger, 3.0);
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
