// Kernel 1 of SSCA#1 on the CPU: Smith-Waterman with affine gaps and one section of main per lane (Rognes, BMC
// Bioinformatics 12 (2011) 221), four columns at a time: H and E of a row stay in registers over the four columns, F
// and the diagonal over the rows.
//
// The zero of a lane is `offset`, far enough above the minimum of the type that no value wraps, and the first value
// above `limit` is still exact, so that an overflow is always detected; the arithmetic is that of
// alignment/cpu/search_kernel.cpp. Two states are used in turn, so that the column before a block is still available if
// the block has a sufficient score.
#include "speedwell/apps/alignment/cpu/wrapping.hpp"
#include "speedwell/apps/ssca1/cpu/kernels.hpp"

#if defined(SPEEDWELL_ISA_avx512) || defined(SPEEDWELL_ISA_avx2)
#include <immintrin.h>
#endif

namespace speedwell::ssca1::SPEEDWELL_ISA {
namespace {

using alignment::gather_codes;
using alignment::gathered_columns;
using alignment::max;
using alignment::Wrapping;
using core::simd::broadcast;
using core::simd::vector_bytes;
using core::simd::width;
constexpr int block = section_block;
static_assert(block == gathered_columns);

template <class Lane, class V>
inline bool any_above(V a, V b) {
  typedef typename Wrapping<Lane>::Compared C;
  const auto mask = (C)a > (C)b;
  std::uint64_t words[vector_bytes / 8], any = 0;
  __builtin_memcpy(words, &mask, sizeof words);
  for (const std::uint64_t word : words) any |= word;
  return any != 0;
}

// scores[match_code][k] = row of the match code at codes[k]; codes and scores are aligned and a multiple of 64 bytes
// long. Codes are below 64 or padding.
[[maybe_unused]] inline void look_up(const SectionBatch& batch, int match_code, const std::uint8_t* codes,
                                     std::int8_t* scores, int count) {
  const std::int8_t* const row = batch.scores + match_code * 256;
  int k = 0;
#if defined(SPEEDWELL_ISA_avx512) || defined(SPEEDWELL_ISA_avx2)
  if (batch.few_symbols) {
    const __m128i* const quarters = reinterpret_cast<const __m128i*>(row);
#if defined(SPEEDWELL_ISA_avx512)
    // The mask of ones avoids GCC 12's warning of an undefined source in the plain broadcast.
    const __m512i a = _mm512_maskz_broadcast_i32x4(0xffff, _mm_loadu_si128(quarters));
    const __m512i b = _mm512_maskz_broadcast_i32x4(0xffff, _mm_loadu_si128(quarters + 1));
    const __m512i c = _mm512_maskz_broadcast_i32x4(0xffff, _mm_loadu_si128(quarters + 2));
    const __m512i d = _mm512_maskz_broadcast_i32x4(0xffff, _mm_loadu_si128(quarters + 3));
    const __m512i sixteen = _mm512_set1_epi8(16), thirty_two = _mm512_set1_epi8(32);
    for (; k + 64 <= count; k += 64) {
      const __m512i code = _mm512_load_si512(codes + k);
      const __mmask64 bit4 = _mm512_test_epi8_mask(code, sixteen), bit5 = _mm512_test_epi8_mask(code, thirty_two);
      __m512i score = _mm512_shuffle_epi8(a, code);
      score = _mm512_mask_shuffle_epi8(score, _kandn_mask64(bit5, bit4), b, code);
      score = _mm512_mask_shuffle_epi8(score, _kandn_mask64(bit4, bit5), c, code);
      score = _mm512_mask_shuffle_epi8(score, _kand_mask64(bit4, bit5), d, code);
      _mm512_store_si512(scores + k, score);
    }
#else
    const __m256i a = _mm256_broadcastsi128_si256(_mm_loadu_si128(quarters));
    const __m256i b = _mm256_broadcastsi128_si256(_mm_loadu_si128(quarters + 1));
    const __m256i c = _mm256_broadcastsi128_si256(_mm_loadu_si128(quarters + 2));
    const __m256i d = _mm256_broadcastsi128_si256(_mm_loadu_si128(quarters + 3));
    for (; k + 32 <= count; k += 32) {
      const __m256i code = _mm256_load_si256(reinterpret_cast<const __m256i*>(codes + k));
      // Bits 4 and 5 of a code, shifted to bit 7, select the quarter of the row.
      const __m256i bit4 = _mm256_slli_epi16(code, 3), bit5 = _mm256_slli_epi16(code, 2);
      const __m256i low = _mm256_blendv_epi8(_mm256_shuffle_epi8(a, code), _mm256_shuffle_epi8(b, code), bit4);
      const __m256i high = _mm256_blendv_epi8(_mm256_shuffle_epi8(c, code), _mm256_shuffle_epi8(d, code), bit4);
      _mm256_store_si256(reinterpret_cast<__m256i*>(scores + k), _mm256_blendv_epi8(low, high, bit5));
    }
#endif
  }
#endif
  for (; k < count; ++k) scores[k] = row[codes[k]];
}

template <class Lane>
struct Sections {
  typedef typename Wrapping<Lane>::Unsigned V;
  static constexpr int lanes = width<Lane>;
  struct Row {
    V h, e;
  };

  static std::int64_t offset(const SectionBatch& batch) { return Wrapping<Lane>::minimum + batch.margin; }

  static std::int32_t value(Lane stored, std::int64_t zero) {
    std::int64_t number = stored;
    if (Wrapping<Lane>::minimum < 0 && number > Wrapping<Lane>::greatest) number += 2 * Wrapping<Lane>::minimum;
    return static_cast<std::int32_t>(number - zero);
  }

  static void unpack(const Row* rows, std::size_t count, int lane, std::int64_t zero, std::int32_t* h,
                     std::int32_t* e) {
    for (std::size_t i = 0; i < count; ++i) {
      h[i] = value(rows[i].h[lane], zero);
      const std::int32_t gap = value(rows[i].e[lane], zero);
      e[i] = gap > 0 ? gap : 0;
    }
  }
  static void store(const SectionBatch& batch, int lane, std::int32_t* h, std::int32_t* e) {
    unpack(reinterpret_cast<const Row*>(batch.states[0]), batch.match_length, lane, offset(batch), h, e);
  }
  static void load(const SectionBatch& batch, int lane, const std::int32_t* h, const std::int32_t* e) {
    Row* const rows = reinterpret_cast<Row*>(batch.states[0]);
    for (std::size_t i = 0; i < batch.match_length; ++i) {
      rows[i].h[lane] = static_cast<Lane>(offset(batch) + h[i]);
      rows[i].e[lane] = static_cast<Lane>(offset(batch) + (e[i] > 0 ? e[i] : 0));
    }
  }

  static bool sweep(const SectionBatch& batch) {
    constexpr int profile_size = block * lanes;
    const std::int64_t zero_value = offset(batch);
    const V zero = broadcast<Lane>(zero_value);
    const V limit = broadcast<Lane>(Wrapping<Lane>::greatest - batch.highest);
    const V first = broadcast<Lane>(batch.gap_first), next = broadcast<Lane>(batch.gap_next);
    const V no_gap = zero - first;
    V below_threshold = limit;
    const auto set_threshold = [&](int lane) {
      const std::int64_t maximum = Wrapping<Lane>::greatest - zero_value;
      const std::int64_t threshold = batch.thresholds[lane] < maximum ? batch.thresholds[lane] : maximum;
      below_threshold[lane] = static_cast<Lane>(zero_value + threshold - 1);
    };
    if (batch.block_found)
      for (int lane = 0; lane < lanes; ++lane) set_threshold(lane);

    Row* rows = reinterpret_cast<Row*>(batch.states[0]);
    Row* rows_out = reinterpret_cast<Row*>(batch.states[1]);
    alignas(64) std::uint8_t codes[profile_size];
    alignas(64) std::int8_t narrow[profile_size];
    V profile[256][block];
    for (std::size_t j = 0; j < batch.columns; j += block) {
      gather_codes<lanes>(batch.main, batch.lengths, padding_code, j, codes);
      for (int k = 0; k < batch.match_code_count; ++k) {
        const int code = batch.match_codes[k];
        Lane* const wide = reinterpret_cast<Lane*>(profile[code]);
        if (sizeof(Lane) == 1) {
          look_up(batch, code, codes, reinterpret_cast<std::int8_t*>(wide), profile_size);
        } else {
          look_up(batch, code, codes, narrow, profile_size);
          for (int p = 0; p < profile_size; ++p) wide[p] = static_cast<Lane>(narrow[p]);
        }
      }

      V best = zero;
      V diagonal[block], f[block];
      for (int c = 0; c < block; ++c) {
        diagonal[c] = zero;
        f[c] = no_gap;
      }
      for (std::size_t i = 0; i < batch.match_length; ++i) {
        const V* const substitution = profile[batch.match[i]];
        V left = rows[i].h;
        V e = rows[i].e;
#pragma GCC unroll 4
        for (int c = 0; c < block; ++c) {
          // E and F are those of this cell; those of the next one are computed from its H.
          const V opened_e = left - first;
          e = max<Lane>(e - next, opened_e);
          V h = diagonal[c] + substitution[c];
          h = max<Lane>(h, e);
          h = max<Lane>(h, f[c]);
          h = max<Lane>(h, zero);
          best = max<Lane>(best, h);
          f[c] = max<Lane>(f[c] - next, h - first);
          diagonal[c] = left;
          left = h;
        }
        rows_out[i] = {left, e};
      }
      if (any_above<Lane>(best, limit)) return false;
      if (batch.block_found && any_above<Lane>(best, below_threshold)) {
        for (int lane = 0; lane < lanes; ++lane) {
          if (value(best[lane], zero_value) < batch.thresholds[lane]) continue;
          std::int32_t* const h = batch.column;
          std::int32_t* const e = h + batch.match_length;
          unpack(rows, batch.match_length, lane, zero_value, h, e);
          batch.thresholds[lane] = batch.block_found(batch.context, lane, j, h, e);
          if (batch.thresholds[lane] == stop_sweep) return false;
          set_threshold(lane);
        }
      }
      Row* const swapped = rows;
      rows = rows_out;
      rows_out = swapped;
    }
    if (rows != reinterpret_cast<Row*>(batch.states[0]))
      __builtin_memcpy(batch.states[0], rows, batch.match_length * sizeof(Row));
    return true;
  }

  static constexpr SectionKernel kernel() {
    return {lanes, Wrapping<Lane>::greatest - Wrapping<Lane>::minimum, sizeof(Row), sweep, load, store};
  }
};

}  // namespace

extern const SectionKernel sections8 = Sections<std::uint8_t>::kernel();
extern const SectionKernel sections16 = Sections<std::uint16_t>::kernel();

}  // namespace speedwell::ssca1::SPEEDWELL_ISA
