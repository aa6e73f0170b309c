// Expressions of distributed fields on 1 to 8 ranks: the bits of one process, totals within the bound of their sums,
// and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "speedwell/apps/vector_calculus/distributed.hpp"
#include "speedwell/core/random.hpp"
#include "tests/support/ranks.hpp"

namespace speedwell::vector_calculus {
namespace {

using test::is_root;
using test::ranks;

template <class Field>
void fill(Field& field, std::uint64_t seed) {
  for (std::size_t i = 0; i < field.values().size(); ++i)
    field.values()[i] =
        static_cast<std::remove_reference_t<decltype(field.values()[0])>>(2 * core::random_uniform(seed, i) - 1);
}

template <class Whole, class Field>
bool holds(const Whole& expected, const Field& field) {
  Whole got(expected.grid());
  field.gather(got.values().data());
  return !is_root() || std::memcmp(got.values().data(), expected.values().data(), expected.values().size_bytes()) == 0;
}

template <class T, Layout layout>
void expect_the_same(const Grid& whole) {
  ScalarField<T> p(whole), divergence(whole);
  VectorField<T, layout> b(whole), force(whole), twice(whole);
  fill(p, 1);
  fill(b, 2);
  assign(force, cross(curl(b), b) - grad(p), {.threads = 1});
  assign(divergence, div(p * grad(norm2(b))), {.threads = 1});
  assign(twice, 0.5 * b + force - b, {.threads = 1});

  DistributedGrid grid(ranks(), whole, 2);
  SCOPED_TRACE(grid.division_text());
  DistributedScalarField<T> p_tile(grid), divergence_tile(grid);
  DistributedVectorField<T, layout> b_tile(grid), force_tile(grid), twice_tile(grid);
  p_tile.scatter(p.values().data());
  b_tile.scatter(b.values().data());
  EXPECT_TRUE(holds(p, p_tile));
  EXPECT_TRUE(holds(b, b_tile));
  assign(force_tile, cross(curl(b_tile), b_tile) - grad(p_tile));
  EXPECT_TRUE(holds(force, force_tile));
  assign(divergence_tile, div(p_tile * grad(norm2(b_tile))));
  EXPECT_TRUE(holds(divergence, divergence_tile));
  assign(twice_tile, 0.5 * b_tile + force_tile - b_tile);
  EXPECT_TRUE(holds(twice, twice_tile));
  assign(b_tile, b_tile + 2 * b_tile);  // in place
  assign(b, b + 2 * b, {.threads = 1});
  EXPECT_TRUE(holds(b, b_tile));
}

TEST(DistributedFields, ExpressionsHaveTheBitsOfOneProcess) {
  for (const Boundary boundary : {Boundary::periodic, Boundary::one_sided}) {
    const Grid grid{.nx = 29, .ny = 21, .nz = 18, .dx = 0.3, .dy = 0.7, .dz = 1.1, .boundary = boundary};
    expect_the_same<double, Layout::soa>(grid);
    expect_the_same<double, Layout::aos>(grid);
    expect_the_same<float, Layout::soa>(grid);
    expect_the_same<float, Layout::aos>(grid);
  }
}

TEST(DistributedFields, HaveTheIndicesOfTheWholeGrid) {
  const Grid whole{.nx = 17, .ny = 19, .nz = 18};
  DistributedGrid grid(ranks(), whole);
  DistributedScalarField<double> f(grid);
  DistributedVectorField<double, Layout::aos> a(grid);
  ScalarField<double> f_whole(whole);
  VectorField<double, Layout::aos> a_whole(whole);
  const auto value = [](int c, std::int64_t i, std::int64_t j, std::int64_t k) {
    return static_cast<double>(((c * 100 + i) * 100 + j) * 100 + k);
  };
  const auto set = [&](auto& scalar, auto& vector, comm::Range x, comm::Range y, comm::Range z) {
    for (std::int64_t k = z.begin; k < z.end; ++k)
      for (std::int64_t j = y.begin; j < y.end; ++j)
        for (std::int64_t i = x.begin; i < x.end; ++i) {
          scalar(i, j, k) = value(3, i, j, k);
          for (int c = 0; c < 3; ++c) vector(c, i, j, k) = value(c, i, j, k);
        }
  };
  set(f, a, grid.points_along(0), grid.points_along(1), grid.points_along(2));
  set(f_whole, a_whole, {0, 17}, {0, 19}, {0, 18});
  EXPECT_TRUE(holds(f_whole, f));
  EXPECT_TRUE(holds(a_whole, a));
}

// The sum of n terms that are added in stages is within log2(n) roundings or so of the sum of their magnitudes; n u is
// beyond any order.
TEST(DistributedTotals, AreThoseOfOneProcessWithinTheirBound) {
  for (const Boundary boundary : {Boundary::periodic, Boundary::one_sided}) {
    const Grid whole{.nx = 31, .ny = 22, .nz = 27, .boundary = boundary};
    VectorField<double> a(whole), b(whole);
    fill(a, 5);
    fill(b, 6);
    DistributedGrid grid(ranks(), whole);
    DistributedVectorField<double> a_tile(grid), b_tile(grid);
    a_tile.scatter(a.values().data());
    b_tile.scatter(b.values().data());
    const auto expect_totals = [&](const Totals& expected, const Totals& got, double magnitude) {
      EXPECT_EQ(got.largest, expected.largest);
      EXPECT_NEAR(got.sum, expected.sum, static_cast<double>(whole.size()) * 0x1p-53 * magnitude);
    };
    const auto points = static_cast<double>(whole.size());
    expect_totals(totals(dot(a, b)), totals(grid, dot(a_tile, b_tile)), 3 * points);
    const Totals first = totals(grid, div(a_tile));
    expect_totals(totals(div(a)), first, 3 * points);
    for (const HaloUpdate update : {HaloUpdate::overlapped, HaloUpdate::before, HaloUpdate::none}) {
      const Totals again = totals(grid, div(a_tile), update);
      EXPECT_EQ(again.sum, first.sum);
      EXPECT_EQ(again.largest, first.largest);
    }
  }
}

TEST(DistributedTotals, FindANanOnAnyRank) {
  DistributedGrid grid(ranks(), {.nx = 12, .ny = 12, .nz = 24});
  DistributedScalarField<double> f(grid);
  if (ranks().rank() == ranks().size() - 1)
    f(grid.points_along(0).begin, grid.points_along(1).begin, grid.points_along(2).begin) =
        std::numeric_limits<double>::quiet_NaN();
  const Totals found = totals(grid, f);
  EXPECT_TRUE(std::isnan(found.sum));
  EXPECT_TRUE(std::isnan(found.largest));
}

TEST(DistributedFields, RefuseWhatDoesNotFit) {
  DistributedGrid grid(ranks(), {.nx = 24, .ny = 24, .nz = 24}), other(ranks(), {.nx = 24, .ny = 24, .nz = 24});
  DistributedScalarField<double> f(grid), g(other);
  DistributedVectorField<double> a(grid);
  EXPECT_THROW(assign(f, g * f), std::invalid_argument);
  EXPECT_THROW(assign(f, div(grad(f))), std::invalid_argument);
  EXPECT_THROW(assign(g, div(grad(f))), std::invalid_argument);  // deeper than the halo
  EXPECT_THROW(assign(a, grad(dot(a, a))), std::invalid_argument);
  EXPECT_THROW(totals(other, f), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::vector_calculus
