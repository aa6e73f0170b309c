// The fast columns of the CPU against the oracle, in every instruction set that this processor has.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "speedwell/apps/two_stream/cpu/cpu_columns.hpp"
#include "speedwell/apps/two_stream/problem.hpp"
#include "tests/apps/two_stream/published.hpp"
#include "tests/apps/two_stream/sunlit_column.hpp"
#include "tests/support/precisions.hpp"

namespace speedwell::two_stream {
namespace {

template <class T>
struct Got {
  std::vector<T> up, down, direct;
  explicit Got(const Problem& p) {
    for (auto* field : {&up, &down, &direct})
      field->assign((p.layers + 1) * p.columns, std::numeric_limits<T>::quiet_NaN());
  }
  Fluxes<T> fluxes() { return {up.data(), down.data(), direct.data()}; }
  Fluxes<const T> seen() const { return {up.data(), down.data(), direct.data()}; }
};

std::vector<Problem> awkward() {
  std::vector<Problem> all;
  for (const auto& [columns, layers, points] :
       {std::array<std::int64_t, 3>{1, 1, 1}, {7, 13, 3}, {8, 1, 2}, {9, 2, 1}, {33, 5, 2}, {64, 20, 1}, {131, 128, 2}})
    for (const Source source : {Source::sun, Source::thermal})
      for (const Kernel kernel : {Kernel::column, Kernel::triple})
        for (const bool delta : {false, true}) {
          Problem p{.kernel = kernel,
                    .source = source,
                    .quadratic = delta,
                    .columns = columns,
                    .layers = layers,
                    .points = points};
          p.options.delta = delta;
          p.options.closure = closures[all.size() % std::size(closures)];
          all.push_back(p);
        }
  return all;
}

std::string named(const Problem& p) {
  return std::to_string(p.columns) + " x " + std::to_string(p.layers) + " x " + std::to_string(p.points) + " " +
         std::string(to_string(p.options.closure)) + (p.source == Source::sun ? " sun" : " thermal") +
         (p.kernel == Kernel::triple ? " triple" : "");
}

SPEEDWELL_EACH_PRECISION(TwoStreamCpu);

TYPED_TEST(TwoStreamCpu, ColumnsAgreeWithTheOracleOnAwkwardShapes) {
  double worst = 0;
  for (Problem p : awkward()) {
    const SyntheticAtmosphere<TypeParam> data(p);
    const auto expected = reference(data.atmosphere(), p.options);
    for (const int threads : {0, 1, 3}) {
      Got<TypeParam> got(p);
      p.options.threads = threads;
      if (threads == 0)
        solve_serially(data.atmosphere(), p.options, got.fluxes());
      else
        solve(data.atmosphere(), p.options, got.fluxes());
      const auto verdict = verify(p, expected, got.seen());
      EXPECT_TRUE(verdict.passed) << named(p) << ", " << threads << " threads: " << verdict.error;
      worst = std::max(worst, verdict.error / verdict.tolerance);
    }
  }
  EXPECT_LE(worst, 0.25);
}

TYPED_TEST(TwoStreamCpu, EveryInstructionSetAgreesWithTheOracle) {
  std::vector<core::Isa> sets = {core::Isa::baseline};
  for (const core::Isa isa : {core::Isa::avx2, core::Isa::avx512})
    if (core::is_available(isa)) sets.push_back(isa);
  for (const Problem& p : awkward()) {
    const SyntheticAtmosphere<TypeParam> data(p);
    const auto expected = reference(data.atmosphere(), p.options);
    for (const core::Isa isa : sets) {
      const auto kernels = column_kernels<TypeParam>(isa);
      Got<TypeParam> got(p);
      const Terms<TypeParam> terms(terms_of(p.options.closure));
      const BlockJob<TypeParam> job{data.atmosphere(), got.fluxes(), &terms, p.options.delta};
      std::vector<TypeParam> scratch(scratch_elements(data.atmosphere(), kernels.width * 3));
      for (std::int64_t c = 0; c < p.columns; c += 3 * kernels.width) {
        const auto left = (p.columns - c + kernels.width - 1) / kernels.width;
        kernels.block_for(data.atmosphere())(job, c, static_cast<int>(std::min<std::int64_t>(3, left)), scratch.data());
      }
      const auto verdict = verify(p, expected, got.seen());
      EXPECT_TRUE(verdict.passed) << named(p) << ", " << core::to_string(isa) << ": " << verdict.error;
    }
  }
}

TYPED_TEST(TwoStreamCpu, BitsDoNotDependOnTheThreads) {
  for (const Kernel kernel : {Kernel::column, Kernel::triple}) {
    Problem p{.kernel = kernel, .columns = 777, .layers = 19, .points = 3};
    const SyntheticAtmosphere<TypeParam> data(p);
    Got<TypeParam> one(p);
    solve(data.atmosphere(), p.options, one.fluxes());
    for (const int threads : {2, 3, 8, 64}) {
      Got<TypeParam> many(p);
      p.options.threads = threads;
      solve(data.atmosphere(), p.options, many.fluxes());
      EXPECT_EQ(std::memcmp(one.up.data(), many.up.data(), one.up.size() * sizeof(TypeParam)), 0) << threads;
      EXPECT_EQ(std::memcmp(one.down.data(), many.down.data(), one.down.size() * sizeof(TypeParam)), 0) << threads;
    }
  }
}

TYPED_TEST(TwoStreamCpu, CoefficientsAgreeWithTheOracle) {
  for (Problem p : awkward()) {
    p.kernel = Kernel::coefficients;
    const SyntheticAtmosphere<TypeParam> data(p);
    const std::size_t all = p.columns * p.layers * p.points;
    std::vector<std::vector<TypeParam>> c(5, std::vector<TypeParam>(all, std::numeric_limits<TypeParam>::quiet_NaN()));
    layer_coefficients(data.atmosphere(), p.options, {c[0].data(), c[1].data(), c[2].data(), c[3].data(), c[4].data()});
    const auto verdict =
        verify<TypeParam>(p, data.atmosphere(), {c[0].data(), c[1].data(), c[2].data(), c[3].data(), c[4].data()});
    EXPECT_TRUE(verdict.passed) << named(p) << ": " << verdict.error;
    const LayerAnswers expected = reference_layers(data.atmosphere(), p.options);
    const auto stored =
        verify<TypeParam>(p, expected, {c[0].data(), c[1].data(), c[2].data(), c[3].data(), c[4].data()});
    EXPECT_EQ(stored.error, verdict.error) << named(p);
    c[3][all - 1] += TypeParam(0.01);
    EXPECT_FALSE(
        verify<TypeParam>(p, expected, {c[0].data(), c[1].data(), c[2].data(), c[3].data(), c[4].data()}).passed)
        << named(p);
  }
}

// More layers than 2^23, of which a verdict once compared only about every second: the others must count too.
TEST(TwoStreamVerdict, SeesEveryLayerOfALargeProblem) {
  const Problem p{.kernel = Kernel::coefficients, .columns = 8191, .layers = 64, .points = 17};
  const SyntheticAtmosphere<float> data(p);
  const auto all = static_cast<std::size_t>(p.columns * p.layers * p.points);
  std::vector<std::vector<float>> c(5, std::vector<float>(all));
  layer_coefficients(data.atmosphere(), p.options, {c[0].data(), c[1].data(), c[2].data(), c[3].data(), c[4].data()});
  const auto verdict = [&] {
    return verify<float>(p, data.atmosphere(), {c[0].data(), c[1].data(), c[2].data(), c[3].data(), c[4].data()});
  };
  EXPECT_TRUE(verdict().passed) << verdict().error;
  const std::size_t at = all / 2 | 1;  // odd: a stride of 2 passes it by
  std::swap(c[3][at], c[3][at + 2]);   // each a share of 1 that some layer has
  EXPECT_FALSE(verdict().passed);
}

// Rows and arrays that begin anywhere in a line: stores past the caches leave the bits of ordinary ones.
TYPED_TEST(TwoStreamCpu, CoefficientsStoredPastTheCachesAreTheSame) {
  const auto kernels = column_kernels<TypeParam>(core::best_isa());
  for (const std::int64_t columns : {1, 7, 16, 63, 64, 131})
    for (const Source source : {Source::sun, Source::thermal})
      for (const std::size_t shift : {0, 1, 5}) {
        const Problem p{.kernel = Kernel::coefficients, .source = source, .columns = columns, .layers = 3, .points = 2};
        const SyntheticAtmosphere<TypeParam> data(p);
        const Terms<TypeParam> terms(terms_of(p.options.closure));
        const auto all = static_cast<std::size_t>(p.columns * p.layers * p.points);
        std::vector<core::HostBuffer<TypeParam>> got[2];
        for (const bool streaming : {false, true}) {
          auto& c = got[streaming];
          for (int i = 0; i < 5; ++i) c.emplace_back(all + 8);
          for (auto& array : c) std::fill(array.begin(), array.end(), TypeParam(-1));
          const Coefficients<TypeParam> to{c[0].data() + shift, c[1].data() + shift, c[2].data() + shift,
                                           c[3].data() + shift, c[4].data() + (shift == 5 ? 4 : shift)};
          for (std::int64_t row = 0; row < p.layers * p.points; ++row)
            kernels.row(data.atmosphere(), terms, true, true, to, row, 0, columns, streaming);
        }
        for (std::size_t i = 0; i < 5; ++i)
          EXPECT_EQ(std::memcmp(got[0][i].data(), got[1][i].data(), got[0][i].bytes()), 0) << columns << " " << i;
      }
}

TYPED_TEST(TwoStreamCpu, NightsAreDark) {
  Problem p{.columns = 21, .layers = 4, .points = 2};
  const SyntheticAtmosphere<TypeParam> data(p);
  auto a = data.atmosphere();
  std::vector<TypeParam> mu0(a.mu0, a.mu0 + p.columns);
  mu0[3] = 0;
  mu0[20] = TypeParam(-0.5);
  a.mu0 = mu0.data();
  Got<TypeParam> got(p);
  EXPECT_THROW(solve(a, p.options, got.fluxes()), std::invalid_argument);
  p.options.night = true;
  solve(a, p.options, got.fluxes());
  for (std::int64_t i = 0; i <= p.layers; ++i)
    for (const std::int64_t c : {3, 20}) {
      EXPECT_EQ(got.up[i * p.columns + c], 0);
      EXPECT_EQ(got.down[i * p.columns + c], 0);
      EXPECT_EQ(got.direct[i * p.columns + c], 0);
    }
  // Nights and the days beside them against the oracle; light at night, however little, is none.
  const Answer expected = reference(a, p.options);
  const core::Verdict verdict = verify(p, expected, got.seen());
  EXPECT_TRUE(verdict.passed) << verdict.error;
  for (const TypeParam wrong : {std::numeric_limits<TypeParam>::min(), std::numeric_limits<TypeParam>::quiet_NaN()}) {
    got.down[2 * p.columns + 20] = wrong;
    EXPECT_FALSE(verify(p, expected, got.seen()).passed) << wrong;
  }
}

TEST(TwoStreamColumns, GiveThePublishedFluxes) {
  for (const SunColumn& v : sun_columns) {
    double tau[3], omega[3], g[3];
    for (int i = 0; i < 3; ++i) {
      tau[i] = sun_column_optics[i][0];
      omega[i] = sun_column_optics[i][1];
      g[i] = sun_column_optics[i][2];
    }
    const Sun sun{.mu0 = 0.6, .incident = 600, .ground = 0.2};
    double up[4], down[4], direct[4];
    solve(sunlit_column(sun, 3, tau, omega, g), {.closure = v.closure, .delta = v.delta},
          Fluxes<double>{up, down, direct});
    for (int i = 0; i < 4; ++i) {
      EXPECT_NEAR(up[i], v.up[i], 1e-12);
      EXPECT_NEAR(down[i], v.down[i], 1e-12);
      EXPECT_NEAR(direct[i], v.direct[i], 1e-12);
    }
  }
}

TEST(TwoStreamHeating, IsTheDivergenceOfTheNetFlux) {
  const double up[] = {100, 90, 60}, down[] = {0, 20, 30}, direct[] = {500, 450, 440}, pressure[] = {0, 5e4, 1e5};
  double rates[2];
  heating_rates(1, 2, Fluxes<const double>{up, down, direct}, pressure, 9.80665, 1005, rates);
  EXPECT_NEAR(rates[0], 9.80665 / 1005 * (400 - 380) / 5e4, 1e-18);
  EXPECT_NEAR(rates[1], 9.80665 / 1005 * (380 - 410) / 5e4, 1e-18);
  const double upside_down[] = {1e5, 5e4, 6e4};
  EXPECT_THROW(heating_rates(1, 2, Fluxes<const double>{up, down, direct}, upside_down, 9.80665, 1005, rates),
               std::invalid_argument);
}

std::string complaint(const Atmosphere<double>& a, const Options& options = {}) {
  try {
    require_atmosphere(a, options);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "none";
}

TEST(TwoStreamContract, NamesTheValueItsPlaceAndWhatIsAllowed) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  Problem p{.columns = 5, .layers = 3, .points = 2};
  const SyntheticAtmosphere<double> sun(p);
  p.source = Source::thermal;
  p.quadratic = true;
  const SyntheticAtmosphere<double> thermal(p);
  EXPECT_EQ(complaint(sun.atmosphere()), "none");
  EXPECT_EQ(complaint(thermal.atmosphere()), "none");
  const auto spoilt = [&](const SyntheticAtmosphere<double>& data, const double* Atmosphere<double>::*array,
                          std::size_t k, double value) {
    auto a = data.atmosphere();
    std::vector<double> values(a.*array, a.*array + k + 1);
    values.resize(64, 0.5);
    values[k] = value;
    a.*array = values.data();
    return complaint(a);
  };
  using A = Atmosphere<double>;
  EXPECT_EQ(spoilt(sun, &A::optical_depth, 28, -1),
            "two_stream: the optical depth at column 3, layer 2, g-point 1 is -1; it must be finite and at least 0");
  EXPECT_EQ(spoilt(sun, &A::albedo, 7, 1.2),
            "two_stream: the single-scattering albedo at column 2, layer 1, g-point 0 is 1.2; it must be in [0, 1]");
  EXPECT_EQ(spoilt(sun, &A::asymmetry, 0, -1),
            "two_stream: the asymmetry at column 0, layer 0, g-point 0 is -1; it must be in (-1, 1)");
  EXPECT_EQ(spoilt(sun, &A::ground_diffuse, 6, 2),
            "two_stream: the albedo of the ground for diffuse light at column 1, g-point 1 is 2; it must be in [0, 1]");
  EXPECT_NE(spoilt(sun, &A::mu0, 4, 0).find("cosine of the zenith angle at column 4 is 0"), std::string::npos);
  for (const double value : {nan, inf, -inf}) {
    for (const auto array : {&A::optical_depth, &A::albedo, &A::asymmetry, &A::mu0, &A::incident, &A::ground_direct,
                             &A::ground_diffuse, &A::weight})
      EXPECT_NE(spoilt(sun, array, 1, value), "none");
    for (const auto array : {&A::planck_level, &A::planck_middle, &A::planck_ground, &A::emissivity})
      EXPECT_NE(spoilt(thermal, array, 2, value), "none");
  }
  auto a = sun.atmosphere();
  a.asymmetry = nullptr;
  EXPECT_EQ(complaint(a), "two_stream: no array for the asymmetry");
  a = sun.atmosphere();
  a.layers = 0;
  EXPECT_NE(complaint(a).find("0 layers"), std::string::npos);
  a.layers = a.columns = a.points = std::int64_t{1} << 40;
  EXPECT_NE(complaint(a).find("more bytes"), std::string::npos);
  EXPECT_NE(complaint(sun.atmosphere(), {.closure = static_cast<Closure>(7)}).find("closure 7"), std::string::npos);
}

}  // namespace
}  // namespace speedwell::two_stream
