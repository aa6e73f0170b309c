// Smith-Waterman with affine gaps, one subject per lane (Rognes, BMC Bioinformatics 12 (2011) 221), four columns at a
// time: H and E of a row stay in registers over the four, F and the diagonal over the rows.
//
// A lane's zero is `offset`, far enough above the type's least value that nothing wraps below it: with first the cost
// of a gap of one residue, E and F are at least offset - first, one step lower at offset - first - next. Upwards a
// cell gains at most `highest` on its neighbours, so the first value past capacity - highest is still exact, the
// maximum keeps it, and whatever wraps afterwards cannot hide it. That makes plain additions do, which AVX-512 issues
// on two ports where saturating ones have one: more cells per second on a Xeon with AVX-512 FP16.
// Its bound is the six maxima of a cell, which have one port; moving some to the other as a comparison and a masked
// move gained nothing, and neither would VBMI, because a profile of the four columns takes little of the time. Two
// columns at a time are slower.
#include "speedwell/apps/alignment/cpu/search_kernel.hpp"

#include "speedwell/apps/alignment/cpu/wrapping.hpp"

#if defined(SPEEDWELL_ISA_avx512) || defined(SPEEDWELL_ISA_avx2) || defined(SPEEDWELL_ISA_sse41)
#include <immintrin.h>
#endif

namespace speedwell::alignment::SPEEDWELL_ISA {
namespace {

using core::simd::broadcast;
using core::simd::vector_bytes;
using core::simd::width;
constexpr int block = gathered_columns;

// scores[k] = row[codes[k]] of `count` codes below 32, a multiple of 16 bytes; scores and codes are aligned to it.
inline void look_up(const std::int8_t* row, const std::uint8_t* codes, std::int8_t* scores, int count) {
#if defined(SPEEDWELL_ISA_avx512) || defined(SPEEDWELL_ISA_avx2)
  int k = 0;
#if defined(SPEEDWELL_ISA_avx512)
  // With a mask of ones: GCC 12 warns of the plain broadcast's undefined source.
  const __m512i low = _mm512_maskz_broadcast_i32x4(0xffff, _mm_loadu_si128((const __m128i*)row));
  const __m512i high = _mm512_maskz_broadcast_i32x4(0xffff, _mm_loadu_si128((const __m128i*)(row + 16)));
  const __m512i sixteen = _mm512_set1_epi8(16);
  for (; k + 64 <= count; k += 64) {
    const __m512i code = _mm512_load_si512(codes + k);
    const __m512i a = _mm512_shuffle_epi8(low, code);
    _mm512_store_si512(scores + k, _mm512_mask_shuffle_epi8(a, _mm512_test_epi8_mask(code, sixteen), high, code));
  }
#endif
  const __m256i low32 = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i*)row));
  const __m256i high32 = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i*)(row + 16)));
  for (; k < count; k += 32) {
    const __m256i code = _mm256_load_si256((const __m256i*)(codes + k));
    // Bit 4 of a code, moved to bit 7, chooses between the halves of the row.
    const __m256i score = _mm256_blendv_epi8(_mm256_shuffle_epi8(low32, code), _mm256_shuffle_epi8(high32, code),
                                             _mm256_slli_epi16(code, 3));
    _mm256_store_si256((__m256i*)(scores + k), score);
  }
#elif defined(SPEEDWELL_ISA_sse41)
  const __m128i low = _mm_loadu_si128((const __m128i*)row), high = _mm_loadu_si128((const __m128i*)(row + 16));
  for (int k = 0; k < count; k += 16) {
    const __m128i code = _mm_load_si128((const __m128i*)(codes + k));
    _mm_store_si128((__m128i*)(scores + k), _mm_blendv_epi8(_mm_shuffle_epi8(low, code), _mm_shuffle_epi8(high, code),
                                                            _mm_slli_epi16(code, 3)));
  }
#else
  for (int k = 0; k < count; ++k) scores[k] = row[codes[k]];
#endif
}

template <class Lane>
void score(const LaneBatch& batch) {
  typedef typename Wrapping<Lane>::Unsigned V;
  constexpr int lanes = width<Lane>;
  constexpr int profile_size = block * lanes;
  const std::int64_t offset = Wrapping<Lane>::minimum + batch.margin;
  const std::int64_t limit = Wrapping<Lane>::greatest - batch.highest;
  const V zero = broadcast<Lane>(offset);
  const V first = broadcast<Lane>(batch.gap_first);
  const V next = broadcast<Lane>(batch.gap_next);
  const V no_gap = zero - first;

  std::size_t columns = 0;
  for (int lane = 0; lane < lanes; ++lane)
    if (batch.lengths[lane] > columns) columns = batch.lengths[lane];

  struct Row {
    V h, e;
  };
  Row* const rows = reinterpret_cast<Row*>(batch.workspace);
  for (std::size_t i = 0; i < batch.query_length; ++i) rows[i] = {zero, no_gap};

  alignas(64) std::uint8_t codes[profile_size];
  alignas(64) std::int8_t narrow[profile_size];
  V profile[32][block];
  V best = zero;
  for (std::size_t j = 0; j < columns; j += block) {
    gather_codes<lanes>(batch.subjects, batch.lengths, padding_code, j, codes);
    for (int k = 0; k < batch.query_symbol_count; ++k) {
      const int symbol = batch.query_symbols[k];
      Lane* const wide = reinterpret_cast<Lane*>(profile[symbol]);
      if (sizeof(Lane) == 1) {
        look_up(batch.scores + symbol * 32, codes, reinterpret_cast<std::int8_t*>(wide), profile_size);
      } else {
        look_up(batch.scores + symbol * 32, codes, narrow, profile_size);
        for (int p = 0; p < profile_size; ++p) wide[p] = static_cast<Lane>(narrow[p]);
      }
    }

    V diagonal[block], f[block];
    for (int c = 0; c < block; ++c) {
      diagonal[c] = zero;
      f[c] = no_gap;
    }
    for (std::size_t i = 0; i < batch.query_length; ++i) {
      const V* const substitution = profile[batch.query[i]];
      V left = rows[i].h;
      V e = rows[i].e;
#pragma GCC unroll 4
      for (int c = 0; c < block; ++c) {
        V h = diagonal[c] + substitution[c];
        h = max<Lane>(h, e);
        h = max<Lane>(h, f[c]);
        h = max<Lane>(h, zero);
        best = max<Lane>(best, h);
        const V opened = h - first;
        e = max<Lane>(e - next, opened);
        f[c] = max<Lane>(f[c] - next, opened);
        diagonal[c] = left;
        left = h;
      }
      rows[i] = {left, e};
    }
  }

  typedef typename Wrapping<Lane>::Compared C;
  const C found = (C)best;
  for (int lane = 0; lane < lanes; ++lane) {
    const std::int64_t value = found[lane];
    batch.results[lane] = value > limit ? -1 : value - offset;
  }
}

template <class Lane>
constexpr LaneKernel kernel() {
  return {width<Lane>, Wrapping<Lane>::greatest - Wrapping<Lane>::minimum, score<Lane>};
}

}  // namespace

extern const SearchKernels search_kernels = {kernel<std::uint8_t>(), kernel<std::uint16_t>(), kernel<std::uint32_t>(),
                                             vector_bytes};

}  // namespace speedwell::alignment::SPEEDWELL_ISA
