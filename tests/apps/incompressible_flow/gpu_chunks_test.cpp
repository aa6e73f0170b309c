// The lanes of a warp that solve a tridiagonal system, one after another on the host, against the system itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "speedwell/apps/incompressible_flow/gpu/chunks.hpp"
#include "speedwell/core/random.hpp"

namespace speedwell::incompressible_flow::gpu {
namespace {

struct Pair {
  double re, im;
};

// The largest residual over the largest right-hand side.
template <int M>
double residual(bool periodic, double lambda) {
  constexpr int lanes = 32, n = M * lanes;
  std::vector<double> low(n), high(n);
  std::vector<Pair> right(n), x(n);
  double mean[2] = {};
  for (int r = 0; r < n; ++r) {
    const auto at = static_cast<std::size_t>(r);
    const double link =
        0.5 + core::random_uniform(1, at);  // symmetric: the constant vector is a null vector on both sides
    high[at] = link;
    low[static_cast<std::size_t>((r + 1) % n)] = link;
    right[at] = {core::random_uniform(2, at) - 0.5, core::random_uniform(3, at) - 0.5};
    mean[0] += right[at].re / n;
    mean[1] += right[at].im / n;
  }
  if (!periodic) low[0] = high[n - 1] = 0;
  if (lambda == 0)
    for (Pair& p : right) p = {p.re - mean[0], p.im - mean[1]};
  x = right;

  Chunk<double, M> chunks[lanes];
  Equation<double> e[lanes];
  FirstRowEquation<double> heads[lanes];
  const auto rows = [&](int lane) {
    return [&, lane](int i) -> Row<double> {
      const auto at = static_cast<std::size_t>(lane * M + i);
      if (lambda == 0 && at == 0) return {0, 1, 0};
      return {low[at], lambda, high[at]};
    };
  };
  const auto values = [&](int lane) {
    return [&, lane](int i) -> Pair { return x[static_cast<std::size_t>(lane * M + i)]; };
  };
  const auto keeps = [&](int lane) {
    return [&, lane](int i, double re, double im) { x[static_cast<std::size_t>(lane * M + i)] = {re, im}; };
  };
  if (lambda == 0) x[0] = {0, 0};
  for (int p = 0; p < lanes; ++p) {
    heads[p] = chunks[p].first_row_equation(rows(p), values(p));
    e[p] = chunks[p].last_row_equation(rows(p), values(p), keeps(p));
  }
  for (int p = 0; p < lanes; ++p) e[p] = reduced_equation(e[p], heads[(p + 1) % lanes]);
  for (int d = 1; d < lanes; d *= 2) {
    Equation<double> next[lanes];
    for (int p = 0; p < lanes; ++p) next[p] = pcr_step(e[p], e[(p + lanes - d) % lanes], e[(p + d) % lanes]);
    std::copy(next, next + lanes, e);
  }
  Pair last[lanes];
  for (int p = 0; p < lanes; ++p) {
    last[p] = {e[p].re / e[p].sum, e[p].im / e[p].sum};
  }
  for (int p = 0; p < lanes; ++p) {
    const Pair before = last[(p + lanes - 1) % lanes];
    chunks[p].back_substitute(rows(p), before.re, before.im, last[p].re, last[p].im, values(p), keeps(p), keeps(p));
  }
  double largest = 0, size = 0;
  for (int r = 0; r < n; ++r) {
    const auto at = static_cast<std::size_t>(r), a = static_cast<std::size_t>((r + n - 1) % n),
               b = static_cast<std::size_t>((r + 1) % n);
    const double diagonal = lambda - low[at] - high[at];
    largest = std::max({largest, std::abs(low[at] * x[a].re + diagonal * x[at].re + high[at] * x[b].re - right[at].re),
                        std::abs(low[at] * x[a].im + diagonal * x[at].im + high[at] * x[b].im - right[at].im)});
    size = std::max(size, std::abs(x[at].re) + std::abs(x[at].im));
  }
  return largest / size;
}

// No two rows or lines share an offset, and the lanes of a warp that are served together have different banks.
template <int M>
void expect_places(int width, int served) {
  std::vector<int> taken(static_cast<std::size_t>(M * 32 * width + 32), 0);
  for (int row = 0; row < M * 32; ++row)
    for (int line = 0; line < width; ++line) ++taken.at(static_cast<std::size_t>(shared_offset<M>(row, line, width)));
  for (const int t : taken) ASSERT_LE(t, 1);
  for (int first = 0; first < 32; first += served) {
    std::vector<int> banks(static_cast<std::size_t>(served), 0);
    for (int lane = first; lane < first + served; ++lane)
      ++banks[static_cast<std::size_t>(shared_offset<M>(lane * M, 3, width) % served)];
    for (const int b : banks) ASSERT_EQ(b, 1);
  }
}

TEST(FlowLinesInWarps, HaveAnOffsetEach) {
  for (const auto& [width, served] : {std::pair{8, 8}, {16, 16}}) {  // 16 bytes a value, and 8
    expect_places<2>(width, served);
    expect_places<4>(width, served);
    expect_places<8>(width, served);
    expect_places<16>(width, served);
    expect_places<32>(width, served);
  }
}

// Rows are kept by their sums, so that the residuals are roundings of the largest terms, a few times the solution, also
// where the matrix is nearly singular.
TEST(FlowLinesInWarps, SolveTheirSystems) {
  for (const bool periodic : {false, true})
    for (const double lambda : {-3.0, -0.1, -1e-4, 0.0}) {
      EXPECT_LT(residual<2>(periodic, lambda), 4e-15) << periodic << " " << lambda;
      EXPECT_LT(residual<4>(periodic, lambda), 4e-15) << periodic << " " << lambda;
      EXPECT_LT(residual<16>(periodic, lambda), 4e-15) << periodic << " " << lambda;
      EXPECT_LT(residual<32>(periodic, lambda), 4e-15) << periodic << " " << lambda;
    }
}

}  // namespace
}  // namespace speedwell::incompressible_flow::gpu
