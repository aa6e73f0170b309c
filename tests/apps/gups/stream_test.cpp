// The stream and its jumps against values computed from the definition by an independent program, and against the
// ring's laws.
#include "speedwell/apps/gups/stream.hpp"

#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "speedwell/apps/gups/reference.hpp"

namespace speedwell::gups {
namespace {

constexpr std::pair<std::uint64_t, std::uint64_t> known[] = {
    {0, 0x1},
    {1, 0x2},
    {63, 0x8000000000000000},
    {64, 0x7},
    {128, 0x15},
    {1000, 0xb6b6db0000000103},
    {1024, 0x0000000100010001},
    {1000000, 0xc0de85b06ad60981},
    {1 << 20, 0x0000000100010111},
    {1 << 22, 0x0000000100010013},
    {1 << 27, 0x114},
    {std::uint64_t{1} << 32, 0x103},
    {std::uint64_t{1} << 40, 0x0000000100000116},
    {period - 1, 0x8000000000000003},
    {period, 0x1},
};

TEST(GupsStream, JumpsToKnownWords) {
  for (const auto& [n, x] : known) EXPECT_EQ(word(n), x) << n;
}

TEST(GupsStream, TheReferenceStepsToTheKnownWordsWithoutAJump) {
  const auto words = reference::stream(1 << 22);
  for (const auto& [n, x] : known)
    if (n < words.size()) {
      EXPECT_EQ(words[n], x) << n;
    }
}

TEST(GupsStream, StepsAndJumpsMeetTheReferenceEverywhere) {
  const auto words = reference::stream(5000);
  std::uint64_t x = 1;
  for (std::uint64_t n = 0; n < words.size(); ++n, x = next(x)) {
    ASSERT_EQ(x, words[n]) << n;
    ASSERT_EQ(word(n), words[n]) << n;
  }
}

TEST(GupsStream, BeginsAgainAfterItsPeriodAndNotBefore) {
  EXPECT_EQ(word(period), 1u);
  // The period's prime factors: were it shorter, it would divide the period by one of them. 2^63 - 1 = 7^2 73 127 337
  // 92737 649657.
  for (const std::uint64_t prime : {7, 73, 127, 337, 92737, 649657}) {
    ASSERT_EQ(period % prime, 0u);
    EXPECT_NE(word(period / prime), 1u) << prime;
  }
}

TEST(GupsStream, ProductsAddExponents) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 200; ++round) {
    const std::uint64_t n = random() % period, m = random() % period;
    EXPECT_EQ(product(word(n), word(m)), word((n + m) % period)) << n << " " << m;
    EXPECT_EQ(product(word(m), word(n)), word((n + m) % period));
  }
  static_assert(product(1, 0x123456789abcdef0) == 0x123456789abcdef0 && product(2, 5) == next(5));
}

TEST(GupsStream, AdvancesAsManySteps) {
  std::mt19937_64 random(6);
  for (int round = 0; round < 50; ++round) {
    const std::uint64_t begin = random();
    std::uint64_t x = begin;
    for (int steps = 0; steps < 32; ++steps, x = next(x)) ASSERT_EQ(advanced(begin, steps), x) << steps;
  }
}

// Every word of the part and no other, in order, for tables of 1 to 2^40 words, from several beginnings.
TEST(GupsStream, FindsTheWordsOfAPart) {
  for (const int log2_words : {0, 1, 2, 5, 12, 25, 33, 40})
    for (const int log2_parts : {0, 1, 2, 4, 7, 12, 24}) {
      if (log2_parts > log2_words) continue;
      const std::uint64_t parts = std::uint64_t{1} << log2_parts, mask = (std::uint64_t{1} << log2_words) - 1;
      for (const std::uint64_t part : {std::uint64_t{0}, parts / 2, parts - 1})
        for (const std::uint64_t begin : {std::uint64_t{0}, std::uint64_t{123456789012345}}) {
          const PartOfStream<> stream(log2_words, log2_parts, part);
          constexpr std::uint32_t length = 3001;
          std::uint64_t x = word(begin), expected = x;
          std::uint32_t left = length;
          for (std::uint32_t n = 1; n <= length; ++n) {
            expected = next(expected);
            if ((expected & mask) >> (log2_words - log2_parts) != part) continue;
            while (!stream.find_next(x, left)) ASSERT_GT(left, 0u) << "a word of the part was passed over";
            ASSERT_EQ(x, expected) << log2_words << " " << log2_parts << " " << part << " " << n;
            ASSERT_EQ(left, length - n);
          }
          while (left > 0) ASSERT_FALSE(stream.find_next(x, left));
          EXPECT_EQ(x, word(begin + length)) << "the last word of the segment";
          EXPECT_FALSE(stream.find_next(x, left));
        }
    }
}

}  // namespace
}  // namespace speedwell::gups
