// The layer of the fast code against published values and against the doubled differential equations, where the closed
// forms are hard: thin layers, no absorption, and the beam's slope at the layer's own.
#include "speedwell/apps/two_stream/layer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "speedwell/apps/two_stream/verify/reference.hpp"
#include "speedwell/core/random.hpp"
#include "tests/apps/two_stream/published.hpp"

namespace speedwell::two_stream {
namespace {

template <class T>
Sunlit<T> sunlit_layer(Closure closure, T tau, T omega, T g, T mu0) {
  using M = ScalarMath<T>;
  return sunlit<M>(optics<M>(tau, omega, g, false), Terms<T>(terms_of(closure)), mu0, 1 / mu0);
}
Slope<double> slope_of(Closure closure, double tau, double omega, double g) {
  using M = ScalarMath<double>;
  return slope<M>(optics<M>(tau, omega, g, false), Terms<double>(terms_of(closure)));
}

void expect_relative(double got, double expected, double tolerance, const char* what) {
  EXPECT_LE(std::abs(got - expected), tolerance * std::abs(expected)) << what << ": " << got << ", not " << expected;
}

TEST(TwoStreamLayer, GivesThePublishedValuesInSunlight) {
  for (const SunVector& v : sun_vectors) {
    SCOPED_TRACE(std::string(to_string(v.closure)) + " " + std::to_string(v.tau) + " " + std::to_string(v.omega));
    const auto l = sunlit_layer(v.closure, v.tau, v.omega, v.g, v.mu0);
    expect_relative(l.reflected, v.R, 1e-14, "R");
    expect_relative(l.transmitted, v.T, 1e-14, "T");
    // The exponent of a direct transmission of e^-50 is rounded by 50 half ulps.
    expect_relative(l.direct, v.T0, 2e-14, "T0");
    expect_relative(l.up, v.Rdir, 1e-14, "Rdir");
    expect_relative(l.down, v.Tdir, 1e-14, "Tdir");
  }
}

TEST(TwoStreamLayer, GivesThePublishedThermalValues) {
  using M = ScalarMath<double>;
  for (const ThermalVector& v : thermal_vectors) {
    const auto o = optics<M>(v.tau, v.omega, v.g, false);
    const auto l = emitting<M>(o, Terms<double>(terms_of(v.closure)), true);
    expect_relative(l.reflected, v.R, 1e-13, "R");  // the last rows are given to 13 digits
    expect_relative(l.transmitted, v.T, 1e-14, "T");
    expect_relative(l.c1, v.c1, 1e-14, "c1");
    expect_relative(l.c2, v.c2, 1e-13, "c2");
  }
}

// Every size of optical depth, albedo and slope, against the equations doubled in long double. R, T and T0 are
// relative; what is scattered from the beam loses digits only for k < 0.1, absolutely by some rounding errors.
TEST(TwoStreamLayer, AgreesWithTheDoubledEquationsEverywhere) {
  double worst_diffuse = 0, worst_beam = 0, worst_absorbing = 0;
  std::uint64_t i = 0;
  const auto random = [&] { return core::random_uniform(7, i++); };
  for (int n = 0; n < 4000; ++n) {
    const Closure closure = closures[n % std::size(closures)];
    const double tau = std::pow(10, 9 * random() - 7), mu0 = 0.02 + 0.98 * random();
    double omega = n % 10 == 0 ? 1 : 1 - std::pow(10, -9 * random()), g = 1.8 * random() - 0.9;
    if (n % 7 == 3) {  // lambda near 1 / mu0: diff for a given sum, to within 1e-12 to 1
      const ClosureTerms c = terms_of(closure);
      g = 0;
      omega = std::clamp(1 - 1 / (mu0 * mu0 * c.sum_0 * c.diff_0) * (1 + std::pow(10, -12 * random())), 0.0, 1.0);
    }
    const auto exact = by_doubling<long double>(closure, {tau, omega, g}, mu0);
    const auto l = sunlit_layer(closure, tau, omega, g, mu0);
    const auto off = [](double got, long double expected) { return static_cast<double>(std::abs(got - expected)); };
    const double R = static_cast<double>(exact.R), T = static_cast<double>(exact.T);
    if (std::abs(R) > 1e-10 * tau) worst_diffuse = std::max(worst_diffuse, off(l.reflected, exact.R) / std::abs(R));
    const double k = slope_of(closure, tau, omega, g).k;
    // e^-x for an x rounded by x / 2^53.
    worst_diffuse = std::max(worst_diffuse, off(l.transmitted, exact.T) / T / (1 + k * tau / 8));
    const double beam = std::max(off(l.up, exact.Rdir), off(l.down, exact.Tdir));
    worst_beam = std::max(worst_beam, beam);
    if (k > 0.1 && exact.Rdir > 0 && tau < 5)
      worst_absorbing = std::max({worst_absorbing, off(l.up, exact.Rdir) / static_cast<double>(exact.Rdir)});
  }
  EXPECT_LE(worst_diffuse, 1e-13);
  EXPECT_LE(worst_beam, 5e-15);
  EXPECT_LE(worst_absorbing, 1e-13);
}

TEST(TwoStreamLayer, LosesNothingWithoutAbsorption) {
  for (const Closure closure : closures)
    for (const double tau : {0.0, 1e-12, 1e-8, 1e-3, 0.3, 1.0, 7.0, 100.0, 1e4})
      for (const double mu0 : {0.05, 0.5, 1.0}) {
        const auto l = sunlit_layer(closure, tau, 1.0, 0.3, mu0);
        EXPECT_LE(std::abs(l.reflected + l.transmitted - 1), 5e-16) << tau;
        EXPECT_LE(std::abs(l.up + l.down + l.direct - 1), 3e-15) << tau << " " << mu0;
      }
}

TEST(TwoStreamLayer, IsTransparentWithoutDepthAndSaturatesWithIt) {
  for (const Closure closure : closures) {
    const auto l = sunlit_layer(closure, 0.0, 0.7, 0.4, 0.3);
    EXPECT_EQ(l.reflected, 0);
    EXPECT_EQ(l.transmitted, 1);
    EXPECT_EQ(l.direct, 1);
    EXPECT_EQ(l.up, 0);
    EXPECT_EQ(l.down, 0);
    const auto thick = sunlit_layer(closure, 1e300, 0.7, 0.4, 0.3);
    EXPECT_EQ(thick.transmitted, 0);
    const double sum = slope_of(closure, 1, 0.7, 0.4).sum, lambda = slope_of(closure, 1, 0.7, 0.4).k;
    EXPECT_NEAR(thick.reflected, (sum - lambda) / (sum + lambda), 1e-15);
    EXPECT_TRUE(std::isfinite(thick.up));
    EXPECT_EQ(thick.down, 0);
  }
}

TEST(TwoStreamLayer, ScattersEquallyEitherWayAtHalfACosineUnderPifm85) {
  for (const double tau : {1e-4, 0.1, 2.0, 30.0})
    for (const double omega : {0.1, 0.9, 0.99999}) {
      const auto l = sunlit_layer(Closure::pifm85, tau, omega, 0.6, 0.5);
      EXPECT_NEAR(l.up, l.reflected, 4e-16 + 1e-14 * l.reflected) << tau << " " << omega;
    }
}

TEST(TwoStreamLayer, KeepsSinglePrecisionToSomeRoundingErrors) {
  std::uint64_t i = 0;
  const auto random = [&] { return core::random_uniform(8, i++); };
  for (int n = 0; n < 4000; ++n) {
    const auto tau = static_cast<float>(std::pow(10, 6 * random() - 4)),
               mu0 = static_cast<float>(0.05 + 0.95 * random());
    const auto omega = n % 10 ? static_cast<float>(1 - std::pow(10, -6 * random())) : 1.0f;
    const auto g = static_cast<float>(0.85 * random());
    const auto l = sunlit_layer(Closure::pifm80, tau, omega, g, mu0);
    const auto exact = by_doubling<double>(Closure::pifm80, {tau, omega, g}, mu0);
    EXPECT_NEAR(l.reflected, exact.R, 1e-6);
    EXPECT_NEAR(l.transmitted, exact.T, 1e-6);
    EXPECT_NEAR(l.up, exact.Rdir, 6e-6) << tau << " " << omega << " " << mu0;
    EXPECT_NEAR(l.down, exact.Tdir, 6e-6) << tau << " " << omega << " " << mu0;
  }
}

TEST(TwoStreamLayer, EmitsAsTheReferenceDoesForEveryDepth) {
  using M = ScalarMath<double>;
  std::uint64_t i = 0;
  const auto random = [&] { return core::random_uniform(9, i++); };
  double worst = 0;
  for (int n = 0; n < 4000; ++n) {
    const Closure closure = closures[n % std::size(closures)];
    const double tau = std::pow(10, 8 * random() - 5), omega = n % 10 ? 1 - std::pow(10, -8 * random()) : 1;
    const double g = 0.9 * random();
    const auto exact = reference_thermal<long double>(closure, {tau, omega, g});
    const auto o = optics<M>(tau, omega, g, false);
    const auto l = emitting<M>(o, Terms<double>(terms_of(closure)), true);
    worst = std::max(
        {worst, std::abs(l.c1 - static_cast<double>(exact.c1)), std::abs(l.c2 - static_cast<double>(exact.c2))});
  }
  EXPECT_LE(worst, 2e-15);
}

TEST(TwoStreamClosure, RefusesCodesThatAreReserved) {
  for (const int code : {0, 1, 3, 5, 7, 8, 9, 10, 11, 13, 17})
    EXPECT_THROW(closure_of_code(code), std::invalid_argument);
  for (const Closure closure : closures) {
    EXPECT_EQ(closure_of_code(static_cast<int>(closure)), closure);
    EXPECT_EQ(closure_of_name(to_string(closure)), closure);
  }
  EXPECT_THROW(closure_of_name("pifm90"), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::two_stream
