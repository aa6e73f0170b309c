// EP on all cores: the mathematics of a pair against extended precision, and the answers with every instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

#include "speedwell/apps/npb/ep/block_kernel.hpp"
#include "speedwell/apps/npb/ep/reference.hpp"
#include "speedwell/apps/npb/ep/verify.hpp"

namespace speedwell::npb::ep {
namespace {

std::vector<core::Isa> instruction_sets() {
  std::vector<core::Isa> all = {core::Isa::baseline};
  for (const core::Isa isa : {core::Isa::avx2, core::Isa::avx512})
    if (core::is_available(isa)) all.push_back(isa);
  return all;
}

// Sums of squares of odd multiples of 2^-45: around the bounds of the table and the ends of the range, and at random,
// uniformly in s and in its logarithm.
std::vector<double> awkward_sums() {
  std::vector<double> sums = {1.0, 0x1p-89, 0x1p-88};
  for (int exponent = -88; exponent <= 0; ++exponent)
    for (int sixteenth = 0; sixteenth < 32; ++sixteenth) {
      const double bound = std::ldexp(1 + sixteenth / 32.0, exponent);
      for (const double s : {std::nextafter(bound, 0), bound, std::nextafter(bound, 2)})
        if (s <= 1) sums.push_back(s);
    }
  for (int i = 1; i < 60; ++i) sums.push_back(1 - std::ldexp(1.0, -i));
  std::mt19937_64 engine(5);
  std::uniform_real_distribution<double> uniform(0, 1), exponent(-88, 0);
  for (int i = 0; i < 200000; ++i) {
    sums.push_back(1 - uniform(engine));
    sums.push_back(std::exp2(exponent(engine)));
  }
  while (sums.size() % max_streams != 0) sums.push_back(0.5);
  return sums;
}

// The larger deviate of a pair is at most R = sqrt(-2 ln s). Its logarithm has an error of three roundings of itself
// and the polynomial's 5e-17, the inverse root 2^-52 of what its terms leave out and six roundings of 2^-53: below
// 1e-15 where R <= 1, and 1e-15 R above.
TEST(EpVectorMath, DeviatesAreThoseOfExtendedPrecision) {
  const std::vector<double> sums = awkward_sums();
  std::vector<double> factors(sums.size());
  for (const core::Isa isa : instruction_sets()) {
    kernels_of(isa).factors(sums.data(), static_cast<std::int64_t>(sums.size()), log_table(), factors.data());
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const long double s = sums[i], radius = std::sqrt(-2 * std::log(s));
      const double error = static_cast<double>(std::abs(std::sqrt(s) * factors[i] - radius));
      ASSERT_LE(error, 1e-15 * std::max(1.0, static_cast<double>(radius)))
          << core::to_string(isa) << " s = " << std::hexfloat << sums[i];
    }
  }
}

TEST(EpOnAllCores, GivesTheReferencesAnswer) {
  for (const int m : {10, 11, 15, 16, 17, 20, 21}) {
    const Expected expected = expect({m});
    for (const core::Isa isa : instruction_sets()) {
      const core::Verdict verdict = verify(expected, tally({m}, {.threads = 2, .isa = isa}));
      EXPECT_TRUE(verdict.passed) << m << " " << core::to_string(isa) << ": " << verdict.error << " " << verdict.oracle;
    }
  }
}

TEST(EpOnAllCores, GivesTheOfficialAnswers) {
  for (const Class c : {Class::S, Class::W}) {
    const core::Verdict verdict = verify(expect(problem_of(c)), tally(problem_of(c)));
    EXPECT_TRUE(verdict.passed) << letter(c) << ": " << verdict.error << " " << verdict.oracle;
  }
}

TEST(EpOnAllCores, GivesTheSameBitsOnAnyNumberOfThreads) {
  const Result one = tally({20}, {.threads = 1});
  for (const int threads : {2, 3, 7, 64}) EXPECT_EQ(tally({20}, {.threads = threads}), one) << threads;
}

TEST(EpOnAllCores, RefusesWhatItCannotDo) {
  EXPECT_THROW(tally({9}), std::invalid_argument);
  EXPECT_THROW(tally({45}), std::invalid_argument);
  EXPECT_THROW(tally({20}, {.threads = -1}), std::invalid_argument);
  if (!core::is_available(core::Isa::avx512)) {
    EXPECT_THROW(tally({20}, {.isa = core::Isa::avx512}), std::invalid_argument);
  }
}

}  // namespace
}  // namespace speedwell::npb::ep
