// The study's five algorithms against the oracle, in both precisions and directions.
#include "speedwell/apps/fft/study.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "tests/numerics/fft/support.hpp"
#include "tests/support/precisions.hpp"

namespace speedwell::fft {
namespace {

SPEEDWELL_EACH_PRECISION(FftStudy);

TYPED_TEST(FftStudy, AgreesWithTheOracleForEveryPowerOfTwo) {
  using T = TypeParam;
  for (std::int64_t n = 1; n <= 65536; n *= 2) {
    const auto x = random_complex<T>(n);
    const auto forward = reference::forward(extended(x)), backward = reference::backward(extended(x));
    for (const Algorithm algorithm : algorithms) {
      if (!supports(algorithm, n)) continue;
      std::vector<std::complex<T>> got(n, NAN);
      StudyTransform<T>(algorithm, n).execute(x, got);
      EXPECT_LE(l2(forward, got), tolerance<T>(n)) << to_string(algorithm) << ", " << n;
      StudyTransform<T>(algorithm, n, Direction::backward).execute(x, got);
      EXPECT_LE(l2(backward, got), tolerance<T>(n)) << to_string(algorithm) << ", backward, " << n;
    }
  }
}

TYPED_TEST(FftStudy, RefusesOtherLengthsAndOverlap) {
  using T = TypeParam;
  for (const std::int64_t n : {-4, 0, 3, 12, 1000})
    for (const Algorithm algorithm : algorithms)
      EXPECT_THROW(StudyTransform<T>(algorithm, n), std::invalid_argument) << n;
  EXPECT_THROW(StudyTransform<T>(Algorithm::radix4, 32), std::invalid_argument);
  const StudyTransform<T> plan(Algorithm::radix2, 16);
  std::vector<std::complex<T>> x(24), y(16);
  EXPECT_THROW(plan.execute(std::span(x).first(16), std::span(x).subspan(8)), std::invalid_argument);
  EXPECT_THROW(plan.execute(std::span(x).first(15), y), std::invalid_argument);
  EXPECT_THROW(plan.execute(std::span(x).first(16), std::span(y).first(8)), std::invalid_argument);
}

// Twiddles by repeated products would show here: 9e-12 instead of 7e-16.
TEST(FftStudyAccuracy, DoesNotGrowWithN) {
  const std::int64_t n = 1 << 20;
  const auto x = random_complex<double>(n);
  std::vector<std::complex<double>> got(n);
  StudyTransform<double>(Algorithm::bit_reversed_2, n).execute(x, got);
  EXPECT_LE(l2(reference::forward(extended(x)), got), tolerance<double>(n));
}

}  // namespace
}  // namespace speedwell::fft
