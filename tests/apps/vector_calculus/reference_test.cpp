// The oracle against analysis: fields whose derivatives are known, differences whose errors are known.
#include "speedwell/apps/vector_calculus/verify/reference.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "tests/apps/vector_calculus/sampled.hpp"

namespace speedwell::vector_calculus {
namespace {

using test::operands_of;
using test::referred;
using Vec = std::array<double, 3>;

constexpr Boundary sided = Boundary::one_sided;

TEST(VectorCalculusReference, PointsByHand) {
  // One vector a point, in both layouts: (1, 2, 3), (4, 5, 6); s = 2.
  const Grid g{.nx = 2};
  const double aos_a[] = {1, 2, 3, 4, 5, 6}, aos_b[] = {1, 0, -1, 2, 2, 1};
  const double soa_a[] = {1, 4, 2, 5, 3, 6}, soa_b[] = {1, 2, 0, 2, -1, 1}, f[] = {3, -1}, h[] = {10, 20};
  const Operands<double> aos{&g, f, h, aos_a, aos_b, aos_b, aos_a, {2, 3, -1, 1}};
  const Operands<double> soa{&g, f, h, soa_a, soa_b, soa_b, soa_a, {2, 3, -1, 1}};
  const std::pair<Operation, std::vector<double>> cases[] = {
      {Operation::copy, {1, 2, 3, 4, 5, 6}},
      {Operation::add, {2, 2, 2, 6, 7, 7}},
      {Operation::scale, {2, 4, 6, 8, 10, 12}},
      {Operation::dot, {-2, 24}},
      {Operation::cross, {-2, 4, -2, 5 - 12, 12 - 4, 8 - 10}},
      {Operation::norm2, {14, 77}},
      {Operation::mul, {30, -20}},
      {Operation::lincomb4, {2 + 3 - 1 + 1, 4 + 2, 6 - 3 + 1 + 3, 8 + 6 - 2 + 4, 10 + 6 - 2 + 5, 12 + 3 - 1 + 6}},
      {Operation::axpy, {3, 2, 1, 8, 9, 8}},
      {Operation::fscale, {3, 6, 9, -4, -5, -6}},
      {Operation::area, {4 + 16 + 4, 49 + 64 + 4}},
  };
  for (const auto& [operation, expected] : cases) {
    EXPECT_EQ(referred(operation, aos, Layout::aos), expected) << info(operation).name;
    const auto by_component = referred(operation, soa, Layout::soa);
    const int components = info(operation).components;
    for (int p = 0; p < 2; ++p)
      for (int c = 0; c < components; ++c)
        EXPECT_EQ(by_component[2 * c + p], expected[components * p + c]) << info(operation).name;
  }
}

TEST(VectorCalculusReference, LinearFieldsHaveTheirSlopesAtEveryPointOfAOneSidedGrid) {
  const Grid g{5, 4, 3, 0.5, 0.25, 2, sided};
  const auto f = test::sampled_scalar(g, [](double x, double y, double z) { return 7 + 2 * x - 3 * y + 5 * z; });
  // a = (y + 2 z, 3 x - z, 4 x + 5 y) + (x, 10 y, 100 z): div a = 111, curl a = (5 + 1, 2 - 4, 3 - 1).
  const auto a = test::sampled_vector(g, [](double x, double y, double z) {
    return Vec{y + 2 * z + x, 3 * x - z + 10 * y, 4 * x + 5 * y + 100 * z};
  });
  const auto o = operands_of(g, &f, &a);
  const auto gradient = referred(Operation::grad, o), divergence = referred(Operation::div, o),
             rotation = referred(Operation::curl, o), along = referred(Operation::advect, o);
  for (std::int64_t p = 0; p < g.size(); ++p) {
    const Vec of_f{2, -3, 5}, of_a{6, -2, 2};
    for (int c = 0; c < 3; ++c) {
      EXPECT_EQ(gradient[c * g.size() + p], of_f[c]);
      EXPECT_EQ(rotation[c * g.size() + p], of_a[c]);
    }
    EXPECT_EQ(divergence[p], 111);
    EXPECT_EQ(along[p], 2 * a.values()[p] - 3 * a.values()[g.size() + p] + 5 * a.values()[2 * g.size() + p]);
  }
}

TEST(VectorCalculusReference, QuadraticFieldsAreExactEvenAtTheirEnds) {
  const Grid g{6, 5, 4, 0.5, 0.5, 0.5, sided};
  const auto f = test::sampled_scalar(g, [](double x, double y, double z) { return x * x - 2 * y * y + 3 * z * z; });
  const auto gradient = referred(Operation::grad, operands_of(g, &f, nullptr));
  test::for_each_point(g, [&](auto i, auto j, auto k) {
    const std::int64_t p = i + g.nx * (j + g.ny * k);
    EXPECT_EQ(gradient[p], 2 * (i * 0.5));
    EXPECT_EQ(gradient[g.size() + p], -4 * (j * 0.5));
    EXPECT_EQ(gradient[2 * g.size() + p], 6 * (k * 0.5));
  });
}

// The centred difference of sin(k x) is cos(k x) sin(k h)/h, which leaves k cos(k x) by the second order of h.
double waves_error(int n, bool modified) {
  const double length = 2 * std::numbers::pi, h = length / n, kx = 2, ky = 3;
  const Grid g{n, n, 4, h, h, 1};
  const auto f =
      test::sampled_scalar(g, [&](double x, double y, double) { return std::sin(kx * x) * std::cos(ky * y); });
  const auto gradient = referred(Operation::grad, operands_of(g, &f, nullptr));
  const double by_x = modified ? std::sin(kx * h) / h : kx, by_y = modified ? std::sin(ky * h) / h : ky;
  double worst = 0;
  test::for_each_point(g, [&](auto i, auto j, auto k) {
    const std::int64_t p = i + g.nx * (j + g.ny * k);
    const double x = i * h, y = j * h;
    worst = std::max({worst, std::abs(gradient[p] - by_x * std::cos(kx * x) * std::cos(ky * y)),
                      std::abs(gradient[g.size() + p] + by_y * std::sin(kx * x) * std::sin(ky * y)),
                      std::abs(gradient[2 * g.size() + p])});
  });
  return worst;
}

TEST(VectorCalculusReference, WavesHaveTheDifferencesEigenvalueAndConvergeInSecondOrder) {
  EXPECT_LE(waves_error(32, true), 1e-13);
  EXPECT_NEAR(waves_error(128, false) / waves_error(256, false), 4, 0.04);
}

TEST(VectorCalculusReference, OneSidedDifferencesConvergeInSecondOrder) {
  const auto error = [](int n) {
    const double h = 1.0 / (n - 1);
    const Grid g{n, n, n, h, h, h, sided};
    const auto f = test::sampled_scalar(
        g, [](double x, double y, double z) { return std::exp(x) * std::sin(2 * y) * std::cos(z + 1); });
    const auto gradient = referred(Operation::grad, operands_of(g, &f, nullptr));
    double worst = 0;
    test::for_each_point(g, [&](auto i, auto j, auto k) {
      const std::int64_t p = i + g.nx * (j + g.ny * k);
      const double x = i * h, y = j * h, z = k * h;
      const double exact[] = {std::exp(x) * std::sin(2 * y) * std::cos(z + 1),
                              2 * std::exp(x) * std::cos(2 * y) * std::cos(z + 1),
                              -std::exp(x) * std::sin(2 * y) * std::sin(z + 1)};
      for (int c = 0; c < 3; ++c) worst = std::max(worst, std::abs(gradient[c * g.size() + p] - exact[c]));
    });
    return worst;
  };
  EXPECT_NEAR(error(17) / error(33), 4, 0.3);
}

// Arnold, Beltrami, Childress: curl a = k a, div a = 0; of the differences with k' = sin(h)/h.
TEST(VectorCalculusReference, TheRotationOfABeltramiFieldIsTheField) {
  const int n = 16;
  const double h = 2 * std::numbers::pi / n;
  const Grid g{n, n, n, h, h, h};
  const auto a = test::sampled_vector(g, [](double x, double y, double z) {
    return Vec{1.0 * std::sin(z) + 0.7 * std::cos(y), 0.4 * std::sin(x) + 1.0 * std::cos(z),
               0.7 * std::sin(y) + 0.4 * std::cos(x)};
  });
  const auto o = operands_of(g, nullptr, &a);
  const auto rotation = referred(Operation::curl, o), divergence = referred(Operation::div, o);
  for (std::int64_t w = 0; w < 3 * g.size(); ++w) EXPECT_NEAR(rotation[w], std::sin(h) / h * a.values()[w], 1e-14);
  for (const double v : divergence) EXPECT_NEAR(v, 0, 1e-14);
}

// Waves of both signs through (curl a) x a . b and the momentum, against the product of the parts' own answers.
TEST(VectorCalculusReference, ChainsAreTheirPartsOneAfterTheOther) {
  const Inputs<double> inputs({Operation::momentum, Layout::soa, {5, 4, 6, 0.5, 0.25, 1}, Values::integers, 3});
  const Operands<double> o = inputs.operands();
  const std::int64_t n = o.grid->size();
  const auto part = [&](Operation operation, Operands<double> operands) {
    operands.grid = o.grid;
    return referred(operation, operands);
  };
  const auto rotation = part(Operation::curl, {.a = o.a});
  const auto force = part(Operation::cross, {.a = rotation.data(), .b = o.a});
  EXPECT_EQ(referred(Operation::lorentz, o), force);
  EXPECT_EQ(referred(Operation::helicity, o), part(Operation::dot, {.a = force.data(), .b = o.b}));
  const auto slope = part(Operation::grad, {.f = o.f}), friction = part(Operation::fscale, {.f = o.g, .a = o.b});
  const auto momentum = referred(Operation::momentum, o);
  for (std::int64_t w = 0; w < 3 * n; ++w) EXPECT_EQ(momentum[w], o.s[0] * force[w] - slope[w] - friction[w]);
  EXPECT_EQ(referred(Operation::laplacian, o), part(Operation::div, {.a = slope.data()}));
  EXPECT_EQ(referred(Operation::curl_grad, o), std::vector<double>(3 * n, 0.0));
  const auto scaled = part(Operation::fscale, {.f = o.f, .a = o.a});
  EXPECT_EQ(referred(Operation::flux, o), part(Operation::div, {.a = scaled.data()}));
}

}  // namespace
}  // namespace speedwell::vector_calculus
