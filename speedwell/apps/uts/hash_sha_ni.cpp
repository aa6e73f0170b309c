// Hashes by the SHA instructions of x86-64, four rounds in one instruction, with several hashes under way because each
// waits for the one before. Compiled with these instructions: called where the processor has them, and no inline
// function of a library here, of which the linker might keep this copy.
#include "speedwell/apps/uts/hash_sha_ni.hpp"

#include <immintrin.h>

namespace speedwell::uts::sha_ni {
namespace {

constexpr int under_way = 4;

/// Chain values and blocks as the instructions want them: the first word in the highest lane.
struct Chains {
  __m128i abcd[under_way], e[under_way];
};
struct Messages {
  __m128i words[4][under_way];
};

inline __m128i four(const std::uint32_t (*rows)[Batch::max_size], int i) {
  return _mm_set_epi32(static_cast<int>(rows[0][i]), static_cast<int>(rows[1][i]), static_cast<int>(rows[2][i]),
                       static_cast<int>(rows[3][i]));
}
inline void put_four(std::uint32_t (*rows)[Batch::max_size], int i, __m128i v) {
  rows[0][i] = static_cast<std::uint32_t>(_mm_extract_epi32(v, 3));
  rows[1][i] = static_cast<std::uint32_t>(_mm_extract_epi32(v, 2));
  rows[2][i] = static_cast<std::uint32_t>(_mm_extract_epi32(v, 1));
  rows[3][i] = static_cast<std::uint32_t>(_mm_extract_epi32(v, 0));
}

/// Rounds 4 Group to 4 Group + 3 of all. `before` is the chain's a to d before the last group, and after this one
/// before it: its a, turned, is e.
template <int Group>
[[gnu::always_inline]] inline void advance(__m128i (&abcd)[under_way], __m128i (&before)[under_way], Messages& m) {
  constexpr int now = Group % 4;
  for (int s = 0; s < under_way; ++s) {
    const __m128i word = m.words[now][s];
    const __m128i e = Group == 0 ? _mm_add_epi32(before[s], word) : _mm_sha1nexte_epu32(before[s], word);
    before[s] = abcd[s];
    abcd[s] = _mm_sha1rnds4_epu32(abcd[s], e, Group / 5);
    if constexpr (Group < 16)
      m.words[now][s] = _mm_sha1msg2_epu32(
          _mm_xor_si128(_mm_sha1msg1_epu32(word, m.words[(now + 1) % 4][s]), m.words[(now + 2) % 4][s]),
          m.words[(now + 3) % 4][s]);
  }
}

template <int... Groups>
[[gnu::always_inline]] inline void compress_all(Chains& chains, Messages& m) {
  __m128i abcd[under_way], before[under_way];
  for (int s = 0; s < under_way; ++s) {
    abcd[s] = chains.abcd[s];
    before[s] = chains.e[s];
  }
  (advance<Groups>(abcd, before, m), ...);
  for (int s = 0; s < under_way; ++s) {
    chains.abcd[s] = _mm_add_epi32(chains.abcd[s], abcd[s]);
    chains.e[s] = _mm_sha1nexte_epu32(before[s], chains.e[s]);
  }
}
[[gnu::always_inline]] inline void compress_all(Chains& chains, Messages& m) {
  compress_all<0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19>(chains, m);
}

inline __m128i highest(std::uint32_t word) { return _mm_set_epi32(static_cast<int>(word), 0, 0, 0); }

inline void put(std::uint32_t (*rows)[Batch::max_size], int i, const Chains& chains) {
  for (int s = 0; s < under_way; ++s) {
    put_four(rows, i + s, chains.abcd[s]);
    rows[4][i + s] = static_cast<std::uint32_t>(_mm_extract_epi32(chains.e[s], 3));
  }
}

void children(Batch& batch, int count) {
  const __m128i first =
      _mm_set_epi32(0x67452301, static_cast<int>(0xefcdab89u), static_cast<int>(0x98badcfeu), 0x10325476);
  const __m128i nothing = _mm_setzero_si128();
  for (int i = 0; i < count; i += under_way) {
    Chains chains;
    Messages m;
    for (int s = 0; s < under_way; ++s) {
      chains.abcd[s] = first;
      chains.e[s] = highest(0xc3d2e1f0u);
      m.words[0][s] = four(batch.parent, i + s);
      m.words[1][s] = _mm_set_epi32(static_cast<int>(batch.parent[4][i + s]), static_cast<int>(batch.number[i + s]),
                                    static_cast<int>(0x80000000u), 0);
      m.words[2][s] = nothing;
      m.words[3][s] = _mm_set_epi32(0, 0, 0, 192);
    }
    compress_all(chains, m);
    put(batch.child, i, chains);
  }
}

void compress(Blocks& blocks, int count) {
  for (int i = 0; i < count; i += under_way) {
    Chains chains;
    Messages m;
    for (int s = 0; s < under_way; ++s) {
      chains.abcd[s] = four(blocks.chain, i + s);
      chains.e[s] = highest(blocks.chain[4][i + s]);
      for (int k = 0; k < 4; ++k) m.words[k][s] = four(blocks.block + 4 * k, i + s);
    }
    compress_all(chains, m);
    put(blocks.chain, i, chains);
  }
}

}  // namespace

Hasher hasher() { return {{"SHA instructions", 16}, under_way, children, compress}; }

}  // namespace speedwell::uts::sha_ni
