// Transforms of arrays that are divided among 1 to 6 ranks against those of one process: two and three axes, uneven
// slabs, odd and prime extents, complex and real, both directions, both divisions of the spectrum, by shared memory and
// by messages in several pieces.
#include "speedwell/numerics/fft/ranks/distributed.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "speedwell/comm/redistribution.hpp"
#include "speedwell/comm/shared_memory.hpp"
#include "tests/numerics/fft/divided_arrays.hpp"
#include "tests/numerics/fft/plan_cases.hpp"
#include "tests/support/precisions.hpp"
#include "tests/support/ranks.hpp"

namespace speedwell::fft {
namespace {

using comm::Tile;
using test::ranks;

/// Extents of arrays that 6 ranks can divide; the rows are shorter than those that one process splits, so that bits are
/// equal.
const std::vector<std::vector<std::int64_t>> extents_of_tests = {{6, 6},     {23, 19},    {64, 48},     {7, 31},
                                                                 {6, 6, 6},  {13, 7, 10}, {16, 16, 16}, {9, 11, 17},
                                                                 {6, 37, 1}, {31, 6, 2},  {24, 20, 33}};

template <class Element>
bool same_bits(const std::vector<Element>& a, const std::vector<Element>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Element)) == 0;
}

std::vector<DistributedOptions> all_options() {
  std::vector<DistributedOptions> all;
  for (const SpectrumDivision division : {SpectrumDivision::second_axis, SpectrumDivision::first_axis}) {
    all.push_back({.division = division});
    for (const int pieces : {0, 1, 3, 100})
      all.push_back({.division = division, .pieces = pieces, .shared_memory = false});
  }
  all.push_back({.threads = 2});
  return all;
}

std::string name_of(const std::vector<std::int64_t>& extents, const DistributedOptions& options) {
  return name(Shape{extents}) + ", division " + std::to_string(static_cast<int>(options.division)) + ", " +
         (options.shared_memory ? "shared memory" : std::to_string(options.pieces) + " pieces");
}

SPEEDWELL_EACH_PRECISION(DistributedFft);

// Backward, one process transforms the first axis last, and ranks transform it first.
TYPED_TEST(DistributedFft, ComplexTransformsAgreeWithOneProcessAndForwardOnesHaveItsBits) {
  using Complex = std::complex<TypeParam>;
  const bool ranks_can_share = comm::SharedMemory::allocate(ranks(), 1).has_value();
  for (const auto& extents : extents_of_tests) {
    const auto x = random_complex<TypeParam>(product(extents), 7);
    std::vector<Complex> forward(x.size()), backward(x.size());
    Plan<TypeParam> plan({extents}, {.threads = 1});
    plan.forward(x, forward);
    plan.backward(x, backward);
    for (const DistributedOptions& options : all_options()) {
      SCOPED_TRACE(name_of(extents, options));
      DistributedPlan<TypeParam> distributed(ranks(), {extents}, options);
      const auto array = own_part(x, distributed.array_tiles()), spectrum = own_part(x, distributed.spectrum_tiles());
      ASSERT_EQ(static_cast<std::int64_t>(array.size()), distributed.array_points());
      ASSERT_EQ(static_cast<std::int64_t>(spectrum.size()), distributed.spectrum_points());
      for (int again = 0; again < 2; ++again) {
        auto got = poisoned<Complex>(distributed.spectrum_points());
        distributed.forward(array, got);
        EXPECT_TRUE(same_bits(got, own_part(forward, distributed.spectrum_tiles())));
        got = poisoned<Complex>(distributed.array_points());
        distributed.backward(spectrum, got);
        EXPECT_LE(difference(own_part(backward, distributed.array_tiles()), got), max_difference<TypeParam>);
      }
      EXPECT_EQ(distributed.shares_memory(), options.shared_memory && ranks_can_share);
      EXPECT_EQ(distributed.sent_bytes() > 0, ranks().size() > 1);
      EXPECT_GT(distributed.bytes(), 0);
      EXPECT_GE(distributed.exchange_seconds(), 0);
    }
  }
}

TYPED_TEST(DistributedFft, RealTransformsHaveTheBitsOfOneProcess) {
  using Complex = std::complex<TypeParam>;
  for (const auto& extents : extents_of_tests) {
    if (extents.size() == 2 && extents[1] / 2 + 1 < ranks().size()) continue;
    const auto x = random_real<TypeParam>(product(extents), 8);
    RealPlan<TypeParam> plan({extents}, {.threads = 1});
    std::vector<Complex> spectrum(static_cast<std::size_t>(plan.spectrum_points()));
    std::vector<TypeParam> back(x.size());
    plan.forward(x, spectrum);
    plan.backward(spectrum, back);
    for (const DistributedOptions& options : all_options()) {
      SCOPED_TRACE(name_of(extents, options));
      DistributedRealPlan<TypeParam> distributed(ranks(), {extents}, options);
      auto got = poisoned<Complex>(distributed.spectrum_points());
      distributed.forward(own_part(x, distributed.array_tiles()), got);
      EXPECT_TRUE(same_bits(got, own_part(spectrum, distributed.spectrum_tiles())));
      auto reals = poisoned<TypeParam>(distributed.array_points());
      distributed.backward(got, reals);
      EXPECT_TRUE(same_bits(reals, own_part(back, distributed.array_tiles())));
    }
  }
}

// The product with weights is that of one process, which transforms the first axis last.
TYPED_TEST(DistributedFft, WeightedTransformsAgreeWithOneProcess) {
  using Complex = std::complex<TypeParam>;
  for (const auto& extents : extents_of_tests) {
    const auto x = random_complex<TypeParam>(product(extents), 12);
    std::vector<std::vector<TypeParam>> tables;
    for (const std::int64_t n : extents) tables.push_back(random_real<TypeParam>(n, 13 + n));
    const std::vector<std::span<const TypeParam>> weights(tables.begin(), tables.end());
    std::vector<Complex> expected(x.size());
    Plan<TypeParam>({extents}, {.threads = 1}).transform(Direction::backward, x, weights, expected);
    for (const DistributedOptions& options : all_options()) {
      SCOPED_TRACE(name_of(extents, options));
      DistributedPlan<TypeParam> distributed(ranks(), {extents}, options);
      auto got = poisoned<Complex>(distributed.array_points());
      distributed.backward(own_part(x, distributed.spectrum_tiles()), weights, got);
      EXPECT_LE(difference(own_part(expected, distributed.array_tiles()), got), max_difference<TypeParam>);
      EXPECT_THROW(distributed.backward(own_part(x, distributed.spectrum_tiles()), std::span(weights).subspan(1), got),
                   std::invalid_argument);
    }
  }
}

// One process transforms few long rows by another method, and applies the factors of backward real transforms to rows.
TYPED_TEST(DistributedFft, LongRowsAndFactorsAgreeToRounding) {
  using Complex = std::complex<TypeParam>;
  for (const std::vector<std::int64_t>& extents : {std::vector<std::int64_t>{6, 1000}, {7, 6, 130}, {6, 8, 10007}})
    for (const Normalisation normalisation : {Normalisation::none, Normalisation::backward, Normalisation::orthogonal})
      for (const SpectrumDivision division : {SpectrumDivision::second_axis, SpectrumDivision::first_axis}) {
        SCOPED_TRACE(name_of(extents, {.division = division}));
        const auto x = random_complex<TypeParam>(product(extents), 9);
        const auto reals = random_real<TypeParam>(product(extents), 10);
        Plan<TypeParam> plan({extents}, {.threads = 1, .normalisation = normalisation});
        RealPlan<TypeParam> real_plan({extents}, {.threads = 1, .normalisation = normalisation});
        std::vector<Complex> forward(x.size()), backward(x.size());
        std::vector<Complex> spectrum(static_cast<std::size_t>(real_plan.spectrum_points()));
        std::vector<TypeParam> back(x.size());
        plan.forward(x, forward);
        plan.backward(forward, backward);
        real_plan.forward(reals, spectrum);
        real_plan.backward(spectrum, back);
        // Both exchanges in turn.
        const DistributedOptions options{.normalisation = normalisation,
                                         .division = division,
                                         .shared_memory = normalisation != Normalisation::backward};
        DistributedPlan<TypeParam> distributed(ranks(), {extents}, options);
        auto got = poisoned<Complex>(distributed.spectrum_points());
        auto again = poisoned<Complex>(distributed.array_points());
        distributed.forward(own_part(x, distributed.array_tiles()), got);
        distributed.backward(got, again);
        EXPECT_LE(difference(own_part(forward, distributed.spectrum_tiles()), got), max_difference<TypeParam>);
        EXPECT_LE(difference(own_part(backward, distributed.array_tiles()), again), max_difference<TypeParam>);
        DistributedRealPlan<TypeParam> real(ranks(), {extents}, options);
        got = poisoned<Complex>(real.spectrum_points());
        auto real_again = poisoned<TypeParam>(real.array_points());
        real.forward(own_part(reals, real.array_tiles()), got);
        real.backward(got, real_again);
        EXPECT_LE(difference(own_part(spectrum, real.spectrum_tiles()), got), max_difference<TypeParam>);
        EXPECT_LE(difference(own_part(back, real.array_tiles()), real_again), max_difference<TypeParam>);
      }
}

// The steps of a forward transform by hand, of which one does not move a piece: the comparison of the tests above sees
// it, and nothing without it.
TEST(DistributedFftTest, APieceThatIsNotMovedIsSeen) {
  using Complex = std::complex<double>;
  const std::int64_t n0 = 12, n1 = 14, n2 = 10;
  const auto x = random_complex<double>(n0 * n1 * n2, 11);
  std::vector<Complex> expected(x.size());
  Plan<double>({{n0, n1, n2}}, {.threads = 1}).forward(x, expected);
  const DistributedPlan<double> tiles(ranks(), {{n0, n1, n2}});
  const Tile& planes = own(tiles.array_tiles());
  const Tile& columns = own(tiles.spectrum_tiles());
  for (const int missing : {-1, 0, 1, 2}) {
    auto array = own_part(x, tiles.array_tiles());
    Plan<double>({{n1, n2}, planes.extent(0)}, {.threads = 1}).forward(array);
    comm::Redistribution<Complex> move(ranks(), tiles.array_tiles(), tiles.spectrum_tiles(), 2, 3);
    std::vector<Complex> spectrum(static_cast<std::size_t>(columns.size()));
    std::vector<Complex> dropped(spectrum.size());
    for (int p = 0; p < 3; ++p) move.start(p, array);
    for (int p = 0; p < 3; ++p) move.finish(p, p == missing ? dropped : spectrum);
    std::vector<Complex> line(static_cast<std::size_t>(n0));
    Plan<double> plan({{n0}}, {.threads = 1});
    const std::int64_t lines = columns.extent(1) * columns.extent(2);
    for (std::int64_t l = 0; l < lines; ++l) {
      for (std::int64_t i = 0; i < n0; ++i)
        line[static_cast<std::size_t>(i)] = spectrum[static_cast<std::size_t>(i * lines + l)];
      plan.forward(line);
      for (std::int64_t i = 0; i < n0; ++i)
        spectrum[static_cast<std::size_t>(i * lines + l)] = line[static_cast<std::size_t>(i)];
    }
    const auto wanted = own_part(expected, tiles.spectrum_tiles());
    EXPECT_EQ(difference(wanted, spectrum) <= max_difference<double>, missing < 0) << missing;
    EXPECT_TRUE(missing < 0 || !same_bits(wanted, spectrum)) << missing;
  }
}

TEST(DistributedFftTest, RefusesWhatCannotBeDivided) {
  const std::int64_t n = ranks().size();
  const auto refuses = [](const Shape& shape, const DistributedOptions& options = {}) {
    EXPECT_THROW(DistributedPlan<double>(ranks(), shape, options), std::invalid_argument) << name(shape);
    EXPECT_THROW(DistributedRealPlan<float>(ranks(), shape, options), std::invalid_argument) << name(shape);
  };
  refuses({{n - 1, 8, 8}});
  refuses({{8, n - 1, 8}});
  refuses({{n, n - 1}});
  refuses({{64}});
  refuses({{8, 8, 8, 8}});
  refuses({{8, 8, 8}, 2});
  refuses({{8, 0, 8}});
  refuses({{8, 8, 8}}, {.pieces = -1});
  refuses({{8, 8, 8}}, {.threads = -1});
  if (n > 1) {
    EXPECT_THROW(DistributedRealPlan<double>(ranks(), {{n, 2 * n - 3}}), std::invalid_argument);
  }
  EXPECT_NO_THROW(DistributedPlan<double>(ranks(), {{n, n, 1}}));
}

// A wrong span on one rank is an error on all of them: none waits for a message that does not come.
TEST(DistributedFftTest, AWrongSpanOfOneRankIsAnErrorOfAll) {
  DistributedPlan<double> plan(ranks(), {{8, 9, 10}});
  std::vector<std::complex<double>> array(static_cast<std::size_t>(plan.array_points())),
      spectrum(static_cast<std::size_t>(plan.spectrum_points()));
  const bool is_last = ranks().rank() == ranks().size() - 1;
  EXPECT_THROW(plan.forward(array, std::span(spectrum).first(spectrum.size() - (is_last ? 1 : 0))),
               std::invalid_argument);
  EXPECT_THROW(plan.backward(std::span(spectrum).first(spectrum.size() - (is_last ? 1 : 0)), array),
               std::invalid_argument);
  std::vector<std::complex<double>> both(array.size() + spectrum.size());
  EXPECT_THROW(plan.forward(std::span(both).first(array.size()),
                            std::span(both).subspan(is_last ? array.size() - 1 : array.size(), spectrum.size())),
               std::invalid_argument);
  plan.forward(array, spectrum);
}

}  // namespace
}  // namespace speedwell::fft
