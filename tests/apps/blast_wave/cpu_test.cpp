// All cores against the reference, product by product and run by run.
#include <gtest/gtest.h>

#include <cmath>

#include "speedwell/apps/blast_wave/blast_wave.hpp"
#include "speedwell/apps/blast_wave/cpu/tiles.hpp"
#include "speedwell/apps/blast_wave/point.hpp"
#include "speedwell/apps/blast_wave/verify/reference.hpp"
#include "speedwell/apps/blast_wave/verify/verify.hpp"

namespace speedwell::blast_wave {
namespace {

Answer solved(const Problem& problem, int threads, Products products = Products::matrix_free) {
  CpuSolver solver(problem, threads, products);
  Answer a{blast(problem), {}};
  solver.set(a.state);
  a.history = solver.run(problem.steps);
  solver.get(a.state);
  return a;
}
Answer known(const Problem& problem) {
  Answer a{blast(problem), {}};
  a.history = reference::advance(problem, a.state);
  return a;
}

TEST(BlastWaveOnAllCores, TakesTheReferencesStepsOnAwkwardMeshesWithTheSameBitsForAnyThreads) {
  for (const Extents& e : {Extents{5, 5, 5}, Extents{7, 5, 9}, Extents{17, 17, 16}, Extents{33, 6, 13},
                           Extents{32, 9, 8}, Extents{40, 32, 9}}) {
    const Problem problem{.extents = e, .steps = 2};
    const Answer expected = known(problem);
    for (const Products products : {Products::matrix_free, Products::stored}) {
      const Answer got = solved(problem, 1, products);
      const core::Verdict verdict = verify(problem, blast(problem), expected, got);
      EXPECT_TRUE(verdict.passed) << verdict.error << " " << verdict.oracle;
      EXPECT_EQ(solved(problem, 2, products).state.q, got.state.q);
    }
  }
}

TEST(BlastWaveOnAllCores, TheVerdictRejectsWhatIsWrong) {
  const Problem problem{.extents = {9, 8, 7}, .steps = 3};
  const Answer expected = known(problem);
  const State begun = blast(problem);
  EXPECT_TRUE(verify(problem, begun, expected, expected).passed);
  Answer wrong = expected;
  wrong.state.q[100] += 1e-6;
  EXPECT_FALSE(verify(problem, begun, expected, wrong).passed);
  wrong = expected;
  wrong.state.q[7] = NAN;
  EXPECT_FALSE(verify(problem, begun, expected, wrong).passed);
  wrong = expected;
  wrong.history.steps[1].residual = 1e-10;
  EXPECT_FALSE(verify(problem, begun, expected, wrong).passed);
  wrong = expected;
  wrong.history.steps[1].true_residual = 1e-17;
  EXPECT_FALSE(verify(problem, begun, expected, wrong).passed);
  wrong = expected;
  wrong.history.steps[2].iterations += 9;
  EXPECT_FALSE(verify(problem, begun, expected, wrong).passed);
  EXPECT_TRUE(verify(problem, begun, expected, wrong, Iterations::free).passed);
  wrong.history.steps.pop_back();
  EXPECT_FALSE(verify(problem, begun, expected, wrong).passed);
}

TEST(BlastWaveOnAllCores, EveryInstructionSetMultipliesAsTheReferencesBlocks) {
  Problem problem{.extents = {13, 7, 9}};
  problem.gas.reynolds = 50;
  State state = blast(problem);
  for (std::size_t at = 0; at < state.q.size(); ++at) state.q[at] *= 1 + 0.01 * std::sin(static_cast<double>(at * at));
  // Momenta as well, where the blast has none; the mach number stays below 1.
  for (std::size_t at = 0; at < state.q.size() / 5 * 3; ++at)
    state.q[state.q.size() / 5 + at] += 0.2 * std::cos(static_cast<double>(at * at % 101));
  const Medium m = medium_of(problem);
  const auto q = reference::mesh_of(state);
  const auto blocks = reference::blocks(problem, q, 0.3);
  const auto n = static_cast<std::size_t>(m.points), stride = static_cast<std::size_t>(m.stride);
  std::vector<double> tiled(entries * stride, 0.0), x(5 * stride, 0.0), y(x);
  reference::Mesh v(n);
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t b = 0; b < 7; ++b)
      for (std::size_t row = 0; row < 5; ++row)
        for (std::size_t c = 0; c < 5; ++c)
          tiled[(p / tile * entries + b * 25 + row * 5 + c) * tile + p % tile] = blocks[p][b][row][c];
    for (std::size_t c = 0; c < 5; ++c) x[c * stride + p] = v[p][c] = std::cos(static_cast<double>(p * 7 + c));
  }
  const auto expected = reference::multiply(problem.extents, blocks, v);
  for (const core::Isa isa : {core::Isa::baseline, core::Isa::avx2, core::Isa::avx512}) {
    if (!core::is_available(isa)) continue;
    const TileMesh mesh{{m.extent[0], m.extent[1], m.extent[2]}, m.points, m.stride};
    for (int t = 0; t < m.stride / tile; ++t) tile_kernels(isa).multiply(mesh, tiled.data(), x.data(), y.data(), t);
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t c = 0; c < 5; ++c)
        ASSERT_NEAR(y[c * stride + p], expected[p][c], 1e-13 * (1 + std::abs(expected[p][c]))) << p;
  }
  // The blocks and their action without forming them are the reference's, too.
  std::vector<double> w(5 * stride), all(5 * stride), strength(3 * stride);
  for (std::size_t p = 0; p < n; ++p) {
    double own[5];
    for (std::size_t c = 0; c < 5; ++c) own[c] = all[c * stride + p] = q[p][c];
    const Specific s = specific(own);
    const double made[] = {s.u[0], s.u[1], s.u[2], s.energy, s.volume};
    for (std::size_t c = 0; c < 5; ++c) w[c * stride + p] = made[c];
  }
  const Flow flow{&m, all.data(), w.data()};
  for (int p = 0; p < m.points; ++p)
    for (int d = 0; d < 3; ++d)
      strength[static_cast<std::size_t>(d) * stride + static_cast<std::size_t>(p)] =
          face_strength(m, flow, site_of(m, p), d);
  const Weights weights = weights_of(m, 0.3);
  const auto rhs = reference::right_hand_side(problem, q);
  for (const core::Isa isa : {core::Isa::baseline, core::Isa::avx2, core::Isa::avx512}) {
    if (!core::is_available(isa)) continue;
    const TileMesh mesh{{m.extent[0], m.extent[1], m.extent[2]}, m.points, m.stride};
    const SystemKernels systems = system_kernels(isa);
    std::vector<double> made(entries * stride, NAN), b(5 * stride, NAN);
    for (int t = 0; t < m.stride / tile; ++t) {
      systems.blocks(mesh, m, weights, all.data(), w.data(), made.data(), t);
      systems.right_hand_side(mesh, m, 1.0, all.data(), w.data(), b.data(), t);
    }
    std::vector<double> faces(3 * stride, NAN), without(5 * stride, NAN);
    for (int t = 0; t < m.stride / tile; ++t) systems.strengths(mesh, m, all.data(), w.data(), faces.data(), t);
    for (int t = 0; t < m.stride / tile; ++t)
      product_kernel(isa)(mesh, m, weights, w.data(), faces.data(), x.data(), without.data(), t);
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t c = 0; c < 5; ++c)
        ASSERT_NEAR(without[c * stride + p], expected[p][c], 1e-12 * (1 + std::abs(expected[p][c]))) << p;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t e = 0; e < entries; ++e) {
        const double known_value = blocks[p][e / 25][e / 5 % 5][e % 5];
        ASSERT_NEAR(made[(p / tile * entries + e) * tile + p % tile], known_value, 1e-13 * (1 + std::abs(known_value)));
      }
      for (std::size_t c = 0; c < 5; ++c)
        ASSERT_NEAR(-b[c * stride + p], rhs[p][c], 1e-11 * (1 + std::abs(rhs[p][c]))) << p;
    }
  }
  for (int p = 0; p < m.points; ++p) {
    const auto at = static_cast<std::size_t>(p);
    double product[5], b[5];
    apply_blocks(
        m, weights, flow, strength.data(),
        [&](Site s, int c) { return v[static_cast<std::size_t>(s.p)][static_cast<std::size_t>(c)]; }, site_of(m, p),
        product);
    right_hand_side(m, flow, site_of(m, p), 1.0, b);
    for (std::size_t c = 0; c < 5; ++c) {
      EXPECT_NEAR(product[c], expected[at][c], 1e-13 * (1 + std::abs(expected[at][c])));
      EXPECT_NEAR(-b[c], rhs[at][c], 1e-11 * (1 + std::abs(rhs[at][c])));
    }
    assemble(m, weights, flow, strength.data(), site_of(m, p), [&](int entry, double value) {
      const auto e = static_cast<std::size_t>(entry);
      const double known_value = blocks[at][e / 25][e / 5 % 5][e % 5];
      EXPECT_NEAR(value, known_value, 1e-13 * (1 + std::abs(known_value)));
    });
  }
}

TEST(BlastWaveOnAllCores, StopsAtAFailureWithTheStateBeforeIt) {
  const Problem problem{.extents = {9, 8, 7}, .max_iterations = 2, .steps = 3};
  const Answer a = solved(problem, 2);
  EXPECT_EQ(a.history.stop_reason, StopReason::iteration_limit);
  EXPECT_EQ(a.state.step, 0);
  EXPECT_EQ(a.state.q, blast(problem).q);
}

}  // namespace
}  // namespace speedwell::blast_wave
