// A block of pairs with one instruction set: one stream per SIMD lane, whose accepted pairs (78.5 %) are compacted into
// a buffer, from which logarithms and roots are computed for full vectors.
#include "speedwell/apps/npb/ep/block_kernel.hpp"

#include "speedwell/apps/npb/ep/vector_math.hpp"

namespace speedwell::npb::ep::SPEEDWELL_ISA {
namespace {

using Mask = decltype(Doubles{} < Doubles{});

// Two independent vectors hide the latency of the generator's dependent steps.
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

/// The buffer of accepted pairs.
class Buffer {
 public:
  static constexpr int group = chains * width<double>;  // pairs that are processed together
  static constexpr int steps = 32;                      // steps of all streams between two calls of process_groups()

  void append(Doubles x, Doubles y, Mask accepted) {
#if defined(SPEEDWELL_ISA_avx512)
    const __mmask8 lanes = _mm512_movepi64_mask(same_bits<__m512i>(accepted));
    core::simd::store(x_ + count_, Doubles(_mm512_maskz_compress_pd(lanes, x)));
    core::simd::store(y_ + count_, Doubles(_mm512_maskz_compress_pd(lanes, y)));
    count_ += __builtin_popcount(lanes);
#else
    for (int l = 0; l < width<double>; ++l) {
      x_[count_] = x[l];
      y_[count_] = y[l];
      count_ -= accepted[l];
    }
#endif
  }
  /// Calls process(chain, x, y) for each vector of full groups and moves the remaining pairs to the front.
  template <class Process>
  void process_groups(const Process& process) {
    std::int64_t i = 0;
    for (; i + group <= count_; i += group)
#pragma GCC unroll 2
      for (int c = 0; c < chains; ++c) process(c, load(x_, i, c), load(y_, i, c));
    for (int c = 0; c < chains; ++c) {
      core::simd::store(x_ + c * width<double>, load(x_, i, c));
      core::simd::store(y_ + c * width<double>, load(y_, i, c));
    }
    count_ -= i;
  }
  /// Calls process(x, y, valid lanes) for the remaining pairs, fewer than a group.
  template <class Process>
  void process_rest(const Process& process) {
    for (std::int64_t i = 0; i < count_; i += width<double>)
      process(load(x_, i, 0), load(y_, i, 0), core::simd::iota<Mask>() < count_ - i);
  }

 private:
  static Doubles load(const double* from, std::int64_t i, int c) {
    return core::simd::load(from + i + c * width<double>);
  }
  double x_[(steps + 2) * group] = {}, y_[(steps + 2) * group] = {};
  std::int64_t count_ = 0;
};

/// Sums and counts of accepted pairs per lane.
class Sums {
 public:
  explicit Sums(const LogTable& table) : table_(table) {}

  void add(int chain, Doubles x, Doubles y) {
    const Doubles f = factor(x * x + y * y, table_);
    add_deviates(chain, x * f, y * f);
    at_least_[0] += 1;
  }
  /// As add() for the given lanes; the other lanes are ignored.
  void add_some(Doubles x, Doubles y, Mask lanes) {
    const Doubles f = factor(lanes ? x * x + y * y : Doubles{} + 1.0, table_);
    add_deviates(0, lanes ? x * f : Doubles{}, lanes ? y * f : Doubles{});
    at_least_[0] -= lanes;
  }
  void finish(PartialResult& partial) const {
    partial.sum_x = sum_of_lanes(sum_x_);
    partial.sum_y = sum_of_lanes(sum_y_);
    std::int64_t above = 0;
    for (int l = 9; l >= 4; --l) above += partial.counts[l] = tail_counts_[l];
    for (int l = 3; l >= 0; --l) {
      std::int64_t at_least = 0;
      for (int lane = 0; lane < width<double>; ++lane) at_least += at_least_[l][lane];
      partial.counts[l] = at_least - above;
      above = at_least;
    }
  }

 private:
  void add_deviates(int chain, Doubles x, Doubles y) {
    sum_x_[chain] += x;
    sum_y_[chain] += y;
    const Doubles larger = core::simd::max(magnitude(x), magnitude(y));
    for (int l = 1; l < 4; ++l) at_least_[l] -= larger >= static_cast<double>(l);
    if (__builtin_expect(any(larger >= 4.0), false))  // 1.3 pairs in 10^4
      for (int l = 0; l < width<double>; ++l)
        if (larger[l] >= 4.0 && larger[l] < 10.0) ++tail_counts_[static_cast<int>(larger[l])];
  }
  static double sum_of_lanes(const Doubles (&v)[chains]) {
    double sum = 0;
    for (const Doubles& chain : v)
      for (int l = 0; l < width<double>; ++l) sum += chain[l];
    return sum;
  }

  const LogTable& table_;
  Doubles sum_x_[chains] = {}, sum_y_[chains] = {};
  Mask at_least_[4] = {};              // pairs whose larger deviate is at least 0, 1, 2 and 3
  std::int64_t tail_counts_[10] = {};  // counts of annuli 4 to 9
};

}  // namespace

void block(const std::uint64_t* states, std::int64_t pairs, const LogTable& table, PartialResult& partial) {
  Words state[chains];
  for (int c = 0; c < chains; ++c) state[c] = core::simd::load(states + c * width<double>) << 6;
  Buffer buffer;
  Sums sums(table);
  for (std::int64_t t = 0; t < pairs; t += Buffer::steps) {
    const std::int64_t end = t + Buffer::steps < pairs ? t + Buffer::steps : pairs;
    for (std::int64_t u = t; u < end; ++u)
#pragma GCC unroll 2
      for (int c = 0; c < chains; ++c) {
        state[c] = next_state(state[c]);
        const Doubles x = centred_uniform(state[c]);
        state[c] = next_state(state[c]);
        const Doubles y = centred_uniform(state[c]);
        buffer.append(x, y, x * x + y * y <= 1.0);
      }
    buffer.process_groups([&](int c, Doubles x, Doubles y) { sums.add(c, x, y); });
  }
  buffer.process_rest([&](Doubles x, Doubles y, Mask lanes) { sums.add_some(x, y, lanes); });
  sums.finish(partial);
}

void factors(const double* s, std::int64_t count, const LogTable& table, double* out) {
  for (std::int64_t i = 0; i < count; i += width<double>)
    core::simd::store(out + i, factor(core::simd::load(s + i), table));
}

int streams() { return chains * width<double>; }

}  // namespace speedwell::npb::ep::SPEEDWELL_ISA
