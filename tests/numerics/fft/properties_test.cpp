// Properties of every Fourier transform, independent of the oracle: published values, exact transforms, Parseval,
// shifts, linearity, convolutions, and the NAS benchmark FT from one end to the other.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "speedwell/numerics/fft/fft.hpp"
#include "tests/numerics/fft/published.hpp"
#include "tests/numerics/fft/support.hpp"

namespace speedwell::fft {
namespace {

using Complex = std::complex<double>;
using Line = std::vector<Complex>;

Line forward(const Line& x) {
  Line out(x.size());
  Plan<double>({.extents = {static_cast<std::int64_t>(x.size())}}, {.threads = 2}).forward(x, out);
  return out;
}

// Powers of two, mixed radices, a prime of its own butterfly, and primes that take a convolution, short and long.
const std::int64_t some_lengths[] = {16, 60, 13, 127, 1000, 4096, 8191, 30030, 65536, 100003};

double allowed(std::int64_t n) { return tolerance<double>(n); }

TEST(FftProperties, GivesThePublishedLines) {
  for (const PublishedLine& p : published_lines) {
    const Line got = forward(random_complex<double>(p.n));
    const double bound = 1e-12 * std::sqrt(static_cast<double>(p.n));  // 13 digits were published
    EXPECT_LE(std::abs(got[0] - p.first), bound) << p.n;
    EXPECT_LE(std::abs(got[1] - p.second), bound) << p.n;
    EXPECT_LE(std::abs(got[p.n / 2] - p.middle), bound) << p.n;
    EXPECT_LE(std::abs(got[3 * p.n / 4 + 1] - p.three_quarters), bound) << p.n;
  }
}

TEST(FftProperties, GivesThePublishedCubes) {
  for (const PublishedCube& p : published_cubes) {
    const std::int64_t n = p.n;
    Line x = random_complex<double>(n * n * n);
    Plan<double>({.extents = {n, n, n}}, {.threads = 2}).forward(x);
    const auto at = [&](std::int64_t i, std::int64_t j, std::int64_t k) { return x[(k * n + j) * n + i]; };
    const double bound = 1e-11 * std::pow(n, 1.5);
    EXPECT_LE(std::abs(at(0, 0, 0) - p.first), bound) << n;
    EXPECT_LE(std::abs(at(1, 2, 3) - p.second), bound) << n;
    EXPECT_LE(std::abs(at(n / 2, n / 4, 1) - p.third), bound) << n;
    EXPECT_NEAR(static_cast<double>(energy<double>(x)) / std::pow(n, 3), p.energy, 1e-11 * p.energy) << n;
  }
}

TEST(FftProperties, AnImpulseBecomesAMode) {
  for (const std::int64_t n : some_lengths) {
    const std::int64_t m = n / 3;
    Line x(n);
    x[m] = 1;
    std::vector<reference::Complex> expected(n);
    for (std::int64_t k = 0; k < n; ++k) expected[k] = reference::root(m * k % n, n);
    EXPECT_LE(l2(expected, forward(x)), allowed(n)) << n;
  }
}

TEST(FftProperties, AModeBecomesAnImpulse) {
  for (const std::int64_t n : some_lengths) {
    const std::int64_t bin = n - n / 5;
    Line x(n);
    for (std::int64_t i = 0; i < n; ++i) x[i] = Complex(std::conj(reference::root(i * bin % n, n)));
    std::vector<reference::Complex> expected(n);
    expected[bin] = static_cast<reference::Real>(n);
    EXPECT_LE(l2(expected, forward(x)), allowed(n)) << n;
  }
}

// X[k] = (1 - a^N) / (1 - a e^{-2 pi i k / N}).
TEST(FftProperties, AGeometricSeriesBecomesItsSum) {
  for (const std::int64_t n : some_lengths) {
    const double a = 0.75;
    Line x(n);
    std::vector<reference::Complex> expected(n);
    for (std::int64_t i = 0; i < n; ++i) {
      x[i] = std::pow(a, static_cast<double>(i));
      expected[i] = (1 - std::pow(static_cast<reference::Real>(a), n)) /
                    (1.0L - static_cast<reference::Real>(a) * reference::root(i, n));
    }
    EXPECT_LE(l2(expected, forward(x)), allowed(n)) << n;
  }
}

TEST(FftProperties, EnergyIsKept) {
  for (const std::int64_t n : some_lengths) {
    const Line x = random_complex<double>(n);
    const auto before = energy<double>(x) * static_cast<long double>(n), after = energy<double>(forward(x));
    EXPECT_LE(std::abs(after / before - 1), 2 * allowed(n)) << n;
  }
}

TEST(FftProperties, AShiftTurnsBins) {
  for (const std::int64_t n : some_lengths) {
    const std::int64_t shift = n / 7 + 1;
    const Line x = random_complex<double>(n), plain = forward(x);
    Line shifted(n);
    for (std::int64_t i = 0; i < n; ++i) shifted[(i + shift) % n] = x[i];
    std::vector<reference::Complex> expected(n);
    for (std::int64_t k = 0; k < n; ++k) expected[k] = reference::Complex(plain[k]) * reference::root(shift * k % n, n);
    EXPECT_LE(l2(expected, forward(shifted)), 2 * allowed(n)) << n;
  }
}

TEST(FftProperties, IsLinear) {
  for (const std::int64_t n : some_lengths) {
    const Complex a(0.5, -2), b(3, 0.25);
    const Line x = random_complex<double>(n, 1), y = random_complex<double>(n, 2), fx = forward(x), fy = forward(y);
    Line sum(n);
    std::vector<reference::Complex> expected(n);
    for (std::int64_t i = 0; i < n; ++i) {
      sum[i] = a * x[i] + b * y[i];
      expected[i] =
          reference::Complex(a) * reference::Complex(fx[i]) + reference::Complex(b) * reference::Complex(fy[i]);
    }
    EXPECT_LE(l2(expected, forward(sum)), 2 * allowed(n)) << n;
  }
}

TEST(FftProperties, AProductOfSpectraIsAConvolution) {
  const std::int64_t n = 360;
  const Line x = random_complex<double>(n, 1), y = random_complex<double>(n, 2), fx = forward(x), fy = forward(y);
  std::vector<reference::Complex> expected(n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) expected[(i + j) % n] += reference::Complex(x[i]) * reference::Complex(y[j]);
  Line product(n);
  for (std::int64_t k = 0; k < n; ++k) product[k] = fx[k] * fy[k];
  Plan<double>({.extents = {n}}, {.threads = 1, .normalisation = Normalisation::backward}).backward(product);
  EXPECT_LE(l2(expected, product), 3 * allowed(n));
}

// NAS Parallel Benchmarks, FT class S: its generator, its evolution, its published checksums.
TEST(FftProperties, SolvesTheHeatEquationOfNasFtClassS) {
  const std::int64_t n = 64;
  const Complex published[] = {{5.546087004964e2, 4.845363331978e2}, {5.546385409189e2, 4.865304269511e2},
                               {5.546148406171e2, 4.883910722336e2}, {5.545423607415e2, 4.901273169046e2},
                               {5.544255039624e2, 4.917475857993e2}, {5.542683411902e2, 4.932597244941e2}};
  std::uint64_t seed = 314159265;
  const auto next = [&seed] {
    seed = seed * 1220703125 % (1ull << 46);  // 5^13; that it wraps at 2^64 does not matter
    return static_cast<double>(seed) * 0x1p-46;
  };
  Line u(n * n * n), w(n * n * n);
  for (Complex& z : u) {
    const double re = next();
    z = {re, next()};
  }
  Plan<double> plan({.extents = {n, n, n}}, {.threads = 2, .normalisation = Normalisation::backward});
  plan.forward(u);
  const auto mode = [n](std::int64_t i) { return static_cast<double>(i < n / 2 ? i : i - n); };
  for (int t = 1; t <= 6; ++t) {
    for (std::int64_t i = 0; i < n * n * n; ++i) {
      const double x = mode(i % n), y = mode(i / n % n), z = mode(i / n / n);
      w[i] = u[i] * std::exp(-4e-6 * std::numbers::pi * std::numbers::pi * (x * x + y * y + z * z) * t);
    }
    plan.backward(w);
    Complex checksum = 0;
    for (std::int64_t j = 1; j <= 1024; ++j) checksum += w[(5 * j % n * n + 3 * j % n) * n + j % n];
    EXPECT_LE(std::abs(checksum - published[t - 1]), 1e-12 * std::abs(published[t - 1])) << t;
  }
}

}  // namespace
}  // namespace speedwell::fft
