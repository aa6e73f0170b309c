// The work of one thread of the best GPU variant, for host and device: several independent pairs at a time. Accepted
// and rejected pairs are both computed, so that lanes of a warp do not diverge.
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

/// The larger of |x| and |y|, truncated to the upper word of the double and reinterpreted as a float. The order is that
/// of the doubles, and comparisons with 1, 2 and 3 are exact, because their lower words are zero. Single precision
/// relieves the FP64 pipe, and its instructions have absolute values as free operand modifiers.
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

/// Processes the next `Pairs` pairs of the stream. table(upper word of s) is the Segment of s;
/// approximate_inverse_root(a) is 1/sqrt(a) with a relative error of 2^-19, and anything for a < 0; tail(x, y, s)
/// counts a pair whose s is below tail_upper_word.
template <int Pairs, class Table, class Root, class Tail>
SPEEDWELL_HD
inline void process_pairs(std::uint64_t& state, LaneSums& sums, const Table& table,
                          const Root& approximate_inverse_root, const Tail& tail) {
  double x[Pairs], y[Pairs], s[Pairs];
  bool any_in_tail = false;
#pragma unroll
  for (int p = 0; p < Pairs; ++p) {
    state = next_state(state);
    x[p] = centred_uniform(state);
    state = next_state(state);
    y[p] = centred_uniform(state);
    s[p] = fma(x[p], x[p], y[p] * y[p]);
    any_in_tail |= upper_word(s[p]) < tail_upper_word;
  }
  if (any_in_tail) {
#pragma unroll
    for (int p = 0; p < Pairs; ++p)
      if (upper_word(s[p]) < tail_upper_word) tail(x[p], y[p], s[p]);
  }
#pragma unroll
  for (int p = 0; p < Pairs; ++p) {
    const std::uint32_t upper = upper_word(s[p]);
    const bool counts = s[p] <= 1.0 && upper >= tail_upper_word;
    const double log = minus_twice_log(s[p], table(upper > tail_upper_word ? upper : tail_upper_word)), a = log * s[p];
    const double exact = factor(log, a, approximate_inverse_root(a));
    // 0 for pairs that do not count, or the lower word of a NaN: below 2^-1042, which changes no sum and is below every
    // bound.
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

/// The pairs of one of `threads` threads: consecutive ranges whose lengths differ by at most one.
struct Share {
  std::int64_t begin, end;
};
SPEEDWELL_HD
inline Share share_of(std::int64_t pairs, std::int64_t thread, std::int64_t threads) {
  // The formula avoids products that overflow 64 bits.
  const std::int64_t each = pairs / threads, left = pairs % threads;
  const std::int64_t begin = each * thread + (thread < left ? thread : left);
  return {begin, begin + each + (thread < left ? 1 : 0)};
}

}  // namespace speedwell::npb::ep
