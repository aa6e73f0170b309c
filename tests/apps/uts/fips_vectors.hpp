// SHA-1's test vectors of FIPS 180-2, appendix A, and of the empty message, as padded blocks of words.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace speedwell::uts {

struct FipsVector {
  std::string name;
  std::vector<std::array<std::uint32_t, 16>> blocks;
  std::array<std::uint32_t, 5> digest;
};

inline std::vector<std::array<std::uint32_t, 16>> padded_blocks(const std::string& message) {
  std::string bytes = message + '\x80';
  while (bytes.size() % 64 != 56) bytes += '\0';
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(8 * message.size() >> (56 - 8 * i));
  std::vector<std::array<std::uint32_t, 16>> blocks(bytes.size() / 64);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    blocks[i / 64][i % 64 / 4] |= std::uint32_t{static_cast<unsigned char>(bytes[i])} << (24 - i % 4 * 8);
  return blocks;
}

inline std::vector<FipsVector> fips_vectors() {
  const std::string two_blocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
  return {
      {"", padded_blocks(""), {0xda39a3ee, 0x5e6b4b0d, 0x3255bfef, 0x95601890, 0xafd80709}},
      {"abc", padded_blocks("abc"), {0xa9993e36, 0x4706816a, 0xba3e2571, 0x7850c26c, 0x9cd0d89d}},
      {two_blocks, padded_blocks(two_blocks), {0x84983e44, 0x1c3bd26e, 0xbaae4aa1, 0xf95129e5, 0xe54670f1}},
      {"a million a",
       padded_blocks(std::string(1000000, 'a')),
       {0x34aa973c, 0xd4c4daa4, 0xf61eeb2b, 0xdbad2731, 0x6534016f}},
  };
}

}  // namespace speedwell::uts
