// Transforms of which a few points are wanted, against those of the whole array on a CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include "tests/numerics/fft/gpu_support.hpp"
#include "tests/support/precisions.hpp"

namespace speedwell::fft {
namespace {

SPEEDWELL_EACH_PRECISION(FftGpuSampled);

template <class T>
struct Sampled {
  Sampled(const Shape& shape, std::vector<std::int64_t> sample_positions)
      : positions(std::move(sample_positions)), plan(shape, positions), x(random_complex<T>(plan.points())) {
    std::mt19937 random(11);
    std::uniform_real_distribution<T> weight(T(0.25), T(2));
    for (std::int64_t i = 0; i < plan.weights(); ++i) weights.push_back(weight(random));
  }

  std::vector<std::complex<T>> got(Direction direction, bool in_place) {
    const auto w = upload(weights, stream);
    auto in = upload(x, stream), work = poisoned<std::complex<T>>(plan.points(), stream);
    auto samples = poisoned<std::complex<T>>(plan.samples(), stream);
    plan.transform(direction, in.span(), w.span(), in_place ? in.span() : work.span(), samples.span(), stream);
    if (!in_place) {
      EXPECT_EQ(download(in, stream), x);
    }
    return download(samples, stream);
  }

  // In double precision whatever T is.
  std::vector<std::complex<double>> expected(const Shape& shape, Direction direction) const {
    const std::int64_t n1 = shape.extents[1], n2 = shape.extents[2];
    const T *w0 = weights.data(), *w1 = w0 + shape.extents[0], *w2 = w1 + n1;
    std::vector<std::complex<double>> whole(x.size());
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(x.size()); ++i)
      whole[i] = std::complex<double>(x[i]) * (static_cast<double>(w0[i / n2 / n1]) *
                                               static_cast<double>(w1[i / n2 % n1]) * static_cast<double>(w2[i % n2]));
    Plan<double>(shape).transform(direction, whole, whole);
    std::vector<std::complex<double>> samples;
    for (const std::int64_t position : positions) samples.push_back(whole[position]);
    return samples;
  }

  core::Stream stream;
  std::vector<std::int64_t> positions;
  GpuSampledPlan<T> plan;
  std::vector<std::complex<T>> x;
  std::vector<T> weights;
};

// A sample is a sum of all points: its error is compared with the root of their squares' sum, as the whole's would be.
template <class T>
void expect_samples(const Shape& shape, const std::vector<std::int64_t>& positions) {
  Sampled<T> sampled(shape, positions);
  const auto points = static_cast<double>(sampled.plan.points());
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    const auto expected = sampled.expected(shape, direction);
    const auto got = sampled.got(direction, false);
    ASSERT_EQ(got.size(), expected.size());
    double largest = 0;
    for (std::size_t s = 0; s < got.size(); ++s)
      largest = std::max(largest, std::abs(std::complex<double>(got[s]) - expected[s]));
    // Weights and products are rounded, too; no weight is above 2, no value above 1.
    EXPECT_LE(largest,
              8 * std::sqrt(points) * (bound<T>(sampled.plan.points()) + 4 * std::numeric_limits<T>::epsilon()))
        << name(shape);
    EXPECT_EQ(got, sampled.got(direction, true)) << name(shape) << ", in place";
  }
}

// Every point; the same position more than once; one line with all; the first and the last; none.
TYPED_TEST(FftGpuSampled, AreThePointsOfTheWhole) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  std::mt19937 random(7);
  for (const Shape& shape :
       {Shape{{1, 1, 1}}, Shape{{2, 4, 8}}, Shape{{16, 1, 2}}, Shape{{1, 32, 64}}, Shape{{64, 8, 1}},
        Shape{{64, 64, 64}}, Shape{{4, 2, 4096}}, Shape{{2, 2048, 4}}, Shape{{4096, 2, 2}}}) {
    const std::int64_t points = shape.extents[0] * shape.extents[1] * shape.extents[2];
    std::vector<std::int64_t> all(std::min<std::int64_t>(points, 8192)), some;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
    for (int s = 0; s < 1024; ++s) some.push_back(std::uniform_int_distribution<std::int64_t>(0, points - 1)(random));
    expect_samples<TypeParam>(shape, all);
    expect_samples<TypeParam>(shape, some);
    expect_samples<TypeParam>(shape, {points - 1, 0, points - 1});
  }
}

TYPED_TEST(FftGpuSampled, RefuseWhatTheyCannotDo) {
  using Plan = GpuSampledPlan<TypeParam>;
  const std::vector<std::int64_t> position = {0};
  EXPECT_THROW(Plan({{8, 8}}, position), std::invalid_argument);
  EXPECT_THROW(Plan({{8, 8, 8}, 2}, position), std::invalid_argument);
  EXPECT_THROW(Plan({{8, 12, 8}}, position), std::invalid_argument);
  EXPECT_THROW(Plan({{8, 8, 32768}}, position), std::invalid_argument);
  EXPECT_THROW(Plan({{0, 8, 8}}, position), std::invalid_argument);
  EXPECT_THROW(Plan({{8, 8, 8}}, std::vector<std::int64_t>{512}), std::invalid_argument);
  EXPECT_THROW(Plan({{8, 8, 8}}, std::vector<std::int64_t>{-1}), std::invalid_argument);
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const core::Stream stream;
  Plan plan({{8, 8, 8}}, position);
  core::DeviceBuffer<std::complex<TypeParam>> x(512), work(512), sample(1);
  core::DeviceBuffer<TypeParam> weights(24);
  EXPECT_THROW(
      plan.transform(Direction::forward, x.span().first(511), weights.span(), work.span(), sample.span(), stream),
      std::invalid_argument);
  EXPECT_THROW(
      plan.transform(Direction::forward, x.span(), weights.span().first(23), work.span(), sample.span(), stream),
      std::invalid_argument);
  EXPECT_THROW(
      plan.transform(Direction::forward, x.span(), weights.span(), work.span().first(8), sample.span(), stream),
      std::invalid_argument);
  EXPECT_THROW(
      plan.transform(Direction::forward, x.span(), weights.span(), work.span(), sample.span().first(0), stream),
      std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::fft
