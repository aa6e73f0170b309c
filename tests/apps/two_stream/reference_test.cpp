// The oracle against published values, its own slow alternatives, and what must hold of any column.
#include "speedwell/apps/two_stream/verify/reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "speedwell/core/random.hpp"
#include "tests/apps/two_stream/published.hpp"

namespace speedwell::two_stream {
namespace {

template <class Real>
double off(Real got, Real expected) {
  return static_cast<double>(std::abs(got - expected));
}

double farthest(const std::vector<double>& a, const std::vector<double>& b) {
  double most = a.size() == b.size() ? 0 : 1e300;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) most = std::max(most, off(a[i], b[i]));
  return most;
}

Column<double> sun_column(const SunColumn& v) {
  Column<double> c{.closure = v.closure, .mu0 = 0.6, .incident = 600, .ground_direct = 0.2, .ground_diffuse = 0.2};
  for (const auto& o : sun_column_optics) {
    const LayerOptics<double> layer{o[0], o[1], o[2]};
    c.layers.push_back(v.delta ? delta_scaled(layer) : layer);
  }
  return c;
}

// Some column with layers of every kind.
Column<double> made_up(Source source, std::uint64_t seed, int layers, bool absorbs = true) {
  std::uint64_t i = 0;
  const auto random = [&] { return core::random_uniform(seed, i++); };
  Column<double> c{.closure = closures[seed % std::size(closures)], .source = source};
  for (int l = 0; l < layers; ++l)
    c.layers.push_back(
        {std::pow(10, 4 * random() - 3), absorbs ? 1 - std::pow(10, -6 * random()) : 1, 0.85 * random()});
  c.mu0 = 0.05 + 0.95 * random();
  c.incident = 1000;
  c.ground_direct = random();
  c.ground_diffuse = random();
  for (int l = 0; l <= layers; ++l) c.planck.push_back(50 + 300 * random());
  for (int l = 0; l < layers; ++l) c.planck_middle.push_back((c.planck[l] + c.planck[l + 1]) / 2 + 20 * random());
  c.planck_ground = 400;
  c.emissivity = random();
  return c;
}

TEST(TwoStreamReference, GivesThePublishedLayers) {
  for (const SunVector& v : sun_vectors) {
    const auto a = reference_sun<long double>(v.closure, {v.tau, v.omega, v.g}, v.mu0);
    const auto b = by_doubling<long double>(v.closure, {v.tau, v.omega, v.g}, v.mu0);
    for (const auto* x : {&a, &b}) {
      // The inputs are rounded to double: 0.9999 by half an ulp, which 50 layers of unit depth feel.
      EXPECT_LE(off<double>(x->R, v.R), 4e-15 * v.R);
      EXPECT_LE(off<double>(x->T, v.T), 4e-15 * v.T);
      EXPECT_LE(off<double>(x->T0, v.T0), 4e-15 * v.T0);
      EXPECT_LE(off<double>(x->Rdir, v.Rdir), 2e-15);
      EXPECT_LE(off<double>(x->Tdir, v.Tdir), 2e-15);
    }
  }
  for (const ThermalVector& v : thermal_vectors) {
    const auto a = reference_thermal<long double>(v.closure, {v.tau, v.omega, v.g});
    EXPECT_LE(off<double>(a.c1, v.c1), 1e-15);
    EXPECT_LE(off<double>(a.c2, v.c2), 1e-15);
    EXPECT_LE(off<double>(a.R, v.R), 1e-15);
    EXPECT_LE(off<double>(a.T, v.T), 1e-15);
  }
}

TEST(TwoStreamReference, ClosedFormAndDoublingAgreeAwayFromTheBeamsSlope) {
  std::uint64_t i = 0;
  const auto random = [&] { return core::random_uniform(3, i++); };
  for (int n = 0; n < 500; ++n) {
    const LayerOptics<double> layer{std::pow(10, 6 * random() - 4), 1 - std::pow(10, -6 * random()), 0.85 * random()};
    const double mu0 = 0.05 + 0.95 * random();
    const auto a = reference_sun(closures[n % 7], layer, mu0), b = by_doubling(closures[n % 7], layer, mu0);
    // A doubling doubles the error of R + T, and up to fourteen of them follow each other.
    EXPECT_NEAR(a.R, b.R, 1e-11);
    EXPECT_NEAR(a.T, b.T, 1e-11);
    EXPECT_NEAR(a.Rdir, b.Rdir, 1e-11);
    EXPECT_NEAR(a.Tdir, b.Tdir, 1e-11);
  }
}

TEST(TwoStreamReference, GivesThePublishedSunlitColumns) {
  for (const SunColumn& v : sun_columns) {
    const auto c = sun_column(v);
    for (const auto& f : {reference_column(c), banded_column(c)}) {
      EXPECT_LE(farthest(f.direct, v.direct), 1e-12);
      EXPECT_LE(farthest(f.down, v.down), 1e-12);
      EXPECT_LE(farthest(f.up, v.up), 1e-12);
    }
  }
}

TEST(TwoStreamReference, GivesThePublishedThermalColumns) {
  for (const ThermalColumn& v : thermal_columns) {
    Column<double> c{.closure = v.closure, .source = Source::thermal};
    for (const auto& o : thermal_column_optics) c.layers.push_back({o[0], o[1], o[2]});
    c.planck = thermal_column_planck;
    c.planck_ground = 400;
    c.emissivity = 0.98;
    for (const auto& f : {reference_column(c), banded_column(c)}) {
      EXPECT_LE(farthest(f.down, v.down), 1e-12);
      EXPECT_LE(farthest(f.up, v.up), 1e-12);
    }
  }
}

TEST(TwoStreamReference, RecursionAndBandedSolutionAgree) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed)
    for (const Source source : {Source::sun, Source::thermal}) {
      const auto c = made_up(source, seed, 1 + static_cast<int>(seed % 37));
      const auto a = reference_column(c), b = banded_column(c);
      const double largest = *std::max_element(a.up.begin(), a.up.end()) + 1000;
      EXPECT_LE(farthest(a.up, b.up), 1e-12 * largest) << seed;
      EXPECT_LE(farthest(a.down, b.down), 1e-12 * largest) << seed;
    }
}

TEST(TwoStreamReference, BothConventionsOfTheDownwardFluxAgree) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto c = made_up(Source::sun, seed, 20);
    const auto a = reference_column(c);
    auto b = reference_column_total(c);
    for (std::size_t i = 0; i < b.down.size(); ++i) b.down[i] -= b.direct[i];
    EXPECT_LE(farthest(a.up, b.up), 1e-11) << seed;
    EXPECT_LE(farthest(a.down, b.down), 1e-11) << seed;
  }
}

TEST(TwoStreamReference, NothingIsLostWithoutAbsorptionAboveAWhiteGround) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto c = made_up(Source::sun, seed, 30, false);
    c.ground_direct = c.ground_diffuse = 1;
    const auto f = reference_column(c);
    for (std::size_t i = 0; i < f.up.size(); ++i) EXPECT_NEAR(f.down[i] + f.direct[i] - f.up[i], 0, 1e-8) << seed;
  }
}

TEST(TwoStreamReference, IsothermalColumnsRadiateAsBlackBodiesUpwards) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto c = made_up(Source::thermal, seed, 25);
    if (c.closure == Closure::eddington) continue;  // it reflects without scattering, too
    std::fill(c.planck.begin(), c.planck.end(), 321.0);
    std::fill(c.planck_middle.begin(), c.planck_middle.end(), 321.0);
    c.planck_ground = 321;
    c.emissivity = 1;
    const auto f = reference_column(c);
    // Differential fluxes have no source here but the dark sky, whose scattered light is missing from what goes up.
    EXPECT_LE(f.up.front(), 321 + 1e-10);
    for (auto& layer : c.layers) layer.omega = 0;
    for (const double up : reference_column(c).up) EXPECT_NEAR(up, 321, 1e-10) << to_string(c.closure);
  }
}

TEST(TwoStreamReference, SplittingALayerChangesNothing) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    auto c = made_up(Source::sun, seed, 1);
    const auto whole = reference_column(c);
    const int parts = 2 + static_cast<int>(seed % 9);
    const LayerOptics<double> part{c.layers[0].tau / parts, c.layers[0].omega, c.layers[0].g};
    c.layers.assign(parts, part);
    const auto split = reference_column(c);
    EXPECT_NEAR(split.up.front(), whole.up.front(), 1e-9);
    EXPECT_NEAR(split.down.back(), whole.down.back(), 1e-9);
    EXPECT_NEAR(split.direct.back(), whole.direct.back(), 1e-9);
  }
}

// Helmholtz: a stack transmits the same diffuse light from above and from below.
TEST(TwoStreamReference, StacksTransmitTheSameEitherWay) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto c = made_up(Source::sun, seed, 12);
    const auto transmitted = [&](bool reversed) {
      double T = 1, R = 0;
      for (std::size_t i = 0; i < c.layers.size(); ++i) {
        const auto a = reference_sun(c.closure, c.layers[reversed ? c.layers.size() - 1 - i : i], c.mu0);
        const double between = 1 / (1 - R * a.R);
        R = a.R + a.T * a.T * R * between;
        T *= a.T * between;
      }
      return T;
    };
    EXPECT_NEAR(transmitted(false), transmitted(true), 1e-13 * transmitted(true));
  }
}

TEST(TwoStreamReference, TheOriginalFormIsRightToItsTolerances) {
  // The published c1 of the successor's additive tolerance.
  EXPECT_NEAR(original_layer(Closure::pifm85, {1, 0.3, 0.6}, 0, socrates_tolerances).c1, 0.48564223104374055, 1e-15);
  std::uint64_t i = 0;
  const auto random = [&] { return core::random_uniform(5, i++); };
  for (int n = 0; n < 500; ++n) {
    const LayerOptics<double> layer{std::pow(10, 5 * random() - 3), 1 - std::pow(10, -6 * random()), 0.85 * random()};
    for (const Tolerances& tolerances : {famous_tolerances, socrates_tolerances}) {
      const double mu0 = 0.05 + 0.6 * random();
      const auto a = original_layer(closures[n % 7], layer, mu0, tolerances);
      const auto b = reference_sun(closures[n % 7], layer, mu0);
      EXPECT_NEAR(a.R, b.R, 1e-10);
      EXPECT_NEAR(a.T, b.T, 1e-10);
      EXPECT_NEAR(a.Rdir, b.Rdir, 1e-8);
    }
  }
}

// van de Hulst (1980), table 12: isotropic conservative scattering, tau = 1, from the zenith: 0.34133. A sanity of the
// physics, not of the arithmetic.
TEST(TwoStreamReference, ComesNearTheExactPlaneAlbedo) {
  for (const Closure closure : {Closure::pifm80, Closure::pifm85, Closure::eddington}) {
    const auto a = reference_sun<double>(closure, {1, 1, 0}, 1);
    EXPECT_NEAR(a.Rdir, 0.34133, 0.004);
    EXPECT_NEAR(a.Tdir + a.T0, 0.65867, 0.004);
  }
}

TEST(TwoStreamReference, EddingtonReflectsNegativelyWithoutScattering) {
  EXPECT_NEAR(reference_sun<double>(Closure::eddington, {0.5, 0, 0}, 1).R, -0.0591, 5e-5);
}

}  // namespace
}  // namespace speedwell::two_stream
