// SHA-1's compression of one block (FIPS 180-4, section 6.1.2), for a 32-bit word or a vector of them, and the two
// messages of the benchmark's generator, each of which is one block. Unrolled whole, so that what is constant in a
// message costs nothing. (Everything is inlined: in files for several instruction sets it leaves no copies behind.)
#pragma once

#include <cstdint>
#include <utility>

#include "speedwell/core/host_device.hpp"

namespace speedwell::uts {

template <class Word>
struct Digest {
  Word h[5];
};

/// a + b.
struct PlainSum {
  template <class Word>
  [[gnu::always_inline]] SPEEDWELL_HD
  inline Word operator()(Word a, Word b) const { return a + b; }
};
/// a + b as a 1 + b, with a 1 that the compiler does not know: on a GPU the units that multiply would be idle, and
/// those that shift and do logic have all they can do.
struct ProductSum {
  std::uint32_t one;
  SPEEDWELL_HD
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a * one + b; }
};

namespace detail {

template <int Bits, class Word>
[[gnu::always_inline]] SPEEDWELL_HD
inline Word rotated(Word x) { return (x << Bits) | (x >> (32 - Bits)); }

template <int Round, class Word, class Sum>
[[gnu::always_inline]] SPEEDWELL_HD
inline void advance(Word (&v)[5], Word (&w)[16], const Sum& sum) {
  constexpr int a = (80 - Round) % 5, b = (a + 1) % 5, c = (a + 2) % 5, d = (a + 3) % 5, e = (a + 4) % 5;
  if constexpr (Round >= 16)
    w[Round % 16] = rotated<1>(w[(Round - 3) % 16] ^ w[(Round - 8) % 16] ^ w[(Round - 14) % 16] ^ w[Round % 16]);
  Word mixed;
  std::uint32_t constant;
  if constexpr (Round < 20) {
    mixed = v[d] ^ (v[b] & (v[c] ^ v[d]));
    constant = 0x5a827999u;
  } else if constexpr (Round >= 40 && Round < 60) {
    mixed = (v[b] & v[c]) | (v[d] & (v[b] | v[c]));
    constant = 0x8f1bbcdcu;
  } else {
    mixed = v[b] ^ v[c] ^ v[d];
    constant = Round < 40 ? 0x6ed9eba1u : 0xca62c1d6u;
  }
  // What does not need the last round's sum comes first: a round then waits for one rotation and one sum.
  v[e] = rotated<5>(v[a]) + (mixed + v[e] + sum(w[Round % 16], Word{} + constant));
  v[b] = rotated<30>(v[b]);
}

template <class Word, class Sum, int... Rounds>
[[gnu::always_inline]] SPEEDWELL_HD
inline void advance_all(Word (&v)[5], Word (&w)[16], const Sum& sum, std::integer_sequence<int, Rounds...>) {
  (advance<Rounds>(v, w, sum), ...);
}

}  // namespace detail

/// The chain value after a block of 16 words, each of them four bytes with the first as the highest.
template <class Word, class Sum = PlainSum>
[[gnu::always_inline]] SPEEDWELL_HD
inline Digest<Word> compressed(const Digest<Word>& chain, Word (&block)[16], const Sum& sum = {}) {
  Word v[5];
  for (int i = 0; i < 5; ++i) v[i] = chain.h[i];
  detail::advance_all(v, block, sum, std::make_integer_sequence<int, 80>());
  Digest<Word> after;
  for (int i = 0; i < 5; ++i) after.h[i] = chain.h[i] + v[i];
  return after;
}

/// The chain value that a message begins with.
template <class Word>
[[gnu::always_inline]] SPEEDWELL_HD
inline Digest<Word> initial_digest() {
  return {
      {Word{} + 0x67452301u, Word{} + 0xefcdab89u, Word{} + 0x98badcfeu, Word{} + 0x10325476u, Word{} + 0xc3d2e1f0u}};
}

/// The state of child `number` of a node: the digest of the node's 20 bytes and the number.
template <class Word, class Sum = PlainSum>
[[gnu::always_inline]] SPEEDWELL_HD
inline Digest<Word> child_digest(const Digest<Word>& parent, Word number, const Sum& sum = {}) {
  const Word zero{};
  Word block[16] = {parent.h[0], parent.h[1], parent.h[2], parent.h[3], parent.h[4], number, zero + 0x80000000u,
                    zero,        zero,        zero,        zero,        zero,        zero,   zero,
                    zero,        zero + 192u};
  return compressed(initial_digest<Word>(), block, sum);
}

/// The state of the root: the digest of 16 bytes of 0 and the seed.
inline Digest<std::uint32_t> root_digest(std::uint32_t seed) {
  std::uint32_t block[16] = {0, 0, 0, 0, seed, 0x80000000u, 0, 0, 0, 0, 0, 0, 0, 0, 0, 160};
  return compressed(initial_digest<std::uint32_t>(), block);
}

/// A node's one random number, of 31 bits.
SPEEDWELL_HD
inline std::uint32_t value_of(std::uint32_t last_word) { return last_word & 0x7fffffffu; }

}  // namespace speedwell::uts
