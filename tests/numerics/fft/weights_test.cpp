// Transforms of weighted data, results that are shown in place of being stored, and results stored past the caches.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <stdexcept>

#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/streaming_wins.hpp"
#include "speedwell/numerics/fft/fft.hpp"
#include "tests/numerics/fft/support.hpp"
#include "tests/support/precisions.hpp"

namespace speedwell::fft {
namespace {

SPEEDWELL_EACH_PRECISION(FftWeights);

// Rows alone, of few and of many lines, smooth, convolved and long; planes that are done at once and planes too large
// for that; batches; fewer lines than lanes.
const Shape shapes[] = {
    {{1}},           {{8}},         {{100}, 20},      {{17}, 9},      {{10000}},      {{128}, 2},       {{12, 20}},
    {{31, 7}, 3},    {{1, 1, 1}},   {{4, 6, 9}},      {{16, 16, 16}}, {{64, 32, 16}}, {{19, 3, 37}, 2}, {{3, 2, 9000}},
    {{2, 700, 800}}, {{40, 1, 30}}, {{128, 64, 8}, 3}};

std::int64_t points_of(const Shape& shape) {
  std::int64_t points = shape.batch;
  for (const std::int64_t n : shape.extents) points *= n;
  return points;
}

/// Tables of weights, and what a Plan takes.
template <class T>
class Tables {
 public:
  explicit Tables(const Shape& shape) {
    for (const std::int64_t n : shape.extents) tables_.push_back(random_real<T>(n, 100 + tables_.size()));
    spans_.assign(tables_.begin(), tables_.end());
  }
  Weights<T> weights() const { return spans_; }
  /// The product of the weights of point i of the batch.
  reference::Real product_at(std::int64_t i) const {
    reference::Real product = 1;
    for (std::size_t axis = tables_.size(); axis-- > 0;) {
      const auto n = static_cast<std::int64_t>(tables_[axis].size());
      product *= tables_[axis][i % n];
      i /= n;
    }
    return product;
  }

 private:
  std::vector<std::vector<T>> tables_;
  std::vector<std::span<const T>> spans_;
};

TYPED_TEST(FftWeights, AreFactorsOfWhatIsTransformed) {
  using T = TypeParam;
  for (const Shape& shape : shapes)
    for (const Direction direction : {Direction::forward, Direction::backward})
      for (const int threads : {1, 3}) {
        const Tables<T> tables(shape);
        const auto x = random_complex<T>(points_of(shape));
        auto expected = extended(x);
        for (std::size_t i = 0; i < x.size(); ++i) expected[i] *= tables.product_at(static_cast<std::int64_t>(i));
        direction == Direction::forward ? reference::forward(std::span(expected), shape.extents)
                                        : reference::backward(std::span(expected), shape.extents);
        const T nan = std::numeric_limits<T>::quiet_NaN();
        std::vector<std::complex<T>> got(x.size(), {nan, nan});
        Plan<T> plan(shape, {.threads = threads});
        plan.transform(direction, x, tables.weights(), got);
        // An axis' weights round each point once more.
        const double bound = tolerance<T>(points_of(shape) / shape.batch) + 2 * std::numeric_limits<T>::epsilon();
        EXPECT_LE(l2(expected, got), bound) << points_of(shape) << " points, " << threads << " threads";
        auto in_place = x;
        plan.transform(direction, in_place, tables.weights(), in_place);
        EXPECT_EQ(std::memcmp(in_place.data(), got.data(), got.size() * sizeof got[0]), 0) << points_of(shape);
      }
}

// Every line once, its points those that are stored otherwise.
TYPED_TEST(FftWeights, ResultsThatAreShownAreThoseThatAreStored) {
  using T = TypeParam;
  for (const Shape& shape : shapes) {
    if (shape.extents.size() != 3 || shape.batch != 1) continue;
    const Tables<T> tables(shape);
    const auto x = random_complex<T>(points_of(shape));
    const std::int64_t length = shape.extents[0], lines = points_of(shape) / length;
    for (const int threads : {1, 3}) {
      Plan<T> plan(shape, {.threads = threads});
      std::vector<std::complex<T>> stored(x.size()), shown(x.size()), work(x.size());
      plan.transform(Direction::backward, x, tables.weights(), stored);
      std::vector<int> times(lines, 0);
      std::mutex mutex;
      plan.transform(Direction::backward, x, tables.weights(), work, [&](const ResultLines<T>& some) {
        const std::lock_guard lock(mutex);
        for (int l = 0; l < some.count; ++l) {
          ++times.at(some.first + l);
          for (std::int64_t i = 0; i < length; ++i)
            shown[i * lines + some.first + l] = some.points[i * some.stride + l];
        }
      });
      EXPECT_EQ(times, std::vector<int>(lines, 1));
      EXPECT_EQ(std::memcmp(shown.data(), stored.data(), shown.size() * sizeof shown[0]), 0) << points_of(shape);
    }
  }
}

TEST(FftWeightsContract, RefusesTablesOfOtherSizes) {
  const Shape shape{{4, 6, 10}};
  Plan<double> plan(shape);
  std::vector<std::complex<double>> x(240);
  std::vector<double> table(10, 1);
  const std::span<const double> four(table.data(), 4), six(table.data(), 6), ten(table);
  const auto transform = [&](std::vector<std::span<const double>> weights) {
    plan.transform(Direction::forward, x, weights, x);
  };
  EXPECT_NO_THROW(transform({four, six, ten}));
  EXPECT_THROW(transform({four, six}), std::invalid_argument);
  EXPECT_THROW(transform({ten, six, four}), std::invalid_argument);
  EXPECT_THROW(transform({four, six, six}), std::invalid_argument);
  EXPECT_THROW(transform({four, six, ten, ten}), std::invalid_argument);
}

TEST(FftWeightsContract, ShowsLinesOfThreeAxesAlone) {
  std::vector<std::complex<double>> x(240);
  const Visit<double> visit = [](const ResultLines<double>&) {};
  for (const Shape& shape : {Shape{{240}}, Shape{{12, 20}}, Shape{{2, 4, 6}, 5}}) {
    Plan<double> plan(shape);
    EXPECT_THROW(plan.transform(Direction::forward, x, {}, x, visit), std::invalid_argument);
  }
  Plan<double> plan({{4, 6, 10}});
  EXPECT_NO_THROW(plan.transform(Direction::forward, x, {}, x, visit));
}

// Arrays that are just large enough for stores past the caches, which those in place and those that begin elsewhere do
// not have.
TEST(FftPlanes, GoPastTheCachesWithTheSameBits) {
  std::int64_t planes = 2;
  while (!core::streaming_wins(2 * planes * 256 * 256 * 16)) ++planes;
  if (planes > 1024) GTEST_SKIP() << "arrays of " << planes << " MiB";
  const std::int64_t points = planes * 256 * 256;
  const Shape shape{{planes, 256, 256}};
  core::HostBuffer<double> x(2 * points + 2), y(2 * points + 2);
  const auto numbers = [&](core::HostBuffer<double>& buffer, std::int64_t first) {
    return std::span(reinterpret_cast<std::complex<double>*>(buffer.data()) + first, static_cast<std::size_t>(points));
  };
  const auto fill = [&](std::span<std::complex<double>> z) {
    for (std::size_t i = 0; i < z.size(); ++i)
      z[i] = {std::sin(0.1 * static_cast<double>(i)), static_cast<double>(i % 7)};
  };
  Plan<double> plan(shape, {.threads = 2});
  const Plan<double> smaller({{planes - 1, 256, 256}}, {.threads = 2});
  EXPECT_GE(plan.bytes(), smaller.bytes() + 2 * 256 * 256 * 16);  // a plane for each thread
  fill(numbers(x, 0));
  plan.forward(numbers(x, 0), numbers(y, 1));
  std::vector<std::complex<double>> elsewhere(numbers(y, 1).begin(), numbers(y, 1).end());
  plan.forward(numbers(x, 0), numbers(y, 0));
  EXPECT_EQ(std::memcmp(elsewhere.data(), numbers(y, 0).data(), elsewhere.size() * 16), 0);
  plan.forward(numbers(x, 0));
  EXPECT_EQ(std::memcmp(elsewhere.data(), numbers(x, 0).data(), elsewhere.size() * 16), 0);
}

}  // namespace
}  // namespace speedwell::fft
