// Cloudy columns of three regions: columns that are solved by hand, what they become where the regions do not differ or
// do not exchange light, conservation of energy, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/two_stream/problem.hpp"
#include "tests/apps/two_stream/sunlit_column.hpp"
#include "tests/support/precisions.hpp"

namespace speedwell::two_stream {
namespace {

/// The arrays of some columns that a test changes.
template <class T>
struct Columns {
  std::int64_t columns, layers, points;
  std::vector<T> tau, omega, g, fraction, cloud_tau, cloud_omega, cloud_g, mu0, incident, direct, diffuse;
  std::int64_t top = 0;

  explicit Columns(const Problem& p) : columns(p.columns), layers(p.layers), points(p.points) {
    const SyntheticAtmosphere<T> data(p);
    const auto a = data.atmosphere();
    const std::int64_t all = columns * layers * points, ground = columns * points;
    const auto copy = [](std::vector<T>& to, const T* from, std::int64_t count) { to.assign(from, from + count); };
    copy(tau, a.optical_depth, all);
    copy(omega, a.albedo, all);
    copy(g, a.asymmetry, all);
    copy(fraction, a.cloud_fraction, 2 * columns * layers);
    copy(cloud_tau, a.cloud_optical_depth, 2 * all);
    copy(cloud_omega, a.cloud_albedo, 2 * all);
    copy(cloud_g, a.cloud_asymmetry, 2 * all);
    copy(mu0, a.mu0, columns);
    copy(incident, a.incident, ground);
    copy(direct, a.ground_direct, ground);
    copy(diffuse, a.ground_diffuse, ground);
    top = a.cloud_top;
  }
  Atmosphere<T> clear() const {
    return {.columns = columns,
            .layers = layers,
            .points = points,
            .optical_depth = tau.data(),
            .albedo = omega.data(),
            .asymmetry = g.data(),
            .mu0 = mu0.data(),
            .incident = incident.data(),
            .ground_direct = direct.data(),
            .ground_diffuse = diffuse.data()};
  }
  Atmosphere<T> cloudy() const {
    Atmosphere<T> a = clear();
    a.cloud_top = top;
    a.cloud_fraction = fraction.data();
    a.cloud_optical_depth = cloud_tau.data();
    a.cloud_albedo = cloud_omega.data();
    a.cloud_asymmetry = cloud_g.data();
    return a;
  }
};

template <class T>
struct Solved {
  std::vector<T> up, down, direct;
  explicit Solved(const Atmosphere<T>& a, const Options& options = {})
      : up((a.layers + 1) * a.columns), down(up.size()), direct(up.size()) {
    solve(a, options, {up.data(), down.data(), direct.data()});
  }
};

/// Compares all fluxes, relative to those that fall on the top of their column.
template <class T>
void expect_equal(const Solved<T>& a, const Solved<T>& b, const Columns<T>& of, double tolerance) {
  for (std::size_t k = 0; k < a.up.size(); ++k) {
    const double scale = static_cast<double>(a.direct[k % static_cast<std::size_t>(of.columns)]) * tolerance;
    EXPECT_NEAR(a.up[k], b.up[k], scale) << k;
    EXPECT_NEAR(a.down[k], b.down[k], scale) << k;
    EXPECT_NEAR(a.direct[k], b.direct[k], scale) << k;
  }
}

Problem some_columns(std::int64_t layers = 9) {
  return {.kernel = Kernel::triple, .columns = 61, .layers = layers, .points = 2};
}

SPEEDWELL_EACH_PRECISION(TwoStreamRegions);
template <class T>
constexpr double bound = 2560 * std::numeric_limits<T>::epsilon();  // verify.cpp

TYPED_TEST(TwoStreamRegions, WithEqualPropertiesAreOneRegion) {
  Columns<TypeParam> c(some_columns());
  for (std::size_t k = 0; k < c.cloud_tau.size(); ++k) {
    c.cloud_tau[k] = c.tau[k % c.tau.size()];
    c.cloud_omega[k] = c.omega[k % c.tau.size()];
    c.cloud_g[k] = c.g[k % c.tau.size()];
  }
  ASSERT_TRUE(std::any_of(c.fraction.begin(), c.fraction.end(), [](TypeParam x) { return x > 0; }));
  expect_equal(Solved(c.cloudy()), Solved(c.clear()), c, bound<TypeParam>);
}

TYPED_TEST(TwoStreamRegions, OfWhichOneFillsAllLayersAreThatRegion) {
  Columns<TypeParam> c(some_columns());
  const auto half = c.fraction.size() / 2, all = c.tau.size();
  c.top = 0;
  for (std::size_t region = 0; region < 3; ++region) {
    for (std::size_t k = 0; k < c.fraction.size(); ++k) c.fraction[k] = region == 1 + k / half;
    Columns<TypeParam> alone = c;
    for (std::size_t k = 0; k < all && region > 0; ++k) {
      alone.tau[k] = c.cloud_tau[(region - 1) * all + k];
      alone.omega[k] = c.cloud_omega[(region - 1) * all + k];
      alone.g[k] = c.cloud_g[(region - 1) * all + k];
    }
    expect_equal(Solved(c.cloudy()), Solved(alone.clear()), c, bound<TypeParam>);
  }
}

// Equal fractions in all layers overlap entirely: no light changes its region.
TYPED_TEST(TwoStreamRegions, ThatOverlapEntirelyAreIndependentColumns) {
  Columns<TypeParam> c(some_columns());
  const auto half = c.fraction.size() / 2, all = c.tau.size();
  const double shares[3] = {0.25, 0.125, 0.625};
  c.top = 0;
  for (std::size_t k = 0; k < c.fraction.size(); ++k) c.fraction[k] = static_cast<TypeParam>(shares[1 + k / half]);
  Solved<TypeParam> sum(c.clear());
  for (auto* field : {&sum.up, &sum.down, &sum.direct})
    for (TypeParam& value : *field) value *= static_cast<TypeParam>(shares[0]);
  for (std::size_t region = 1; region < 3; ++region) {
    Columns<TypeParam> alone = c;
    for (std::size_t k = 0; k < all; ++k) {
      alone.tau[k] = c.cloud_tau[(region - 1) * all + k];
      alone.omega[k] = c.cloud_omega[(region - 1) * all + k];
      alone.g[k] = c.cloud_g[(region - 1) * all + k];
    }
    const Solved<TypeParam> own(alone.clear());
    for (std::size_t k = 0; k < sum.up.size(); ++k) {
      sum.up[k] += static_cast<TypeParam>(shares[region]) * own.up[k];
      sum.down[k] += static_cast<TypeParam>(shares[region]) * own.down[k];
      sum.direct[k] += static_cast<TypeParam>(shares[region]) * own.direct[k];
    }
  }
  expect_equal(Solved(c.cloudy()), sum, c, bound<TypeParam>);
}

TYPED_TEST(TwoStreamRegions, WithoutAbsorptionLoseNoLight) {
  for (const std::int64_t layers : {1, 2, 9, 40}) {
    Columns<TypeParam> c(some_columns(layers));
    for (auto* array : {&c.omega, &c.cloud_omega, &c.direct, &c.diffuse}) array->assign(array->size(), 1);
    const Solved<TypeParam> f(c.cloudy());
    for (std::size_t k = 0; k < f.up.size(); ++k) {
      const double in = static_cast<double>(f.down[k]) + static_cast<double>(f.direct[k]), out = f.up[k];
      EXPECT_NEAR(in, out, bound<TypeParam> * std::max(in, static_cast<double>(f.direct[k % 61]))) << layers;
    }
  }
}

// Clouds that begin in each of the layers in turn, and below all of them; a third of the columns is at night.
TEST(TwoStreamRegionsTop, MayBeAnyLayerByDayAndAtNight) {
  Problem p = some_columns(5);
  p.options.night = true;
  Columns<double> c(p);
  for (std::size_t k = 0; k < c.mu0.size(); k += 3) c.mu0[k] = k % 2 ? -0.5 : 0;
  for (c.top = 0; c.top <= c.layers; ++c.top) {
    Solved<double> got(c.cloudy(), p.options);
    const Answer expected = reference(c.cloudy(), p.options);
    const Fluxes<double> to{got.up.data(), got.down.data(), got.direct.data()};
    const auto verdict = [&] { return verify(p, expected, Fluxes<const double>{to.up, to.down, to.direct}); };
    EXPECT_TRUE(verdict().passed) << c.top << ": " << verdict().error;
    solve_serially(c.cloudy(), p.options, to);
    EXPECT_TRUE(verdict().passed) << c.top << ": " << verdict().error;
    for (std::size_t k = 0; k < got.up.size(); k += static_cast<std::size_t>(c.columns)) EXPECT_EQ(got.up[k], 0);
  }
}

// A scattering layer, pifm85 with tau = 1 and omega = 1, over a layer of which half is empty and half the same cloud,
// over black ground: R = T = 1/2, and published.hpp has the fractions of the beam.
TEST(TwoStreamRegionsByHand, TwoLayers) {
  const double Rdir = 0.34196986029286058, Tdir = 0.2901506985356971, T0 = std::exp(-1.0);
  const double tau[] = {1, 0}, omega[] = {1, 0}, g[] = {0, 0}, fraction[] = {0, 0, 0, 0.5};
  const double cloud_tau[] = {9, 9, 9, 1}, cloud_omega[] = {0, 0, 0, 1}, cloud_g[] = {0, 0, 0, 0};
  const Sun sun{.mu0 = 1, .incident = 1, .ground = 0};
  Atmosphere<double> a = sunlit_column(sun, 2, tau, omega, g);
  a.cloud_fraction = fraction;
  a.cloud_optical_depth = cloud_tau;
  a.cloud_albedo = cloud_omega;
  a.cloud_asymmetry = cloud_g;
  for (const std::int64_t top : {1, 0}) {
    a.cloud_top = top;
    const Options options{.closure = Closure::pifm85, .delta = false};
    // Between the layers D = Tdir + U / 2; half of D and of the beam meets the cloud: U = D / 4 + T0 Rdir / 2.
    const double U = (Tdir / 4 + T0 * Rdir / 2) / (1 - 0.125), D = Tdir + U / 2;
    const double up[] = {Rdir + U / 2, U, 0}, down[] = {0, D, D / 2 + D / 4 + T0 * Tdir / 2};
    const double direct[] = {1, T0, T0 / 2 + T0 * T0 / 2};
    const Solved<double> got(a, options);
    const Answer oracle = reference(a, options);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(got.up[i], up[i], 1e-15);
      EXPECT_NEAR(got.down[i], down[i], 1e-15);
      EXPECT_NEAR(got.direct[i], direct[i], 1e-15);
      EXPECT_NEAR(oracle.up[i], up[i], 1e-15);
      EXPECT_NEAR(oracle.down[i], down[i], 1e-15);
      EXPECT_NEAR(oracle.direct[i], direct[i], 1e-15);
    }
  }
}

// What is stratiform above is convective below: the light of a cloud meets the other cloud, and that of the clear sky
// meets the clear sky.
TEST(TwoStreamRegionsByHand, CloudsOfDifferentKindBelowEachOther) {
  const double tau[] = {0.1, 0.2}, none[] = {0, 0, 0, 0}, fraction[] = {0.25, 0, 0, 0.25};
  const double cloud_tau[] = {1, 9, 9, 2};
  const Sun sun{.mu0 = 0.5, .incident = 8, .ground = 0.5};
  Atmosphere<double> a = sunlit_column(sun, 2, tau, none, none);
  a.cloud_fraction = fraction;
  a.cloud_optical_depth = cloud_tau;
  a.cloud_albedo = a.cloud_asymmetry = none;
  // Nothing scatters: the beam decays as e^(-2 tau) in both layers, and so does what the ground reflects (pifm80).
  const double clear = 6 * std::exp(-0.6), cloud = 2 * std::exp(-6.0), ground = 0.5 * (clear + cloud);
  const Solved<double> got(a);
  const Answer oracle = reference(a, {});
  for (const std::vector<double>* up : {&got.up, &oracle.up}) {
    EXPECT_NEAR((*up)[2], ground, 1e-14);
    EXPECT_NEAR((*up)[1], 0.5 * (clear * std::exp(-0.4) + cloud * std::exp(-4.0)), 1e-14);
    EXPECT_NEAR((*up)[0], 0.5 * (clear * std::exp(-0.6) + cloud * std::exp(-6.0)), 1e-14);
  }
  EXPECT_NEAR(got.direct[2], clear + cloud, 1e-14);
  EXPECT_EQ(got.down, std::vector<double>(3, 0));
}

// Nothing scatters; the dark sky has no influence on what goes up.
TEST(TwoStreamRegionsByHand, AnIsothermalColumnSendsUpTheFluxOfABlackBody) {
  const Problem p{.kernel = Kernel::triple, .source = Source::thermal, .columns = 61, .layers = 9, .points = 1};
  const SyntheticAtmosphere<double> data(p);
  auto a = data.atmosphere();
  const std::vector<double> planck(p.columns * (p.layers + 1), 300), one(p.columns, 1),
      no_scattering(2 * p.columns * p.layers, 0);
  a.albedo = a.cloud_albedo = no_scattering.data();
  a.planck_level = a.planck_ground = planck.data();
  a.emissivity = one.data();
  a.weight = nullptr;
  const Solved<double> got(a);
  for (const double up : got.up) EXPECT_NEAR(up, 300, 300 * bound<double>);
  const Answer oracle = reference(a, {});
  for (const double up : oracle.up) EXPECT_NEAR(up, 300, 1e-12);
}

TEST(TwoStreamRegionsOracle, OfColumnsWithoutCloudsIsThatOfOneRegion) {
  Columns<double> c(some_columns());
  c.fraction.assign(c.fraction.size(), 0);
  c.top = 3;
  const Answer cloudy = reference(c.cloudy(), {}), clear = reference(c.clear(), {});
  for (std::size_t k = 0; k < clear.up.size(); ++k) {
    EXPECT_NEAR(cloudy.up[k], clear.up[k], 1e-9);
    EXPECT_NEAR(cloudy.down[k], clear.down[k], 1e-9);
    EXPECT_NEAR(cloudy.direct[k], clear.direct[k], 1e-9);
  }
}

TEST(TwoStreamRegionsOracle, RejectsAWrongFlux) {
  const Problem p = some_columns();
  const SyntheticAtmosphere<double> data(p);
  Solved<double> got(data.atmosphere(), p.options);
  const Answer expected = reference(data.atmosphere(), p.options);
  const auto verdict = [&] {
    return verify(p, expected, Fluxes<const double>{got.up.data(), got.down.data(), got.direct.data()});
  };
  EXPECT_TRUE(verdict().passed) << verdict().error;
  EXPECT_LE(verdict().error, verdict().tolerance / 20);
  got.down[5 * p.columns + 17] += 1e-8;
  EXPECT_FALSE(verdict().passed);
}

TEST(TwoStreamRegionsSynthetic, HaveClearOvercastAndBrokenLayers) {
  const Problem p{.kernel = Kernel::triple, .columns = 1776, .layers = 11, .points = 1};
  const Columns<float> c(p);
  EXPECT_EQ(c.top, cloud_top(p));
  ASSERT_GT(c.top, 0);
  ASSERT_LT(c.top, p.layers / 2);
  int clear = 0, overcast = 0, both = 0, one = 0;
  for (std::int64_t k = 0; k < p.columns * p.layers; ++k) {
    const float s = c.fraction[k], v = c.fraction[p.columns * p.layers + k];
    if (k / p.columns < c.top) {
      EXPECT_EQ(s + v, 0);
      continue;
    }
    clear += s + v == 0;
    overcast += s + v == 1;
    both += s > 0 && v > 0 && s + v < 1;
    one += (s > 0) != (v > 0);
  }
  for (const int count : {clear, overcast, both, one}) EXPECT_GT(count, p.columns / 2);
}

TEST(TwoStreamRegionsContract, NamesTheValueItsPlaceAndWhatIsAllowed) {
  const Columns<double> good({.kernel = Kernel::triple, .columns = 5, .layers = 3, .points = 2});
  const auto complaint = [&](const auto& spoil) {
    Columns<double> c = good;
    spoil(c);
    try {
      require_atmosphere(c.cloudy(), {});
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(complaint([](auto&) {}), "none");
  EXPECT_EQ(complaint([](auto& c) { c.top = 4; }),
            "two_stream: the top of the clouds is layer 4; it must be in [0, 3]");
  EXPECT_EQ(complaint([](auto& c) { c.top = -1; }),
            "two_stream: the top of the clouds is layer -1; it must be in [0, 3]");
  EXPECT_EQ(complaint([](auto& c) {
              c.fraction[7] = 0.5;
              c.fraction[15 + 7] = 0.75;
            }),
            "two_stream: the fractions of clouds at column 2, layer 1 are 0.5 and 0.75; each must be at least 0, and "
            "their sum at most 1");
  EXPECT_NE(complaint([](auto& c) { c.fraction[7] = -0.5; }), "none");
  EXPECT_EQ(
      complaint([](auto& c) { c.cloud_tau[28] = -1; }),
      "two_stream: the optical depth of stratiform cloud at column 3, layer 2, g-point 1 is -1; it must be finite "
      "and at least 0");
  EXPECT_EQ(
      complaint([](auto& c) { c.cloud_omega[30] = 2; }),
      "two_stream: the single-scattering albedo of convective cloud at column 0, layer 0, g-point 0 is 2; it must "
      "be in [0, 1]");
  EXPECT_NE(complaint([](auto& c) { c.cloud_g[59] = 1; }), "none");
  for (std::vector<double> Columns<double>::*array : {&Columns<double>::fraction, &Columns<double>::cloud_tau,
                                                      &Columns<double>::cloud_omega, &Columns<double>::cloud_g}) {
    EXPECT_NE(complaint([&](auto& c) { (c.*array)[4] = nan; }), "none");
    EXPECT_NE(complaint([&](auto& c) { (c.*array)[29] = nan; }), "none");
  }
  auto a = good.cloudy();
  a.cloud_asymmetry = nullptr;
  EXPECT_THROW(require_atmosphere(a, {}), std::invalid_argument);
  a = good.cloudy();
  a.cloud_fraction = nullptr;
  EXPECT_THROW(require_atmosphere(a, {}), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::two_stream
