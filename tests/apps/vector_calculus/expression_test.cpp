// The public interface: expressions of a user's own, their identities, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "speedwell/core/random.hpp"
#include "tests/apps/vector_calculus/sampled.hpp"

namespace speedwell::vector_calculus {
namespace {

constexpr Grid box{21, 10, 9, 0.5, 0.125, 0.25};

template <class Field>
void fill(Field& field, std::uint64_t seed) {
  for (std::size_t w = 0; w < field.values().size(); ++w) field.values()[w] = 2 * core::random_uniform(seed, w) - 1;
}

template <class T, Layout layout>
void identities_hold() {
  const double u = std::numeric_limits<T>::epsilon() / 2, least = 0.125;
  ScalarField<T> f(box), result(box);
  VectorField<T, layout> a(box), b(box), c(box), d(box);
  fill(f, 1), fill(a, 2), fill(b, 3);
  // Each second difference is off by 4 u max / d^2 at most, and should cancel.
  assign(c, curl(grad(f)));
  for (const T v : c.values()) EXPECT_LE(std::abs(v), 10 * u / (least * least));
  assign(result, div(curl(a)));
  for (const T v : result.values()) EXPECT_LE(std::abs(v), 15 * u / (least * least));
  // Orthogonal up to the rounding of three products of three.
  assign(result, dot(a, cross(a, b)));
  for (const T v : result.values()) EXPECT_LE(std::abs(v), 5 * u * 6);
  assign(c, cross(a, b));
  assign(d, -cross(b, a));
  EXPECT_TRUE(std::equal(c.values().begin(), c.values().end(), d.values().begin()));
  ScalarField<T> other(box);
  assign(result, norm2(a));
  assign(other, dot(a, a));
  EXPECT_TRUE(std::equal(result.values().begin(), result.values().end(), other.values().begin()));
  // Lagrange: |a x b|^2 + (a . b)^2 = |a|^2 |b|^2.
  assign(result, norm2(cross(a, b)) + dot(a, b) * dot(a, b));
  assign(other, norm2(a) * norm2(b));
  for (std::int64_t p = 0; p < box.size(); ++p) {
    // |a|^2 |b|^2 bounds every product's magnitudes to within a factor of 4; 12 roundings.
    EXPECT_NEAR(result.values()[p], other.values()[p], 48 * u * other.values()[p]);
  }
  // Everything that leaves a point of a periodic grid arrives at another.
  assign(result, div(a));
  double sum = 0, magnitude = 0;
  for (const T v : result.values()) sum += v, magnitude += std::abs(v);
  EXPECT_LE(std::abs(sum), 8 * u * magnitude);
  assign(c, curl(a));
  sum = 0;
  for (const T v : c.values()) sum += v, magnitude += std::abs(v);
  EXPECT_LE(std::abs(sum), 8 * u * magnitude);
}

TEST(VectorCalculusExpressions, ObeyTheIdentitiesOfVectorCalculus) {
  identities_hold<double, Layout::soa>();
  identities_hold<double, Layout::aos>();
  identities_hold<float, Layout::soa>();
  identities_hold<float, Layout::aos>();
}

// div(grad f) is the Laplacian over two points each way.
TEST(VectorCalculusExpressions, DivergenceOfAGradientIsTheWideLaplacian) {
  ScalarField<double> f(box), laplacian(box);
  fill(f, 4);
  assign(laplacian, div(grad(f)));
  test::for_each_point(box, [&](auto i, auto j, auto k) {
    const auto at = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
      return f((i + x + box.nx) % box.nx, (j + y + box.ny) % box.ny, (k + z + box.nz) % box.nz);
    };
    const double expected = (at(2, 0, 0) - 2 * at(0, 0, 0) + at(-2, 0, 0)) / (4 * box.dx * box.dx) +
                            (at(0, 2, 0) - 2 * at(0, 0, 0) + at(0, -2, 0)) / (4 * box.dy * box.dy) +
                            (at(0, 0, 2) - 2 * at(0, 0, 0) + at(0, 0, -2)) / (4 * box.dz * box.dz);
    EXPECT_NEAR(laplacian(i, j, k), expected, 1e-13);
  });
}

TEST(VectorCalculusExpressions, AreWhatTheirPartsAreOneAfterTheOther) {
  for (const Boundary boundary : {Boundary::periodic, Boundary::one_sided}) {
    Grid g = box;
    g.boundary = boundary;
    ScalarField<double> rho(g), density(g), fused(g), apart(g);
    VectorField<double, Layout::aos> u(g), flux(g), rotation(g);
    VectorField<double> b(g), mixed(g), expected(g);  // both layouts in one expression
    fill(rho, 5), fill(u, 6), fill(b, 7);
    assign(flux, rho * u);
    assign(apart, div(flux));
    assign(fused, div(rho * u));
    EXPECT_TRUE(std::equal(fused.values().begin(), fused.values().end(), apart.values().begin()));
    assign(rotation, curl(u));
    assign(flux, cross(rotation, b));
    assign(apart, dot(flux, u));
    assign(fused, dot(cross(curl(u), b), u));
    EXPECT_TRUE(std::equal(fused.values().begin(), fused.values().end(), apart.values().begin()));
    VectorField<double> inner(g), outer(g);
    assign(mixed, rho * b - advect(u, rho) * b + 0.5 * curl(curl(b)));
    assign(density, advect(u, rho));
    assign(inner, curl(b));
    assign(outer, curl(inner));
    assign(inner, density * b);
    assign(expected, rho * b);
    assign(expected, expected - inner);
    assign(expected, expected + 0.5 * outer);
    EXPECT_TRUE(std::equal(mixed.values().begin(), mixed.values().end(), expected.values().begin()));
  }
}

TEST(VectorCalculusExpressions, MayBeAssignedToTheirOwnFieldsWithoutDerivatives) {
  VectorField<double, Layout::aos> a(box), b(box), expected(box);
  VectorField<double> apart(box);
  ScalarField<double> f(box);
  fill(a, 8), fill(b, 9), fill(f, 10);
  assign(expected, cross(a, b) + 2 * a);
  assign(a, cross(a, b) + 2 * a);
  EXPECT_TRUE(std::equal(a.values().begin(), a.values().end(), expected.values().begin()));
  EXPECT_THROW(assign(f, div(f * a)), std::invalid_argument);
  EXPECT_THROW(assign(a, curl(a)), std::invalid_argument);
  EXPECT_THROW(assign(a, grad(f) + a), std::invalid_argument);
}

TEST(VectorCalculusExpressions, HaveTotalsThatDoNotDependOnThreads) {
  // 600 points a row, more than are evaluated at a time.
  for (const Boundary boundary : {Boundary::periodic, Boundary::one_sided}) {
    const Grid g{600, 5, 7, 1, 1, 1, boundary};
    ScalarField<float> f(g), slope(g);
    VectorField<float, Layout::aos> a(g);
    for (std::size_t p = 0; p < f.values().size(); ++p) f.values()[p] = static_cast<float>(p % 23) - 5;
    fill(a, 11);
    double sum = 0, largest = 0;
    for (const float v : f.values()) sum += v;
    EXPECT_EQ(totals(f).sum, sum);
    EXPECT_EQ(totals(f).largest, 17);
    EXPECT_EQ(totals(-2 * f).largest, 34);
    assign(slope, div(a));
    const Totals one = totals(div(a), {.threads = 1});
    for (const float v : slope.values()) largest = std::max(largest, std::abs(static_cast<double>(v)));
    EXPECT_EQ(one.largest, largest);
    EXPECT_EQ(totals(slope).sum, one.sum);
    EXPECT_EQ(totals(div(a), {.threads = 3}).sum, one.sum);
    f(599, 4, 6) = std::nanf("");
    EXPECT_TRUE(std::isnan(totals(f).largest) && std::isnan(totals(f).sum));
    f(599, 4, 6) = 0;
    f(0, 0, 0) = -std::numeric_limits<float>::infinity();
    EXPECT_EQ(totals(f).largest, std::numeric_limits<double>::infinity());
  }
  ScalarField<double> flat({4, 4, 1}), other({4, 4, 4});
  EXPECT_THROW(totals(norm2(grad(flat))), std::invalid_argument);
  EXPECT_THROW(totals(flat * other), std::invalid_argument);
}

std::string message_of(const Grid& g, int reach) {
  try {
    require_grid(g, reach);
  } catch (const std::invalid_argument& refused) {
    return refused.what();
  }
  return "";
}

TEST(VectorCalculusExpressions, RefuseGridsThatTheyCannotBeOn) {
  const double infinite = std::numeric_limits<double>::infinity(), nan = std::nan("");
  EXPECT_NE(message_of({.nx = 0}, 0).find("nx=0"), std::string::npos);
  EXPECT_NE(message_of({.nx = 4, .ny = 2, .nz = 4}, 1).find("ny=2: with derivatives an extent is from 3"),
            std::string::npos);
  EXPECT_EQ(message_of({.nx = 1, .ny = 1, .nz = 1}, 0), "");
  EXPECT_EQ(message_of({.nx = 3, .ny = 3, .nz = 3}, 2), "");
  EXPECT_NE(message_of({.nx = 3, .ny = 3, .nz = 3}, 4).find("from 4"), std::string::npos);
  EXPECT_NE(message_of({.dx = 0}, 0).find("dx=0"), std::string::npos);
  EXPECT_NE(message_of({.dy = -1}, 0).find("dy=-1"), std::string::npos);
  EXPECT_NE(message_of({.dz = infinite}, 0).find("dz=inf"), std::string::npos);
  EXPECT_NE(message_of({.dz = nan}, 0).find("positive and finite"), std::string::npos);
  EXPECT_NE(message_of({.nx = 1 << 25, .ny = 1 << 20, .nz = 1 << 20}, 0).find("2^48"), std::string::npos);
  EXPECT_NE(message_of({.nx = std::int64_t{1} << 31}, 0).find("2^30"), std::string::npos);
  EXPECT_THROW(ScalarField<double>({.nx = -1}), std::invalid_argument);

  ScalarField<double> f(box), flat({4, 4, 1}), on_flat({4, 4, 1});
  VectorField<double> on_another({21, 10, 9, 0.5, 0.125, 0.5}), gradient({4, 4, 1});
  EXPECT_THROW(assign(on_another, grad(f)), std::invalid_argument);
  EXPECT_THROW(assign(gradient, grad(flat)), std::invalid_argument);
  EXPECT_THROW(assign(on_flat, 2 * flat, {.threads = -1}), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::vector_calculus
