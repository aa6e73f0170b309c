// Arguments that plans and transforms refuse, and that buffers are left unchanged.
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>

#include "speedwell/core/error.hpp"
#include "speedwell/numerics/fft/cpu/line_kernel.hpp"
#include "speedwell/numerics/fft/fft.hpp"
#include "tests/numerics/fft/support.hpp"

namespace speedwell::fft {
namespace {

using Complex = std::complex<double>;
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

TEST(FftArguments, RefusesShapesThatAreNone) {
  for (const Shape& shape :
       {Shape{{}}, Shape{{0}}, Shape{{-1}}, Shape{{4, 0}}, Shape{{4, 4, -4}}, Shape{{2, 2, 2, 2}}, Shape{{4}, 0},
        Shape{{4}, -1}, Shape{{most}}, Shape{{most, most, most}}, Shape{{1 << 20}, most}}) {
    EXPECT_THROW(Plan<double>{shape}, std::invalid_argument);
    EXPECT_THROW(Plan<float>{shape}, std::invalid_argument);
    EXPECT_THROW(RealPlan<double>{shape}, std::invalid_argument);
  }
  EXPECT_THROW((Plan<double>({{4}}, {.threads = -1})), std::invalid_argument);
}

TEST(FftArguments, RefusesMoreThanTheMemoryAndSaysHowMuch) {
  try {
    const Plan<double> plan({{1 << 15, 1 << 15, 1 << 15}});
    FAIL() << "a petabyte";
  } catch (const core::Unavailable& error) {
    EXPECT_NE(std::string(error.what()).find("1 PiB"), std::string::npos) << error.what();
  }
  EXPECT_THROW(RealPlan<float>({{std::int64_t{1} << 46}}), core::Unavailable);
  EXPECT_THROW(Plan<double>({{1024}, std::int64_t{1} << 40}), core::Unavailable);
}

TEST(FftArguments, RefusesSpansOfOtherSizes) {
  std::vector<Complex> x(64), y(64);
  Plan<double> plan({{6, 10}});
  EXPECT_EQ(plan.points(), 60);
  EXPECT_THROW(plan.forward(x, y), std::invalid_argument);
  EXPECT_THROW(plan.forward(std::span(x).first(60), std::span(y).first(59)), std::invalid_argument);
  EXPECT_THROW(plan.backward(std::span<Complex>()), std::invalid_argument);
  RealPlan<double> real({{6, 10}});
  std::vector<double> r(64);
  EXPECT_EQ(real.real_points(), 60);
  EXPECT_EQ(real.spectrum_points(), 36);
  EXPECT_THROW(real.forward(r, std::span(y).first(36)), std::invalid_argument);
  EXPECT_THROW(real.backward(std::span(y).first(35), std::span(r).first(60)), std::invalid_argument);
  EXPECT_THROW(real.forward(std::span(y).first(30)), std::invalid_argument);
}

TEST(FftArguments, RefusesPartialOverlapAndLeavesTheBuffersAlone) {
  auto x = random_complex<double>(100);
  const auto before = x;
  Plan<double> plan({{60}});
  for (const std::size_t at : {1, 30, 40})
    EXPECT_THROW(plan.forward(std::span(x).first(60), std::span(x).subspan(at, 60)), std::invalid_argument) << at;
  EXPECT_EQ(x, before);
  std::vector<Complex> both(120);
  EXPECT_NO_THROW(plan.forward(std::span(both).first(60), std::span(both).subspan(60)));
  RealPlan<double> real({{60}});
  const std::span<double> reals(reinterpret_cast<double*>(x.data()), 60);
  EXPECT_THROW(real.forward(reals, std::span(x).first(31)), std::invalid_argument);
  EXPECT_THROW(real.backward(std::span(x).first(31), reals), std::invalid_argument);
  EXPECT_EQ(x, before);
}

TEST(FftArguments, WritesNothingBesideItsSpans) {
  for (const std::int64_t n : {1, 7, 64, 100, 127, 1000, 4096, 9001}) {
    const Complex guard(12345, -54321);
    std::vector<Complex> x(n + 64, guard), y(n + 64, guard);
    Plan<double>({{n}}, {.threads = 2}).forward(std::span(x).subspan(32, n), std::span(y).subspan(32, n));
    RealPlan<double> real({{n}}, {.threads = 2});
    std::vector<double> r(n + 64, 12345);
    real.backward(std::span(y).subspan(32, real.spectrum_points()), std::span(r).subspan(32, n));
    for (std::int64_t i = 0; i < 32; ++i) {
      EXPECT_EQ(y[i], guard) << n;
      EXPECT_EQ(y[32 + n + i], guard) << n;
      EXPECT_EQ(r[i], 12345) << n;
      EXPECT_EQ(r[32 + n + i], 12345) << n;
    }
    EXPECT_EQ(x, std::vector<Complex>(n + 64, guard)) << n;
  }
}

// A NaN spoils its own line of a batch and no other, though lines go side by side.
TEST(FftArguments, ANaNStaysInItsLine) {
  const std::int64_t n = 48, lines = 21;
  auto x = random_complex<double>(n * lines);
  x[5 * n + 7] = std::numeric_limits<double>::quiet_NaN();
  Plan<double>({{n}, lines}, {.threads = 2}).forward(x);
  for (std::int64_t i = 0; i < n * lines; ++i) EXPECT_EQ(std::isnan(std::abs(x[i])), i / n == 5) << i;
}

TEST(FftArguments, PlansMove) {
  Plan<double> a({{16}}), b = std::move(a);
  a = Plan<double>({{8}});
  EXPECT_EQ(a.points(), 8);
  EXPECT_EQ(b.points(), 16);
  EXPECT_GT(b.bytes(), 0);
}

TEST(FftArguments, KernelsOfInstructionSetsThatAreNotHereAreRefused) {
  for (const core::Isa isa : {core::Isa::baseline, core::Isa::avx2, core::Isa::avx512}) {
    if (!core::is_available(isa))
      EXPECT_THROW(line_kernels<double>(isa), std::invalid_argument);
    else
      EXPECT_EQ(line_kernels<float>(isa).lanes, 2 * line_kernels<double>(isa).lanes);
  }
}

}  // namespace
}  // namespace speedwell::fft
