// The generator against values that were computed elsewhere, and against long multiplication.
#include "speedwell/apps/npb/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <utility>

namespace speedwell::npb {
namespace {

constexpr std::uint64_t seed_of_ep = 271828183, seed_of_others = 314159265;

TEST(NpbRandom, BeginsWithTheStatesOfBothSeeds) {
  using States = std::array<std::uint64_t, 4>;
  const std::pair<std::uint64_t, States> golden[] = {
      {seed_of_ep, {32883653486115, 55063727434591, 39106144873291, 46899331031975}},
      {seed_of_others, {55909509111989, 61155031930969, 45573031421645, 55279057169489}}};
  for (const auto& [seed, states] : golden) {
    Random random(seed);
    for (const std::uint64_t state : states) {
      random.next();
      EXPECT_EQ(random.state(), state);
    }
  }
}

TEST(NpbRandom, GivesNumbersBetweenZeroAndOne) {
  Random ep(seed_of_ep), others(seed_of_others);
  EXPECT_EQ(ep.next(), 0.46730482219622616);
  EXPECT_EQ(ep.next(), 0.78250263065045544);
  EXPECT_EQ(others.next(), 0.79452191118873827);
  EXPECT_EQ(others.next(), 0.86906527387453991);
}

TEST(NpbRandom, HasThePublishedPowersAndItsPeriod) {
  const std::pair<int, std::uint64_t> powers[] = {
      {16, 1185214627841},  {17, 62362532446209}, {20, 40403910787073}, {24, 13143874994177},
      {30, 67151813672961}, {40, 13194139533313}, {43, 35184372088833}, {44, 1}};
  for (const auto& [k, factor] : powers) EXPECT_EQ(jump(std::uint64_t{1} << k), factor) << "2^" << k;
  EXPECT_EQ(jump(0), 1u);
  EXPECT_EQ(jump(1), multiplier);
}

// a b mod 2^46 by doubling and adding, no intermediate value above 2^47.
std::uint64_t by_doubling(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t modulus = std::uint64_t{1} << 46;
  std::uint64_t sum = 0;
  for (; b > 0; b /= 2, a = (a + a) % modulus)
    if (b % 2 == 1) sum = (sum + a) % modulus;
  return sum;
}

TEST(NpbRandom, ProductsAreThoseOfDoublingAndAdding) {
  std::mt19937_64 engine(1);
  for (int i = 0; i < 10000; ++i) {
    const std::uint64_t a = engine() >> 18, b = engine() >> 18;
    EXPECT_EQ(product(a, b), by_doubling(a, b)) << a << " " << b;
  }
}

TEST(NpbRandom, SkippingIsStepping) {
  for (const std::uint64_t steps : {0, 1, 2, 3, 31, 32, 33, 1000, 65537}) {
    Random stepped(seed_of_ep), skipped(seed_of_ep);
    for (std::uint64_t n = 0; n < steps; ++n) stepped.next();
    skipped.skip(steps);
    EXPECT_EQ(skipped.state(), stepped.state()) << steps;
    EXPECT_EQ(skipped.next(), stepped.next()) << steps;
  }
}

}  // namespace
}  // namespace speedwell::npb
