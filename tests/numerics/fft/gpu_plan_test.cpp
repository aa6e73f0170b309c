// Planned transforms on a GPU against the oracle: lengths, dimensions, batches, directions, in place and out of place.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "speedwell/numerics/fft/gpu_ladder.hpp"
#include "tests/numerics/fft/gpu_support.hpp"
#include "tests/support/precisions.hpp"
#include "tests/support/same_bits.hpp"

namespace speedwell::fft {
namespace {

using test::same_bits;

template <class T>
class FftGpuPlan : public testing::Test {
  void SetUp() override {
    if (!core::have_device()) GTEST_SKIP() << "no GPU";
  }
};
TYPED_TEST_SUITE(FftGpuPlan, test::Precisions);

template <class T>
void expect_complex(const Shape& shape, std::string_view step) {
  const core::Stream stream;
  GpuPlan<T> plan(shape, {.step = step});
  const auto x = random_complex<T>(plan.points());
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    const auto expected = transformed(extended(x), shape, direction == Direction::backward);
    const auto got = on_gpu(plan, direction, x, stream);
    EXPECT_LE(l2(expected, got), bound<T>(plan.points() / shape.batch)) << name(shape) << ", " << step;
    EXPECT_TRUE(same_bits(got, on_gpu_in_place(plan, direction, x, stream))) << "in place, " << name(shape);
    EXPECT_TRUE(same_bits(got, on_gpu(plan, direction, x, stream))) << "again, " << name(shape);
  }
}

// Blocks that are full, that have one line, and that miss one.
TYPED_TEST(FftGpuPlan, PowersOfTwo) {
  for (std::int64_t n = 1; n <= 16384; n *= 2)
    for (const std::int64_t batch : {std::int64_t{1}, std::int64_t{3}, 16384 / n + 1})
      expect_complex<TypeParam>({{n}, batch}, "cuda");
}

const Shape arrays[] = {{{1, 1, 1}, 2},    {{2, 1}, 1},       {{8, 8}, 3},      {{16, 4}, 1},      {{4, 512}, 2},
                        {{512, 4}, 2},     {{64, 64}, 1},     {{2, 2, 2}, 1},   {{8, 8, 8}, 1},    {{16, 16, 16}, 2},
                        {{1, 32, 64}, 3},  {{32, 1, 64}, 1},  {{64, 32, 1}, 1}, {{64, 32, 16}, 1}, {{4, 1024, 2}, 1},
                        {{64, 64, 64}, 1}, {{2, 256, 256}, 1}};

TYPED_TEST(FftGpuPlan, ArraysAndBatches) {
  for (const Step& step : steps) {
    for (const Shape& shape : arrays) expect_complex<TypeParam>(shape, step.name);
    for (const Shape& shape : shapes) expect_complex<TypeParam>(shape, step.name);
  }
}

template <class T>
void expect_real(const Shape& shape) {
  const core::Stream stream;
  GpuRealPlan<T> plan(shape, {.normalisation = Normalisation::backward});
  const auto x = random_real<T>(plan.real_points());
  const auto whole = transformed(extended(x), shape, false);
  const std::int64_t n = shape.extents.back(), kept = n / 2 + 1, rows = plan.real_points() / n;
  std::vector<reference::Complex> expected;
  std::vector<std::complex<T>> padded(plan.spectrum_points());
  for (std::int64_t r = 0; r < rows; ++r) {
    expected.insert(expected.end(), whole.begin() + r * n, whole.begin() + r * n + kept);
    std::memcpy(static_cast<void*>(&padded[r * kept]), &x[r * n], n * sizeof(T));
  }
  const auto in = upload(x, stream);
  auto out = poisoned<std::complex<T>>(plan.spectrum_points(), stream), in_place = upload(padded, stream);
  plan.forward(in.span(), out.span(), stream);
  const auto got = download(out, stream);
  EXPECT_LE(l2(expected, got), bound<T>(plan.real_points() / shape.batch)) << name(shape);
  plan.forward(in_place.span(), stream);
  EXPECT_TRUE(same_bits(got, download(in_place, stream))) << "in place, " << name(shape);

  auto back = poisoned<T>(plan.real_points(), stream);
  plan.backward(out.span(), back.span(), stream);
  EXPECT_TRUE(same_bits(got, download(out, stream))) << "the input, " << name(shape);
  const auto reals = download(back, stream);
  EXPECT_LE(l2(extended(x), std::vector<std::complex<T>>(reals.begin(), reals.end())),
            2 * bound<T>(plan.real_points() / shape.batch))
      << "backward, " << name(shape);
  plan.backward(in_place.span(), stream);
  const auto rows_in_place = download(in_place, stream);
  for (std::int64_t r = 0; r < rows; ++r)
    EXPECT_EQ(std::memcmp(&rows_in_place[r * kept], &reals[r * n], n * sizeof(T)), 0) << name(shape) << ", row " << r;
}

TYPED_TEST(FftGpuPlan, RealArraysAndBatches) {
  for (const Shape& shape : arrays) expect_real<TypeParam>(shape);
  for (const Shape& shape : shapes) expect_real<TypeParam>(shape);
}

// Large enough that a plane's columns follow its rows in the cache.
TYPED_TEST(FftGpuPlan, LargeArrays) {
  for (const Step& step : steps) expect_complex<TypeParam>({{16, 256, 512}, sizeof(TypeParam) == 8 ? 2 : 4}, step.name);
}

TYPED_TEST(FftGpuPlan, ScalesAsRequested) {
  using T = TypeParam;
  const core::Stream stream;
  const Shape shape{{4, 16}, 1};
  const auto x = random_complex<T>(64);
  for (const Direction direction : {Direction::forward, Direction::backward})
    for (const auto& [normalisation, factor] :
         {std::pair{Normalisation::none, 1.0L},
          {Normalisation::orthogonal, 0.125L},
          {Normalisation::backward, direction == Direction::backward ? 1 / 64.0L : 1.0L}}) {
      GpuPlan<T> plan(shape, {.normalisation = normalisation});
      auto expected = transformed(extended(x), shape, direction == Direction::backward);
      for (auto& z : expected) z *= factor;
      EXPECT_LE(l2(expected, on_gpu(plan, direction, x, stream)), bound<T>(64));
    }
}

TYPED_TEST(FftGpuPlan, RefusesWhatItCannotDo) {
  using T = TypeParam;
  using Plan = GpuPlan<T>;
  const core::Stream stream;
  EXPECT_THROW(Plan(Shape{}), std::invalid_argument);
  EXPECT_THROW(Plan(Shape{{0}}), std::invalid_argument);
  EXPECT_THROW(Plan(Shape{{2, 2, 2, 2}}), std::invalid_argument);
  EXPECT_THROW(Plan(Shape{{16}, 0}), std::invalid_argument);
  EXPECT_THROW(Plan(Shape{{std::int64_t{1} << 40, std::int64_t{1} << 40}}), std::invalid_argument);
  EXPECT_THROW(Plan(Shape{{16}}, {.step = "cuda-best"}), std::invalid_argument);
  // Work space of 2^42 points.
  try {
    Plan(Shape{{1 << 10, 1 << 10}, std::int64_t{1} << 22}, {.step = "cuda-transposed"});
    ADD_FAILURE() << "a plan for more than the GPU's memory";
  } catch (const core::Unavailable& e) {
    EXPECT_NE(std::string(e.what()).find("B"), std::string::npos) << e.what();
  }
  EXPECT_THROW(Plan(Shape{{(std::int64_t{1} << 36) + 1}}), core::Unavailable);  // 17 divides it, and greater ones
  Plan plan(Shape{{16}});
  auto x = poisoned<std::complex<T>>(40, stream);
  const auto s = x.span();
  EXPECT_THROW(plan.forward(s.first(15), s.subspan(16, 16), stream), std::invalid_argument);
  EXPECT_THROW(plan.forward(s.first(16), s.subspan(16, 17), stream), std::invalid_argument);
  EXPECT_THROW(plan.forward(s.first(16), s.subspan(15, 16), stream), std::invalid_argument);
  using RealPlan = GpuRealPlan<T>;
  EXPECT_THROW(RealPlan(Shape{{0}}), std::invalid_argument);
  RealPlan real(Shape{{30}});  // 16 bins
  const std::span<T> reals{reinterpret_cast<T*>(x.data()), 80};
  EXPECT_THROW(real.forward(reals.first(30), s.subspan(14, 16), stream), std::invalid_argument);
  EXPECT_THROW(real.forward(reals.first(29), s.subspan(16, 16), stream), std::invalid_argument);
  EXPECT_THROW(real.forward(reals.subspan(1, 30), s.subspan(16, 16), stream), std::invalid_argument);
  EXPECT_THROW(real.backward(s.first(15), reals.subspan(40, 30), stream), std::invalid_argument);
  EXPECT_THROW(real.backward(s.first(17), stream), std::invalid_argument);
  const std::span<std::complex<T>> between{reinterpret_cast<std::complex<T>*>(reinterpret_cast<T*>(x.data()) + 1), 16};
  EXPECT_THROW(plan.forward(between, stream), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::fft
