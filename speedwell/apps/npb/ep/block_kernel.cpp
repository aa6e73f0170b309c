// A block of pairs with one instruction set, a stream in each lane. Rejected pairs (21.5 %) are computed like the
// others and masked: moving the accepted ones together costs about as much as it saves, now that the mathematics is
// short.
#include "speedwell/apps/npb/ep/block_kernel.hpp"

#include "speedwell/apps/npb/ep/vector_math.hpp"

namespace speedwell::npb::ep::SPEEDWELL_ISA {
namespace {

using Mask = decltype(Doubles{} < Doubles{});

// Two vectors side by side: the generator's steps, each waiting for the one before, leave room for another chain.
constexpr int chains = 2;

inline Doubles magnitude(Doubles v) { return same_bits<Doubles>(same_bits<Words>(v) & (~std::uint64_t{0} >> 1)); }

inline bool any(Mask mask) {
#if defined(SPEEDWELL_ISA_avx512)
  return _mm512_movepi64_mask(same_bits<__m512i>(mask)) != 0;
#elif defined(SPEEDWELL_ISA_avx2)
  return _mm256_movemask_pd(same_bits<__m256d>(mask)) != 0;
#elif defined(__SSE2__)
  return _mm_movemask_pd(same_bits<__m128d>(mask)) != 0;
#else
  for (int l = 0; l < width<double>; ++l)
    if (mask[l]) return true;
  return false;
#endif
}

/// Pairs whose larger deviate is at least 0, 1, 2 and 3, in each lane, and those of annuli 4 and more.
struct Counts {
  Mask at_least[4] = {};
  std::int64_t far[10] = {};

  void add(Mask accepted, Doubles larger) {
    at_least[0] -= accepted;
    for (int l = 1; l < 4; ++l) at_least[l] -= larger >= static_cast<double>(l);
    if (__builtin_expect(any(larger >= 4.0), false))  // 1.3 pairs in 10^4
      for (int l = 0; l < width<double>; ++l)
        if (larger[l] >= 4.0 && larger[l] < 10.0) ++far[static_cast<int>(larger[l])];
  }
  void finish(std::int64_t (&counts)[10]) const {
    std::int64_t beyond = 0;
    for (int l = 9; l >= 4; --l) beyond += counts[l] = far[l];
    for (int l = 3; l >= 0; --l) {
      std::int64_t so_far = 0;
      for (int lane = 0; lane < width<double>; ++lane) so_far += at_least[l][lane];
      counts[l] = so_far - beyond;
      beyond = so_far;
    }
  }
};

double sum_of_lanes(const Doubles (&v)[chains]) {
  double sum = 0;
  for (const Doubles& chain : v)
    for (int l = 0; l < width<double>; ++l) sum += chain[l];
  return sum;
}

}  // namespace

void block(const std::uint64_t* states, std::int64_t pairs, const Sixteenths& table, Tally& tally) {
  Words state[chains];
  for (int c = 0; c < chains; ++c) state[c] = core::simd::load(states + c * width<double>) << 6;
  Doubles sum_x[chains] = {}, sum_y[chains] = {};
  Counts counts;
  for (std::int64_t t = 0; t < pairs; ++t)
#pragma GCC unroll 2
    for (int c = 0; c < chains; ++c) {
      state[c] = stepped(state[c]);
      const Doubles x = centred(state[c]);
      state[c] = stepped(state[c]);
      const Doubles y = centred(state[c]);
      const Doubles s = x * x + y * y;
      const Mask accepted = s <= 1.0;
      const Doubles f = factor(s, table);
      // A select, not a product with 0: what is computed of a rejected pair may be NaN.
      const Doubles big_x = accepted ? x * f : Doubles{}, big_y = accepted ? y * f : Doubles{};
      counts.add(accepted, core::simd::larger(magnitude(big_x), magnitude(big_y)));
      sum_x[c] += big_x;
      sum_y[c] += big_y;
    }
  counts.finish(tally.counts);
  tally.sum_x = sum_of_lanes(sum_x);
  tally.sum_y = sum_of_lanes(sum_y);
}

void factors(const double* s, std::int64_t count, const Sixteenths& table, double* out) {
  for (std::int64_t i = 0; i < count; i += width<double>)
    core::simd::store(out + i, factor(core::simd::load(s + i), table));
}

int streams() { return chains * width<double>; }

}  // namespace speedwell::npb::ep::SPEEDWELL_ISA
