// Products and sweeps on 1 to 8 ranks have the bits of one process: all forms and boundaries, uneven tiles, every axis
// divided, with and without overlap. Planted faults of the halo change them.
#include "speedwell/apps/stencil/distributed.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "speedwell/apps/stencil/fields.hpp"
#include "speedwell/apps/stencil/stencil.hpp"
#include "speedwell/comm/halo_exchange.hpp"
#include "tests/support/ranks.hpp"

namespace speedwell::stencil {
namespace {

using test::ranks;

/// Grids of ranks (x, y, z) that all of them can form; 0 for the chosen one.
std::vector<std::array<int, 3>> rank_grids() {
  const int n = ranks().size();
  std::vector<std::array<int, 3>> all{{0, 0, 0}, {1, 1, n}, {1, n, 1}, {n, 1, 1}};
  if (n % 2 == 0) all.push_back({2, 1, n / 2});
  if (n == 8) all.push_back({2, 2, 2});
  return all;
}

template <class T>
bool same_bits(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

bool is_root() { return ranks().rank() == 0; }

template <class T>
void expect_products(const Problem& problem) {
  const Fields<T> fields(problem);
  const auto cells = static_cast<std::size_t>(problem.grid.size());
  std::vector<T> expected(cells), got(cells);
  multiply<T>(fields.op(), fields.x().span(), expected, {.threads = 1});
  const double dot = multiply_and_dot<T>(fields.op(), fields.x().span(), got, {.threads = 1});
  double magnitude = 0;
  for (std::size_t i = 0; i < cells; ++i)
    magnitude += std::abs(static_cast<double>(fields.x().data()[i]) * static_cast<double>(expected[i]));
  for (const auto& along : rank_grids()) {
    DistributedOperator<T> a(ranks(), {problem.form, problem.boundary, problem.grid}, 1, along);
    SCOPED_TRACE(std::string(to_string(problem.form)) + ", " + std::string(to_string(problem.boundary)) + ", " +
                 a.division_text());
    a.set(is_root() ? &fields.op() : nullptr);
    auto x = a.make_field(), y = a.make_field();
    a.scatter(is_root() ? fields.x().data() : nullptr, x.span());
    const auto expect_result = [&](const char* what) {
      std::fill(got.begin(), got.end(), T(-77));
      a.gather(y.span(), got.data());
      if (is_root()) {
        EXPECT_TRUE(same_bits<T>(got, expected)) << what;
      }
      std::fill(y.data(), y.data() + y.size(), T(0));
    };
    a.multiply(x.span(), y.span());
    expect_result("overlapped");
    a.exchange_and_multiply(x.span(), y.span());
    expect_result("exchange first");
    const double sum = a.multiply_and_dot(x.span(), y.span());
    EXPECT_NEAR(sum, dot, 1e-13 * magnitude);
    const double again = a.multiply_and_dot(x.span(), y.span());
    EXPECT_EQ(sum, again);
    expect_result("with the scalar product");
    EXPECT_GE(a.exchange_seconds(), 0);
  }
}

TEST(DistributedOperator, ProductsHaveTheBitsOfOneProcess) {
  for (const Form form : {Form::cell_metric, Form::constant, Form::face_metric, Form::face_coefficient, Form::general})
    for (const Boundary boundary : {Boundary::periodic, Boundary::zero, Boundary::none}) {
      if (boundary == Boundary::none && form != Form::face_metric && form != Form::face_coefficient) continue;
      const Problem problem{
          .form = form, .boundary = boundary, .grid = {21, 18, 25}, .values = Values::random, .seed = 5};
      expect_products<double>(problem);
      expect_products<float>(problem);
    }
}

TEST(DistributedOperator, TilesMayBeOneCellThick) {
  const std::int64_t n = std::max(3, ranks().size());
  for (const Boundary boundary : {Boundary::periodic, Boundary::zero})
    expect_products<double>(
        {.form = Form::general, .boundary = boundary, .grid = {n, n, n}, .values = Values::random, .seed = 6});
}

template <class T>
void expect_sweeps(const Grid& grid, int sweeps) {
  const Problem problem{
      .form = Form::constant, .boundary = Boundary::periodic, .grid = grid, .values = Values::random, .seed = 7};
  const Fields<T> fields(problem);
  const auto cells = static_cast<std::size_t>(grid.size());
  std::vector<T> expected(cells), scratch(cells), got(cells);
  sweep<T>(fields.op(), fields.x().span(), expected, scratch, sweeps, 1, {.threads = 1});
  for (const auto& along : rank_grids())
    for (const int depth : {1, 2, 3}) {
      DistributedOperator<T> a(ranks(), {problem.form, problem.boundary, problem.grid}, depth, along);
      a.set(is_root() ? &fields.op() : nullptr);
      auto x = a.make_field(), y = a.make_field(), between = a.make_field();
      a.scatter(is_root() ? fields.x().data() : nullptr, x.span());
      a.sweep(x.span(), y.span(), between.span(), sweeps);
      a.gather(y.span(), got.data());
      if (is_root()) {
        EXPECT_TRUE(same_bits<T>(got, expected))
            << a.division_text() << ", depth " << depth << ", " << sweeps << " sweeps";
      }
    }
}

TEST(DistributedOperator, SweepsHaveTheBitsOfOneProcess) {
  for (const int sweeps : {1, 4, 7}) {
    expect_sweeps<double>({25, 24, 26}, sweeps);
    expect_sweeps<float>({25, 24, 26}, sweeps);
  }
}

// What the verdict of a distributed product must find: a face that was not received, a corner of the halo that is
// stale, and a halo of the wrong sign.
TEST(DistributedOperator, FaultsOfTheHaloChangeTheResult) {
  if (ranks().size() == 1) return;
  const Problem problem{.form = Form::constant,
                        .boundary = Boundary::periodic,
                        .grid = {24, 24, 24},
                        .values = Values::random,
                        .seed = 8};
  const Fields<double> fields(problem);
  std::vector<double> expected(static_cast<std::size_t>(problem.grid.size())), got(expected.size());
  std::vector<double> scratch(expected.size());
  sweep<double>(fields.op(), fields.x().span(), expected, scratch, 2, 1, {.threads = 1});
  enum class Fault { none, missing_face, stale_corner, sign };
  for (const Fault fault : {Fault::none, Fault::missing_face, Fault::stale_corner, Fault::sign}) {
    // Two sweeps for one exchange need the edges of the halo, too, where two axes are divided.
    const bool two_axes = ranks().size() % 2 == 0 && ranks().size() > 2;
    if (fault == Fault::stale_corner && !two_axes) continue;
    const std::array<int, 3> along =
        two_axes ? std::array<int, 3>{1, 2, ranks().size() / 2} : std::array<int, 3>{1, 1, ranks().size()};
    DistributedOperator<double> a(ranks(), {problem.form, problem.boundary, problem.grid}, 2, along);
    a.set(is_root() ? &fields.op() : nullptr);
    auto x = a.make_field(), y = a.make_field(), between = a.make_field();
    a.scatter(is_root() ? fields.x().data() : nullptr, x.span());
    // The exchange and the sweeps of sweep(), with the fault between them.
    comm::HaloExchange<double> exchange(ranks(), a.division(), comm::HaloShape::corners, 1);
    double* const field = x.data();
    exchange.exchange(std::span<double* const>(&field, 1));
    const auto& extents = exchange.layout().extents();
    if (is_root())
      for (const auto& message : exchange.layout().messages()) {
        const int axes =
            std::abs(message.direction[0]) + std::abs(message.direction[1]) + std::abs(message.direction[2]);
        const bool hit = fault == Fault::missing_face || fault == Fault::sign
                             ? axes == 1
                             : fault == Fault::stale_corner && axes == 2;
        if (!hit) continue;
        const auto& r = message.received.ranges;
        for (std::int64_t i = r[0].begin; i < r[0].end; ++i)
          for (std::int64_t j = r[1].begin; j < r[1].end; ++j)
            for (std::int64_t k = r[2].begin; k < r[2].end; ++k) {
              double& value = field[(i * extents[1] + j) * extents[2] + k];
              value = fault == Fault::sign ? -value : 0;
            }
        break;
      }
    const Grid local{extents[2], extents[1], extents[0]};
    Operator<double> op = fields.op();
    op.grid = local;
    sweep<double>(op, x.span(), y.span(), between.span(), 2, 0, {.threads = 1});
    a.gather(y.span(), got.data());
    if (is_root()) {
      EXPECT_EQ(same_bits<double>(got, expected), fault == Fault::none) << static_cast<int>(fault);
    }
  }
}

TEST(DistributedOperator, RefusesWhatCannotBeDivided) {
  const int n = ranks().size();
  const Grid small{3, 3, 3};
  if (n == 8) {
    EXPECT_THROW(DistributedOperator<float>(ranks(), {Form::constant, Boundary::periodic, small}, 1, {1, 1, 8}),
                 std::invalid_argument);
  }
  EXPECT_THROW(DistributedOperator<float>(ranks(), {Form::constant, Boundary::periodic, {2, 9, 9}}),
               std::invalid_argument);
  DistributedOperator<float> a(ranks(), {Form::general, Boundary::zero, {9, 9, 9}});
  auto x = a.make_field(), y = a.make_field(), z = a.make_field();
  EXPECT_THROW(a.sweep(x.span(), y.span(), z.span(), 2), std::invalid_argument);
  EXPECT_THROW(a.multiply(x.span(), x.span()), std::invalid_argument);
  EXPECT_THROW(a.multiply(x.span(), y.span().first(1)), std::invalid_argument);
}

TEST(DistributedOperator, DepthIsLimitedByTheTiles) {
  EXPECT_EQ(largest_depth({64, 64, 64}, Boundary::periodic, 8, 4), 4);
  EXPECT_EQ(largest_depth({5, 5, 5}, Boundary::periodic, 8, 4), 2);
  EXPECT_EQ(largest_depth({5, 5, 5}, Boundary::periodic, 1, 4), 4);
}

}  // namespace
}  // namespace speedwell::stencil
