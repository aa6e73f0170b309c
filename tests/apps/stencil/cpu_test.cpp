// All host products against the oracle, on shapes that reveal indexing errors.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <tuple>

#include "speedwell/apps/stencil/cpu/cpu_strips.hpp"
#include "speedwell/apps/stencil/cpu/cpu_tiles.hpp"
#include "speedwell/apps/stencil/cpu/rows.hpp"
#include "speedwell/apps/stencil/stencil.hpp"
#include "speedwell/apps/stencil/verify/reference.hpp"
#include "speedwell/apps/stencil/verify/verify.hpp"
#include "tests/apps/stencil/expect_vectors.hpp"

namespace speedwell::stencil {
namespace {

constexpr Grid shapes[] = {{8, 8, 8}, {17, 5, 9}, {3, 3, 3}, {33, 4, 3}, {65, 3, 7}, {1, 1, 13}, {13, 1, 1}, {1, 1, 1}};

class OnTheHost : public testing::TestWithParam<std::tuple<Form, Boundary, Values>> {
 protected:
  template <class T>
  void holds() {
    const auto [form, boundary, values] = GetParam();
    for (const Grid& g : shapes) {
      if (boundary == Boundary::periodic && std::min({g.nx, g.ny, g.nz}) < 3) continue;
      if (boundary == Boundary::none && form != Form::face_metric && form != Form::face_coefficient) continue;
      const Fields<T> fields({.form = form, .boundary = boundary, .grid = g, .values = values, .seed = 5});
      std::vector<T> y(fields.x().size());
      const auto expect_passed = [&](const char* function) {
        const core::Verdict verdict = verify_product<T>(fields, y);
        EXPECT_TRUE(verdict.passed) << function << " " << g.nx << "x" << g.ny << "x" << g.nz << ": " << verdict.error;
        std::fill(y.begin(), y.end(), std::numeric_limits<T>::quiet_NaN());
      };
      multiply_serially<T>(fields.op(), fields.x().span(), y);
      expect_passed("serial");
      for (const Traversal traversal : {Traversal::strips, Traversal::planes, Traversal::blocks})
        for (const int threads : {1, 3}) {
          multiply<T>(fields.op(), fields.x().span(), y, {.threads = threads, .traversal = traversal});
          expect_passed("multiply");
        }
      const double dot = multiply_and_dot<T>(fields.op(), fields.x().span(), y, {.threads = 2});
      double expected = 0, magnitude = 0;
      for (std::size_t c = 0; c < y.size(); ++c) {
        expected += static_cast<double>(y[c]) * static_cast<double>(fields.x()[c]);
        magnitude += std::abs(static_cast<double>(y[c]) * static_cast<double>(fields.x()[c]));
      }
      EXPECT_NEAR(dot, expected, 1e-13 * magnitude);
      expect_passed("multiply_and_dot");
    }
  }
};

TEST_P(OnTheHost, EveryVariantGivesTheOraclesAnswerInDouble) { holds<double>(); }
TEST_P(OnTheHost, EveryVariantGivesTheOraclesAnswerInFloat) { holds<float>(); }
INSTANTIATE_TEST_SUITE_P(Stencil, OnTheHost,
                         testing::Combine(testing::Values(Form::cell_metric, Form::constant, Form::face_metric,
                                                          Form::face_coefficient, Form::general),
                                          testing::Values(Boundary::periodic, Boundary::zero, Boundary::none),
                                          testing::Values(Values::dyadic, Values::random)));

// For all alignments of rows within a cache line, without access beyond their ends.
template <class T>
void streamed_rows_have_the_same_bits() {
  constexpr std::int64_t room = 160, most = 133;
  for (const Form form : {Form::cell_metric, Form::constant, Form::face_metric, Form::face_coefficient, Form::general})
    for (const core::Isa isa : {core::Isa::baseline, core::Isa::avx2, core::Isa::avx512})
      for (const std::int64_t n : {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48, 64, 65, 128, 133})
        for (const std::int64_t begin : {0, 1, 5, 8, 16, 17}) {
          if (!core::is_available(isa)) continue;
          const Fields<T> fields(
              {.form = form, .boundary = Boundary::zero, .grid = {most, 3, 3}, .values = Values::random, .seed = 4});
          const Operator<T>& a = fields.op();
          const std::vector<T> zeros(most, T(0));
          core::HostBuffer<T> plain(room), streamed(room);
          std::fill(plain.begin(), plain.end(), T(-7));
          std::fill(streamed.begin(), streamed.end(), T(-7));
          Row<T> row = row_of(a, 0, n, 1, 1);
          point_at(row, a, fields.x().data(), zeros.data(), 0, 1, 1);
          row.out = plain.data() + begin;
          row_kernels<T>(isa, form).product(row, false);
          row.out = streamed.data() + begin;
          row_kernels<T>(isa, form).product(row, true);
          streaming_fence();
          EXPECT_TRUE(std::equal(plain.begin(), plain.end(), streamed.begin()))
              << to_string(form) << " " << n << " from " << begin;
          EXPECT_NE(streamed[static_cast<std::size_t>(begin + n - 1)], T(-7));
        }
}

TEST(StencilRows, StreamedOnesHaveTheBitsOfOthersWhereverTheyBeginInDouble) {
  streamed_rows_have_the_same_bits<double>();
}
TEST(StencilRows, StreamedOnesHaveTheBitsOfOthersWhereverTheyBeginInFloat) {
  streamed_rows_have_the_same_bits<float>();
}

TEST(StencilOnTheHost, IsDividedAmongThreadsAlongYWhereThereAreRowsEnough) {
  for (const Grid& g : {Grid{9, 29, 4}, Grid{20, 12, 3}, Grid{5, 11, 40}}) {
    const Fields<double> fields(
        {.form = Form::face_metric, .boundary = Boundary::zero, .grid = g, .values = Values::random});
    std::vector<double> one(fields.x().size()), several(one.size());
    multiply<double>(fields.op(), fields.x().span(), one, {.threads = 1});
    EXPECT_TRUE(verify_product<double>(fields, one).passed);
    for (const int threads : {2, 3, 5, 7}) {
      std::fill(several.begin(), several.end(), std::numeric_limits<double>::quiet_NaN());
      multiply<double>(fields.op(), fields.x().span(), several, {.threads = threads});
      EXPECT_EQ(several, one) << threads;
    }
  }
}

TEST(StencilOnTheHost, GivesThePublishedVectorsInBothPrecisions) {
  for (const Vector& v : vectors) {
    if (v.n > 128) continue;
    const Fields<double> wide(published_problem(v.n, Form::cell_metric, v.boundary));
    std::vector<double> y(wide.x().size());
    multiply<double>(wide.op(), wide.x().span(), y);
    expect_vector(v, y.data());
    const Fields<float> narrow(published_problem(v.n, Form::cell_metric, v.boundary));
    std::vector<float> z(narrow.x().size());
    multiply<float>(narrow.op(), narrow.x().span(), z);
    expect_vector(v, z.data());
  }
}

TEST(StencilOnTheHost, GivesThePublishedVectorsAt256) {
  for (const Vector& v : vectors) {
    if (v.n != 256) continue;
    const Fields<float> fields(published_problem(v.n, Form::cell_metric, v.boundary));
    std::vector<float> y(fields.x().size());
    multiply<float>(fields.op(), fields.x().span(), y);
    expect_vector(v, y.data());
    if (v.boundary == Boundary::periodic) {
      const auto largest = std::max_element(y.begin(), y.end()), least = std::min_element(y.begin(), y.end());
      EXPECT_EQ(*largest, 7.307586669921875f);
      EXPECT_EQ((y[static_cast<std::size_t>(Grid{256, 256, 256}.cell(2, 4, 31))]), *largest);
      EXPECT_EQ(*least, -7.3978424072265625f);
      EXPECT_EQ((y[static_cast<std::size_t>(Grid{256, 256, 256}.cell(6, 0, 27))]), *least);
    }
  }
}

TEST(StencilSweeps, AtAnyDepthGiveThePublishedVectors) {
  for (const SweepVector& v : sweep_vectors) {
    const Fields<double> fields(published_problem(v.n, Form::constant, Boundary::periodic));
    std::vector<double> y(fields.x().size()), scratch(y.size());
    for (const int depth : {0, 1, 3}) {
      if (v.n > 64 && depth != 0) continue;
      sweep<double>(fields.op(), fields.x().span(), y, scratch, v.sweeps, depth, {.threads = 2});
      expect_sweep_vector(v, y.data());
    }
  }
}

TEST(StencilSweeps, OnAwkwardShapesHaveTheBitsOfPlainProducts) {
  for (const Boundary boundary : {Boundary::periodic, Boundary::zero})
    for (const Grid& g : shapes) {
      if (boundary == Boundary::periodic && std::min({g.nx, g.ny, g.nz}) < 3) continue;
      const Fields<double> fields(
          {.form = Form::constant, .boundary = boundary, .grid = g, .values = Values::random, .seed = 6});
      std::vector<double> y(fields.x().size()), scratch(y.size()), plain(fields.x().begin(), fields.x().end()),
          next(y.size());
      for (int s = 1; s <= 7; ++s) {
        multiply<double>(fields.op(), plain, next);
        plain.swap(next);
        for (const int depth : {1, 2, 5})
          for (const int threads : {1, 3, 16}) {
            sweep<double>(fields.op(), fields.x().span(), y, scratch, s, depth, {.threads = threads});
            EXPECT_EQ(y, plain) << s << " sweeps, depth " << depth << ", " << g.nx << "x" << g.ny << "x" << g.nz;
          }
      }
      if (boundary == Boundary::periodic) {
        const std::vector<double> expected = reference_sweeps(fields.op(), fields.x().data(), 7);
        EXPECT_TRUE(verify_sweeps<double>(fields, 7, expected, y).passed);
        y[0] += 1e-12;
        EXPECT_FALSE(verify_sweeps<double>(fields, 7, expected, y).passed);
      }
    }
}

TEST(StencilStrips, HaveTheRowThatTheirThreadVisitsLater) {
  const Grid g{5, 9, 4};
  const Share strip{2, 5, 1, 4};
  std::vector<std::int64_t> visited;
  for (std::int64_t k = strip.k_begin; k < strip.k_end; ++k)
    for (std::int64_t j = strip.j_begin; j < strip.j_end; ++j) visited.push_back(g.cell(0, j, k));
  for (std::size_t row = 0; row < visited.size(); ++row)
    for (const std::int64_t rows : {1, 2, 3, 7, 9}) {
      const std::int64_t j = visited[row] / g.nx % g.ny, k = visited[row] / g.nx / g.ny;
      const std::size_t later = row + static_cast<std::size_t>(rows);
      EXPECT_EQ(cells_ahead(g, strip, j, k, rows), later < visited.size() ? visited[later] - visited[row] : 0)
          << "row " << row << ", " << rows << " rows later";
    }
  EXPECT_EQ(rows_ahead<double>(Grid{64, 1, 1}), 4);
  EXPECT_EQ(rows_ahead<float>(Grid{64, 1, 1}), 8);
  EXPECT_EQ(rows_ahead<double>(Grid{300, 1, 1}), 1);
}

TEST(StencilSweeps, AreDividedEvenlyAmongThreads) {
  for (const Grid& g : {Grid{64, 64, 64}, Grid{128, 128, 128}, Grid{127, 130, 127}, Grid{256, 256, 256}})
    for (const int threads : {1, 2, 3, 8, 16, 64})
      for (const std::int64_t max_rows : {50, 107}) {
        constexpr int depth = 4;
        const Tiles tiles = divide_into_tiles(g, depth, threads, max_rows);
        EXPECT_LE((g.ny + tiles.strips - 1) / tiles.strips, max_rows);
        // Tiles that were squares, one for each thread, would compute least again. A fifth more is for edges that are
        // not multiples of each other, and for strips that may not have more than max_rows rows.
        const double edge = std::sqrt(static_cast<double>(g.ny * g.nz) / threads);
        double square = 0;
        for (int spread = 0; spread < depth; ++spread) square += (edge + 2 * spread) * (edge + 2 * spread);
        EXPECT_LT(static_cast<double>(rows_of_busiest(g, tiles, depth, threads)), 1.2 * square)
            << g.ny << " rows, " << g.nz << " planes, " << threads << " threads";
      }
}

TEST(StencilSweeps, HaveNoMoreTilesThanRowsAndPlanes) {
  const Tiles of_one = divide_into_tiles(Grid{100, 1, 1}, 4, 16, 1),
              of_plane = divide_into_tiles(Grid{9, 7, 1}, 2, 16, 7);
  EXPECT_EQ(of_one.count(), 1);
  EXPECT_LE(of_plane.strips, 7);
  EXPECT_EQ(of_plane.chunks, 1);
}

// Other data have equal weights in all directions, with which a confusion of axes would go unnoticed.
TEST(StencilOnTheHost, GivesEveryAxisItsOwnWeight) {
  const Fields<double> fields({.form = Form::constant, .grid = {19, 6, 7}});
  Operator<double> a = fields.op();
  const double weights[] = {0.5, 0.25, -0.125, 2};
  std::copy(weights, weights + 4, a.weight);
  const std::vector<double> expected = reference_product(a, fields.x().data());
  std::vector<double> y(expected.size()), scratch(y.size());
  multiply_serially<double>(a, fields.x().span(), y);
  EXPECT_EQ(y, expected);
  multiply<double>(a, fields.x().span(), y);
  EXPECT_EQ(y, expected);
  for (const int sweeps : {1, 3}) {
    sweep<double>(a, fields.x().span(), y, scratch, sweeps, 3);
    EXPECT_EQ(y, reference_sweeps(a, fields.x().data(), sweeps));
  }
}

TEST(StencilVerdict, RejectsOneWrongCellAndNaN) {
  for (const Values values : {Values::dyadic, Values::random}) {
    const Fields<double> fields({.form = Form::face_metric, .grid = {9, 8, 7}, .values = values});
    std::vector<double> y(fields.x().size());
    multiply<double>(fields.op(), fields.x().span(), y);
    EXPECT_TRUE(verify_product<double>(fields, y).passed);
    const double right = y[100];
    y[100] = right * (1 + 1e-13);
    EXPECT_FALSE(verify_product<double>(fields, y).passed);
    y[100] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(verify_product<double>(fields, y).passed);
    EXPECT_THROW(verify_product<double>(fields, std::span<const double>(y).first(5)), std::invalid_argument);
  }
}

TEST(StencilOnTheHost, RefusesOperandsThatDoNotFit) {
  const Fields<double> fields({.form = Form::constant, .grid = {4, 4, 4}});
  std::vector<double> y(64), short_y(63);
  EXPECT_THROW(multiply<double>(fields.op(), fields.x().span(), short_y), std::invalid_argument);
  EXPECT_THROW(multiply<double>(fields.op(), y, y), std::invalid_argument);
  EXPECT_THROW(multiply<double>(fields.op(), fields.x().span(), y, {.threads = -1}), std::invalid_argument);
  std::vector<double> scratch(64);
  EXPECT_THROW(sweep<double>(fields.op(), fields.x().span(), y, scratch, 0), std::invalid_argument);
  EXPECT_THROW(sweep<double>(fields.op(), fields.x().span(), y, y, 2), std::invalid_argument);
  const Fields<double> variable({.form = Form::cell_metric, .grid = {4, 4, 4}});
  EXPECT_THROW(sweep<double>(variable.op(), variable.x().span(), y, scratch, 2), std::invalid_argument);
}

// Ten million values near 1: recursive summation is off by thousands of units in the last place, the staged sum by few.
TEST(StagedSum, LosesLessThanARunningSum) {
  std::vector<double> values(10'000'000);
  long double exact = 0;
  double running = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = 1.0 / (1.0 + static_cast<double>(i % 1000) * 1e-3);
    exact += values[i];
    running += values[i];
  }
  const double staged_error = std::abs(static_cast<double>(staged_sum(values) - exact));
  const double running_error = std::abs(static_cast<double>(running - exact));
  EXPECT_LT(staged_error / static_cast<double>(exact), 4 * 0x1p-53);
  EXPECT_GT(running_error, 20 * staged_error);
}

}  // namespace
}  // namespace speedwell::stencil
