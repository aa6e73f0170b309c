// The lanes of a warp that solve a tridiagonal system, one after another on the host, against the system itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "speedwell/apps/incompressible_flow/gpu/ranks/slab_chunks.hpp"
#include "speedwell/apps/incompressible_flow/gpu/ranks/slab_coupling.hpp"
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

/// A system whose links between rows are symmetric, on slabs of 32 M rows; row 0 of a singular one is x_0 = 0.
struct System {
  std::vector<double> low, high;
  std::vector<Pair> right;
  double lambda;

  System(int rows, bool periodic, double eigenvalue)
      : low(static_cast<std::size_t>(rows)), high(low.size()), right(low.size()), lambda(eigenvalue) {
    const std::size_t n = low.size();
    Pair mean = {0, 0};
    for (std::size_t r = 0; r < n; ++r) {
      high[r] = low[(r + 1) % n] = 0.5 + core::random_uniform(4, r);
      right[r] = {core::random_uniform(5, r) - 0.5, core::random_uniform(6, r) - 0.5};
      mean = {mean.re + right[r].re / rows, mean.im + right[r].im / rows};
    }
    if (!periodic) low[0] = high[n - 1] = 0;
    if (lambda != 0) return;
    for (Pair& p : right) p = {p.re - mean.re, p.im - mean.im};
    right[0] = {0, 0};
  }
  Row<double> row(std::size_t r) const {
    if (lambda == 0 && r == 0) return {0, 1, 0};
    return {low[r], lambda, high[r]};
  }
};

SlabInfluence influence_of(const System& s, std::size_t first, std::size_t end) {
  Eliminated<double> e;
  for (std::size_t r = first; r < end; ++r) {
    const Row<double> here = s.row(r);
    const double diagonal = here.sum - here.low - here.high;
    r == first ? e.first(here.low, diagonal, here.high, 0) : e.advance(here.low, diagonal, here.high, 0);
  }
  return e.influence();
}

/// One slab of a system, lane by lane.
template <int M>
struct SlabOfLanes {
  static constexpr int lanes = 32;
  const System& system;
  std::size_t first;
  std::vector<Pair> x;
  Chunk<double, M> chunks[lanes];
  SlabUnknown<double> last[lanes];
  SlabEnd<double> begin, end;

  SlabOfLanes(const System& s, int slab)
      : system(s),
        first(static_cast<std::size_t>(slab) * lanes * M),
        x(s.right.begin() + static_cast<std::ptrdiff_t>(first),
          s.right.begin() + static_cast<std::ptrdiff_t>(first + lanes * M)) {
    Equation<double> e[lanes];
    FirstRowEquation<double> heads[lanes];
    for (int p = 0; p < lanes; ++p) {
      heads[p] = chunks[p].first_row_equation(rows(p), values(p));
      e[p] = chunks[p].last_row_equation(rows(p), values(p), keeps(p));
    }
    for (int p = 0; p < lanes - 1; ++p) e[p] = reduced_equation(e[p], heads[p + 1]);
    for (int d = 1; d < lanes; d *= 2) {
      Equation<double> next[lanes];
      for (int p = 0; p < lanes; ++p)
        next[p] = slab_pcr_step(e[p], e[(p + lanes - d) % lanes], p >= d, e[(p + d) % lanes], p + d < lanes);
      std::copy(next, next + lanes, e);
    }
    for (int p = 0; p < lanes; ++p) last[p] = unknown_of(e[p]);
    begin = first_end(heads[0], last[0]);
    end = {last[lanes - 1].re, last[lanes - 1].im};
  }
  auto rows(int lane) const {
    return [this, lane](int i) { return system.row(first + static_cast<std::size_t>(lane * M + i)); };
  }
  auto values(int lane) const {
    return [this, lane](int i) { return x[static_cast<std::size_t>(lane * M + i)]; };
  }
  auto keeps(int lane) {
    return [this, lane](int i, double re, double im) { x[static_cast<std::size_t>(lane * M + i)] = {re, im}; };
  }
  void finish(Pair below, Pair above) {
    Pair ends[lanes];
    for (int p = 0; p < lanes; ++p)
      ends[p] = {last[p].re - last[p].below * below.re - last[p].above * above.re,
                 last[p].im - last[p].below * below.im - last[p].above * above.im};
    for (int p = 0; p < lanes; ++p) {
      const Pair before = p > 0 ? ends[p - 1] : below;
      chunks[p].back_substitute(rows(p), before.re, before.im, ends[p].re, ends[p].im, values(p), keeps(p), keeps(p));
    }
  }
};

// The largest residual on `slabs` slabs over the largest unknown, and that of what slabs know of each other.
template <int M>
double residual_on_slabs(int slabs, bool periodic, double lambda) {
  constexpr int rows = 32 * M;
  const System system(slabs * rows, periodic, lambda);
  std::vector<SlabOfLanes<M>> all;
  std::vector<double> matrix(static_cast<std::size_t>(2 * slabs * (2 * slabs + 1)));
  SlabCoupling coupling([&](int i) -> double& { return matrix[static_cast<std::size_t>(i)]; }, slabs, periodic);
  for (int s = 0; s < slabs; ++s) {
    all.emplace_back(system, s);
    coupling.add(s, influence_of(system, static_cast<std::size_t>(s) * rows, static_cast<std::size_t>(s + 1) * rows));
  }
  coupling.factorise();
  std::vector<Pair> x, from_above;
  for (int s = 0; s < slabs; ++s) {
    Pair below = {0, 0}, above = {0, 0};
    const auto end_of = [&](int j) {
      const SlabOfLanes<M>& slab = all[static_cast<std::size_t>(j / 2)];
      return j % 2 == 0 ? slab.begin : slab.end;
    };
    coupling.factors_below(s, [&](int j, double f) {
      below = {below.re + f * end_of(j).re, below.im + f * end_of(j).im};
    });
    coupling.factors_above(s, [&](int j, double f) {
      above = {above.re + f * end_of(j).re, above.im + f * end_of(j).im};
    });
    from_above.push_back(above);
    all[static_cast<std::size_t>(s)].finish(below, above);
  }
  for (const auto& slab : all) x.insert(x.end(), slab.x.begin(), slab.x.end());
  double largest = 0, size = 0;
  const std::size_t n = x.size();
  for (std::size_t r = 0; r < n; ++r) {
    const Row<double> here = system.row(r);
    const Pair &a = x[(r + n - 1) % n], &b = x[(r + 1) % n];
    const double diagonal = here.sum - here.low - here.high;
    largest = std::max({largest, std::abs(here.low * a.re + diagonal * x[r].re + here.high * b.re - system.right[r].re),
                        std::abs(here.low * a.im + diagonal * x[r].im + here.high * b.im - system.right[r].im)});
    size = std::max(size, std::abs(x[r].re) + std::abs(x[r].im));
  }
  for (int s = 0; s < slabs; ++s) {
    const std::size_t above = static_cast<std::size_t>((s + 1) % slabs) * rows;
    if (s + 1 < slabs || periodic)
      largest = std::max(largest, std::abs(from_above[static_cast<std::size_t>(s)].re - x[above].re));
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

TEST(FlowLinesInWarps, SolveTheirSystemsOnSlabs) {
  for (const int slabs : {2, 3, 5})
    for (const bool periodic : {false, true})
      for (const double lambda : {-3.0, -0.1, -1e-4, 0.0}) {
        EXPECT_LT(residual_on_slabs<2>(slabs, periodic, lambda), 1e-13) << slabs << " " << periodic << " " << lambda;
        EXPECT_LT(residual_on_slabs<4>(slabs, periodic, lambda), 1e-13) << slabs << " " << periodic << " " << lambda;
        EXPECT_LT(residual_on_slabs<16>(slabs, periodic, lambda), 1e-13) << slabs << " " << periodic << " " << lambda;
      }
}

}  // namespace
}  // namespace speedwell::incompressible_flow::gpu
