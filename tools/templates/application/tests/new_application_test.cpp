#include "speedwell/apps/new_application/new_application.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/new_application/adapter.hpp"
#include "speedwell/apps/new_application/problem.hpp"
#include "speedwell/apps/new_application/verify.hpp"
#include "tests/apps/lifecycle.hpp"

namespace speedwell::new_application {
namespace {

template <class T>
class Axpy : public testing::Test {
 protected:
  void make_inputs(std::size_t n, std::uint64_t seed = 1) {
    x.resize(n);
    y.resize(n);
    fill<T>({.n = static_cast<std::int64_t>(n), .seed = seed}, x, y);
  }
  std::vector<T> serial() const {
    std::vector<T> z(x.size());
    axpy_serially<T>(a, x, y, z);
    return z;
  }
  core::Verdict verdict(const std::vector<T>& z) const { return verify<T>(a, x, y, reference<T>(a, x, y), z); }

  T a = static_cast<T>(2.5);
  std::vector<T> x, y;
};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(Axpy, Types);

TYPED_TEST(Axpy, HasTheValuesOfACaseComputedByHand) {
  this->a = 2;
  this->x = {1, 2, -3};
  this->y = {10, 20, 30};
  const std::vector<TypeParam> expected = {12, 24, 24};
  EXPECT_EQ(this->serial(), expected);
  std::vector<TypeParam> z(3);
  axpy<TypeParam>(this->a, this->x, this->y, z);
  EXPECT_EQ(z, expected);
  EXPECT_EQ(this->verdict(z).error, 0);
}

TYPED_TEST(Axpy, OfTheNegativeOfXIsZeroAndWithoutAFactorIsY) {
  this->make_inputs(1000);
  std::vector<TypeParam> z(1000);
  axpy<TypeParam>(0, this->x, this->y, z);
  EXPECT_EQ(z, this->y);
  axpy<TypeParam>(-1, this->x, this->x, z);
  EXPECT_EQ(z, std::vector<TypeParam>(1000, 0));
}

TYPED_TEST(Axpy, AgreesWithTheReferenceForAnyLengthAndNumberOfThreads) {
  for (const std::size_t n : {0, 1, 2, 31, 1025, 100003}) {
    this->make_inputs(n);
    const std::vector<TypeParam> serial = this->serial();
    EXPECT_TRUE(this->verdict(serial).passed) << n;
    for (const int threads : {1, 2, 7}) {
      std::vector<TypeParam> z(n, std::numeric_limits<TypeParam>::quiet_NaN());
      axpy<TypeParam>(this->a, this->x, this->y, z, threads);
      EXPECT_TRUE(this->verdict(z).passed) << n << " elements on " << threads << " threads";
    }
  }
}

TYPED_TEST(Axpy, RefusesUnequalLengthsAndNegativeThreads) {
  this->make_inputs(4);
  std::vector<TypeParam> z(3), w(4);
  EXPECT_THROW(axpy<TypeParam>(1, this->x, this->y, z), std::invalid_argument);
  EXPECT_THROW(axpy_serially<TypeParam>(1, this->x, this->y, z), std::invalid_argument);
  EXPECT_THROW(axpy<TypeParam>(1, this->x, this->y, w, -1), std::invalid_argument);
}

TYPED_TEST(Axpy, WrongAnswersAreRejected) {
  using T = TypeParam;
  this->make_inputs(1000);
  const std::vector<T> right = this->serial();
  std::vector<T> z = right;
  z[500] = std::numeric_limits<T>::quiet_NaN();
  EXPECT_FALSE(this->verdict(z).passed) << "a NaN";
  z = right;
  const T magnitude = std::abs(this->a * this->x[999]) + std::abs(this->y[999]);
  z[999] += 8 * std::numeric_limits<T>::epsilon() * magnitude;
  EXPECT_FALSE(this->verdict(z).passed) << "an error of 16 roundings in the last element";
  z = right;
  z.pop_back();
  EXPECT_FALSE(this->verdict(z).passed) << "an element too few";
  this->make_inputs(1000, 2);
  EXPECT_FALSE(this->verdict(right).passed) << "the answer of another seed";
}

// x and y are read and z is written: 24 bytes per element in f64, 12 in f32.
TEST(AxpyWork, CountsEveryElementOnce) {
  const harness::Application app = application();
  for (const auto& [precision, bytes] : {std::pair{"f64", 2400}, std::pair{"f32", 1200}}) {
    const harness::Work work =
        app.work(problem_with(app, {{"n", std::int64_t{100}}, {"precision", std::string(precision)}}));
    EXPECT_EQ(work.bytes_read + work.bytes_written, bytes);
    EXPECT_EQ(work.operations, 200);
    EXPECT_EQ(work.updates, 100);
  }
}

}  // namespace
}  // namespace speedwell::new_application
