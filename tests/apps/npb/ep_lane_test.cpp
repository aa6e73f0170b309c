// The best GPU variant's mathematics and a thread's work with its share, on the host: against extended precision and
// the reference. The device adds its own estimate root, the table in shared memory and the sums of blocks
// (ep_gpu_test.cpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "speedwell/apps/npb/ep/gpu/lane.hpp"
#include "speedwell/apps/npb/ep/verify.hpp"
#include "speedwell/apps/npb/random.hpp"

namespace speedwell::npb::ep {
namespace {

const Segment& segment_at(const std::vector<Segment>& table, std::uint32_t upper) {
  return table.at((upper >> segment_shift) - first_segment);
}

// As wrong as the device's may be: it sees the upper word alone, and `off` besides.
double approximate_inverse_root(double a, double off) {
  return static_cast<double>(1 / std::sqrt(static_cast<long double>(of_words(upper_word(a), 0)))) * (1 + off);
}

TEST(EpLane, StepsTheGeneratorBitForBit) {
  std::mt19937_64 engine(3);
  for (int i = 0; i < 10000; ++i) {
    Random random((engine() & state_mask) | 1);
    const std::uint64_t state = next_state(pack_state(random.state()));
    const double number = random.next();
    EXPECT_EQ(state << 12 >> 18, random.state());
    EXPECT_EQ(centred_uniform(state), 2 * number - 1);
  }
}

// L = -2 ln(s) has the polynomial's 9e-15 and a few roundings of itself, and in R = sqrt(L) that is 9e-15 / (2 R) and a
// few of R; the inverse root leaves out 2^-53. From R = 1/8 to 1 that is at most 5e-14, above 5e-14 R; below 1/8 s is
// beside 1, where the polynomial's error is as small as a term of its series that it leaves out.
TEST(EpLane, DeviatesAreThoseOfExtendedPrecision) {
  const std::vector<Segment> table = segments();
  std::vector<double> sums = {1.0, 0x1p-12};
  for (int segment = 1; segment < 12 * 64; ++segment) {
    const double bound = std::ldexp(1 + segment % 64 / 64.0, segment / 64 - 12);
    for (const double s : {std::nextafter(bound, 0), bound, std::nextafter(bound, 1)}) sums.push_back(s);
  }
  for (int i = 1; i < 60; ++i) sums.push_back(1 - std::ldexp(1.0, -i));
  std::mt19937_64 engine(7);
  std::uniform_real_distribution<double> uniform(0x1p-12, 1);
  for (int i = 0; i < 200000; ++i) sums.push_back(uniform(engine));
  for (const double off : {-0x1p-21, 0.0, 0x1p-21})
    for (const double s : sums) {
      const double log = minus_twice_log(s, segment_at(table, upper_word(s)));
      const double f = factor(log, log * s, approximate_inverse_root(log * s, off));
      const long double radius = std::sqrt(-2 * std::log(static_cast<long double>(s)));
      const double error = static_cast<double>(std::abs(std::sqrt(static_cast<long double>(s)) * f - radius));
      ASSERT_LE(error, 5e-14 * std::max(1.0, static_cast<double>(radius))) << std::hexfloat << s;
    }
}

TEST(EpLane, UpperWordsCompareAsTheirDoublesDo) {
  for (const double bound : {1.0, 2.0, 3.0}) {
    const float word = larger_upper_word(bound, 0.25);
    for (const double at_least : {bound, std::nextafter(bound, 9), bound + 0.25}) {
      EXPECT_GE(larger_upper_word(at_least, 0.125), word);
      EXPECT_GE(larger_upper_word(0.125, -at_least), word);
    }
    const double below = std::nextafter(bound, 0);
    EXPECT_LT(larger_upper_word(-below, below), word);
  }
}

TEST(EpLane, FarPairsAreAllThatMayLieInAnnulusFour) {
  EXPECT_GT(of_words(tail_upper_word, 0), std::exp(-8.0));
  EXPECT_GE(of_words(tail_upper_word, 0), 0x1p-12);
}

TEST(EpLane, SharesAreEqualAndWhole) {
  for (const std::int64_t pairs : {1024, 1 << 20})
    for (const std::int64_t threads : {1, 7, 1000, 1024, 1025, 168960}) {
      std::int64_t next = 0;
      for (std::int64_t t = 0; t < threads; ++t) {
        const Share share = share_of(pairs, t, threads);
        ASSERT_EQ(share.begin, next);
        ASSERT_GE(share.end - share.begin, pairs / threads);
        ASSERT_LE(share.end - share.begin, pairs / threads + 1);
        next = share.end;
      }
      EXPECT_EQ(next, pairs);
    }
}

// All threads of a device, one after another.
template <int Pairs>
Result in_lanes(const Problem& problem, std::int64_t threads) {
  const std::vector<Segment> table = segments();
  Result result;
  std::array<std::int64_t, 4> at_least = {};
  for (std::int64_t t = 0; t < threads; ++t) {
    const Share share = share_of(pairs(problem), t, threads);
    Random random(seed);
    random.skip(static_cast<std::uint64_t>(2 * share.begin));
    std::uint64_t state = pack_state(random.state());
    LaneSums sums;
    const auto look_up = [&](std::uint32_t upper) { return segment_at(table, upper); };
    const auto root = [](double a) { return a < 0 ? std::nan("") : approximate_inverse_root(a, 0x1p-21); };
    const auto tail = [&](double x, double y, double s) {
      const double f = std::sqrt(-2 * std::log(s) / s);
      ++result.counts[static_cast<std::size_t>(std::max(std::abs(x * f), std::abs(y * f)))];
      sums.x += x * f;
      sums.y += y * f;
    };
    std::int64_t left = share.end - share.begin;
    for (; left >= Pairs; left -= Pairs) process_pairs<Pairs>(state, sums, look_up, root, tail);
    for (; left > 0; --left) process_pairs<1>(state, sums, look_up, root, tail);
    result.sum_x += sums.x;
    result.sum_y += sums.y;
    for (std::size_t l = 0; l < 4; ++l) at_least[l] += sums.at_least[l];
  }
  for (std::size_t l = 0; l < 4; ++l) result.counts[l] += at_least[l] - (l < 3 ? at_least[l + 1] : 0);
  return result;
}

TEST(EpLane, GiveTheReferencesAnswerTogether) {
  for (const int m : {10, 16, 20}) {
    const Expected expected = expect({m});
    for (const std::int64_t threads : {1, 7, 1000}) {
      EXPECT_TRUE(verify(expected, in_lanes<1>({m}, threads)).passed) << m << " " << threads;
      EXPECT_TRUE(verify(expected, in_lanes<2>({m}, threads)).passed) << m << " " << threads;
      EXPECT_TRUE(verify(expected, in_lanes<4>({m}, threads)).passed) << m << " " << threads;
    }
  }
}

TEST(EpLane, GiveTheOfficialAnswerTogether) {
  EXPECT_TRUE(verify(expect(problem_of(Class::S)), in_lanes<2>(problem_of(Class::S), 4096)).passed);
}

}  // namespace
}  // namespace speedwell::npb::ep
