// All cores against the oracle, and against themselves: threads, instruction sets, stops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "speedwell/apps/binary_fluid/binary_fluid.hpp"
#include "speedwell/apps/binary_fluid/verify/reference.hpp"

namespace speedwell::binary_fluid {
namespace {

State advanced(const Problem& p, const Beginning& b, Precision precision, int threads = 2,
               core::Isa isa = core::best_isa(), Method method = Method::moments) {
  CpuSolver solver(p, precision, threads, isa, method);
  State s = initial(p, b);
  solver.set(s);
  solver.run(p.steps);
  s.f.assign(s.f.size(), std::numeric_limits<double>::quiet_NaN());
  solver.get(s);
  return s;
}

std::vector<Problem> awkward() {
  std::vector<Problem> all;
  for (const Extents& e : {Extents{1, 1, 1}, Extents{3, 3, 3}, Extents{1, 5, 7}, Extents{17, 1, 4}, Extents{19, 5, 3},
                           Extents{33, 4, 6}, Extents{16, 7, 5}, Extents{8, 3, 4}, Extents{32, 4, 3}})
    for (const int steps : {1, 4, 7}) all.push_back({.extents = e, .steps = steps});
  return all;
}

// Every scheme on meshes that no vector divides, with a force that bends everything.
TEST(BinaryFluidOnCores, TakesTheReferencesSteps) {
  for (Problem p : awkward())
    for (const Collision collision : {Collision::m10, Collision::trt, Collision::bgk})
      for (const Precision precision : {Precision::f64, Precision::f32, Precision::mixed}) {
        p.scheme.collision = collision;
        p.scheme.stencil = p.steps == 4 ? Stencil::seven : Stencil::twenty_seven;
        p.scheme.order_parameter = p.steps == 7 ? OrderParameter::projected : OrderParameter::relaxed;
        p.fluid.bulk_viscosity = collision == Collision::bgk ? 0 : 0.3;
        p.fluid.force = {1e-3, -2e-3, 5e-4};
        const Beginning b{.phi0 = 0.1, .noise = 0.5, .stirring = 0.02};
        const Expected known = expected(p, b, initial(p, b));
        for (const Method method : {Method::moments, Method::in_place}) {
          if (method == Method::in_place && collision != Collision::m10) continue;  // what moments fall back on
          const core::Verdict verdict =
              verify(p, known, precision, advanced(p, b, precision, 2, core::best_isa(), method));
          EXPECT_TRUE(verdict.passed) << coordinates(p.extents, p.extents.sites() - 1) << " " << p.steps << ": "
                                      << verdict.error << " " << verdict.oracle;
        }
      }
}

TEST(BinaryFluidOnCores, TakesTheReferencesStepsBetweenWallsThatMove) {
  for (Problem p : {Problem{.extents = {5, 4, 6}, .steps = 5}, Problem{.extents = {18, 3, 4}, .steps = 4},
                    Problem{.extents = {2, 33, 2}, .steps = 3}, Problem{.extents = {16, 4, 3}, .steps = 4},
                    Problem{.extents = {32, 3, 3}, .steps = 5}})
    for (unsigned walls = 1; walls < 8; ++walls) {
      for (std::size_t d = 0; d < 3; ++d) {
        p.axes[d].walls = walls >> d & 1 || p.extents.extent(static_cast<int>(d)) == 2;
        if (!p.axes[d].walls) continue;
        p.axes[d].velocity[0][(d + 1) % 3] = 0.01;
        p.axes[d].velocity[1][(d + 2) % 3] = -0.02;
      }
      const Beginning b{.noise = 0.5, .stirring = 0.02};
      for (const Collision collision : {Collision::m10, Collision::trt}) {
        p.scheme.collision = collision;
        const core::Verdict verdict =
            verify(p, expected(p, b, initial(p, b)), Precision::f64, advanced(p, b, Precision::f64));
        EXPECT_TRUE(verdict.passed) << walls << ": " << verdict.error << " " << verdict.oracle;
      }
      for (Axis& axis : p.axes) axis = {};
    }
}

// Slabs of several planes, tiles of several rows, and rows beyond the last whole tile; between walls, too.
TEST(BinaryFluidOnCores, TakesTheReferencesStepsInSlabs) {
  for (const Extents& e : {Extents{1, 1, 12}, Extents{5, 2, 13}, Extents{3, 70, 9}, Extents{700, 6, 8}})
    for (const int threads : {1, 2, 3})
      for (const bool walls : {false, true}) {
        Problem p{.extents = e, .steps = 3};
        p.axes[1].walls = walls || e.ny == 2;
        if (p.axes[1].walls && e.ny == 1) continue;
        p.axes[2].walls = walls;
        const Beginning b{.noise = 0.5, .stirring = 0.02};
        const Expected known = expected(p, b, initial(p, b));
        for (const Method method : {Method::moments, Method::in_place}) {
          const core::Verdict verdict =
              verify(p, known, Precision::f64, advanced(p, b, Precision::f64, threads, core::best_isa(), method));
          EXPECT_TRUE(verdict.passed) << threads << ": " << verdict.error << " " << verdict.oracle;
        }
      }
}

TEST(BinaryFluidOnCores, TakesTheReferencesStepsWithLayers) {
  Problem p{.extents = {19, 5, 4}, .steps = 5};
  p.fluid.energy = {.kind = FreeEnergy::Kind::brazovskii, .a = -5e-4, .b = 5e-4, .kappa = -6e-4, .c = 7.6e-4};
  const Beginning b{.noise = 0.5, .stirring = 0.02};
  for (const Stencil stencil : {Stencil::seven, Stencil::twenty_seven})
    for (const bool walls : {false, true}) {
      p.scheme.stencil = stencil;
      p.axes[0].walls = p.axes[2].walls = walls;
      const core::Verdict verdict =
          verify(p, expected(p, b, initial(p, b)), Precision::f64, advanced(p, b, Precision::f64));
      EXPECT_TRUE(verdict.passed) << verdict.error << " " << verdict.oracle;
    }
}

TEST(BinaryFluidOnCores, HasTheSameBitsForAnyThreadsAndInstructionSet) {
  Problem p{.extents = {21, 6, 5}, .steps = 5};
  const Beginning b{.noise = 0.5, .stirring = 0.02};
  for (const Collision collision : {Collision::m10, Collision::trt}) {
    p.scheme.collision = collision;
    const State one = advanced(p, b, Precision::f64, 1);
    for (const int threads : {2, 3, 8}) EXPECT_EQ(advanced(p, b, Precision::f64, threads).f, one.f);
    for (const core::Isa isa : {core::Isa::baseline, core::Isa::avx2, core::Isa::avx512}) {
      if (!core::is_available(isa)) continue;
      const State other = advanced(p, b, Precision::f64, 2, isa);
      EXPECT_EQ(other.f, one.f) << core::to_string(isa);
      EXPECT_EQ(other.g, one.g) << core::to_string(isa);
    }
    // Ten moments represent the populations after a collision without loss, so that both methods have the same bits.
    EXPECT_EQ(advanced(p, b, Precision::f64, 2, core::best_isa(), Method::in_place).f, one.f);
  }
}

TEST(BinaryFluidOnCores, ContinuesWithTheSameBits) {
  const Problem p{.extents = {9, 8, 7}, .steps = 7};
  const Beginning b{.stirring = 0.01};
  const State whole = advanced(p, b, Precision::f64);
  State parts = initial(p, b);
  for (const int steps : {3, 4}) {
    CpuSolver solver(p, Precision::f64, 2);
    solver.set(parts);
    solver.run(steps);
    solver.get(parts);
  }
  EXPECT_EQ(parts.f, whole.f);
  EXPECT_EQ(parts.g, whole.g);
  EXPECT_EQ(parts.step, 7);
}

TEST(BinaryFluidOnCores, KeepsWhatIsConservedForTenThousandSteps) {
  const Problem p{.extents = {8, 8, 8}, .steps = 10000};
  const Beginning b{.phi0 = 0.1, .stirring = 0.01};
  const Statistics start = statistics(p, initial(p, b)), after = statistics(p, advanced(p, b, Precision::f64));
  const auto sites = static_cast<double>(p.extents.sites());
  EXPECT_LT(std::abs(after.mass - start.mass) / sites, 1e-12);  // 1e-16 a step
  EXPECT_LT(std::abs(after.phi - start.phi) / sites, 1e-12);
  for (std::size_t d = 0; d < 3; ++d) EXPECT_LT(std::abs(after.momentum[d] - start.momentum[d]) / sites, 1e-12);
}

// Every site counts, in a box that the oracle keeps and in one that it goes through in slabs of some planes. Sites that
// change places, or a plane that stands one site further, leave all sums as they are.
TEST(BinaryFluidVerdict, FindsAFaultAtAnySite) {
  const Beginning b{.noise = 0.5, .stirring = 0.02};
  for (const std::size_t wall : {3u, 2u}) {  // 3: none
    Problem p{.extents = {9, 14, 30}, .steps = wall == 3 ? 2 : 1};
    if (wall < 3) p.axes[wall].walls = true;
    const double all = static_cast<double>(p.extents.sites()) * 2 * velocities * sizeof(double);
    for (const double max_kept : {max_kept_bytes, all * 0.95, all * 0.5}) {
      const State start = initial(p, b);
      const Expected known = expected(p, b, start, max_kept);
      EXPECT_EQ(known.whole.has_value(), max_kept == max_kept_bytes);
      State s = advanced(p, b, Precision::f64);
      const auto passes = [&] { return verify(p, known, Precision::f64, s).passed; };
      EXPECT_TRUE(passes()) << verify(p, known, Precision::f64, s).error;
      const auto n = static_cast<std::size_t>(p.extents.sites());
      for (const std::size_t site : {std::size_t{0}, n / 2 + 7, n - 2}) {
        const auto exchange = [&] {
          for (std::size_t q = 0; q < velocities; ++q) std::swap(s.f[q * n + site], s.f[q * n + site + 1]);
        };
        exchange();
        EXPECT_FALSE(passes()) << site;
        exchange();
        const double kept = s.g[site];
        s.g[site] = std::numeric_limits<double>::quiet_NaN();
        EXPECT_FALSE(passes()) << site;
        s.g[site] = start.g[site];  // skipped
        EXPECT_FALSE(passes()) << site;
        s.g[site] = kept;
      }
      const auto plane = static_cast<std::ptrdiff_t>(p.extents.nx * p.extents.ny);
      std::rotate(s.g.begin() + 21 * plane, s.g.begin() + 21 * plane + 1, s.g.begin() + 22 * plane);
      EXPECT_FALSE(passes());
    }
  }
}

// Slabs of a few planes each: the planes beside their borders are right if the margin has all that a step reads, which
// with Brazovskii's free energy is three planes on either side, and two otherwise. The
// oracle's slabs have the bits of its whole box, so that a right answer has the same error, and a value moved between
// two populations of one site, which leaves all sums of g as they are, is found in every plane.
TEST(BinaryFluidVerdict, OfSlabsIsThatOfTheWholeBox) {
  const Beginning b{.noise = 0.5, .stirring = 0.02};
  for (const bool layers : {true, false})
    for (const Stencil stencil : {Stencil::seven, Stencil::twenty_seven})
      for (const int axis : {1, 2})
        for (const int steps : {1, 2, 3}) {
          Problem p{.extents = axis == 2 ? Extents{4, 5, 44} : Extents{4, 44, 5}, .steps = steps};
          if (layers)
            p.fluid.energy = {.kind = FreeEnergy::Kind::brazovskii, .a = -5e-4, .b = 5e-4, .kappa = -6e-4, .c = 7.6e-4};
          p.scheme.stencil = stencil;
          p.axes[2].walls = axis == 1;  // an axis with walls is not divided
          const double plane = 4 * 5 * 2 * velocities * sizeof(double);
          const int planes = 5, margin = (layers ? 3 : 2) * steps;
          const State start = initial(p, b);
          const Expected whole = expected(p, b, start);
          const Expected known = expected(p, b, start, (planes + 2 * margin) * plane);
          EXPECT_FALSE(known.whole.has_value());
          State s = advanced(p, b, Precision::f64);
          const core::Verdict right = verify(p, known, Precision::f64, s);
          EXPECT_TRUE(right.passed) << layers << " " << steps << ": " << right.error << " " << right.oracle;
          EXPECT_EQ(right.error, verify(p, whole, Precision::f64, s).error);
          const auto n = static_cast<std::size_t>(p.extents.sites());
          for (std::int64_t at = 0; at < 44; ++at) {
            const std::size_t site = axis == 2 ? p.extents.at(1, 2, at) : p.extents.at(1, at, 2);
            const double kept = s.g[3 * n + site], other = s.g[16 * n + site];
            s.g[3 * n + site] += 1e-9, s.g[16 * n + site] -= 1e-9;
            EXPECT_FALSE(verify(p, known, Precision::f64, s).passed) << layers << " " << steps << ", plane " << at;
            s.g[3 * n + site] = kept, s.g[16 * n + site] = other;
          }
        }
}

// Boxes of thousands of sites with phi of one sign: what adding them up rounds off must not count as phi lost, and a
// last place lost at every site must.
TEST(BinaryFluidVerdict, FindsAnErrorInTheLastPlaceAtEverySite) {
  for (const Extents& e : {Extents{31, 17, 9}, Extents{65, 4, 40}, Extents{64, 64, 32}}) {
    const Problem p{.extents = e, .steps = 1};
    const Beginning b{.phi0 = 0.1, .noise = 0.5, .stirring = 0.02};
    const Expected known = expected(p, b, initial(p, b));
    State s = advanced(p, b, Precision::f64);
    EXPECT_LT(verify(p, known, Precision::f64, s).error, 0.5) << e.sites();
    for (std::int64_t site = 0; site < e.sites(); ++site) s.g[static_cast<std::size_t>(site)] -= 0x1p-53;
    EXPECT_FALSE(verify(p, known, Precision::f64, s).passed) << e.sites();
  }
}

TEST(BinaryFluidProblem, RefusesWhatCannotBe) {
  const auto refused = [](const auto& change, const std::string& words) {
    Problem p;
    change(p);
    try {
      require_valid(p);
      ADD_FAILURE() << words;
    } catch (const std::invalid_argument& e) {
      EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
    }
  };
  refused([](Problem& p) { p.extents.nx = 2; }, "nx is 2");
  refused([](Problem& p) { p.extents.nz = 0; }, "nz is 0");
  refused([](Problem& p) { p.axes[1].walls = true, p.extents.ny = 1; }, "ny is 1");
  refused([](Problem& p) { p.extents = {32768, 32768, 32768}; }, "2^31");
  refused([](Problem& p) { p.fluid.energy.b = 0; }, "b is 0");
  refused([](Problem& p) { p.fluid.energy.kappa = -1; }, "kappa is -1");
  refused([](Problem& p) { p.fluid.energy.kappa = 0.01; }, "width");
  refused([](Problem& p) { p.fluid.energy.c = 1; }, "c is 1");
  refused([](Problem& p) { p.fluid.energy.kind = FreeEnergy::Kind::brazovskii; }, "c is 0");
  refused([](Problem& p) { p.fluid.viscosity = 0; }, "viscosity is 0");
  refused([](Problem& p) { p.fluid.viscosity = NAN; }, "viscosity");
  refused([](Problem& p) { p.fluid.bulk_viscosity = -1; }, "bulk_viscosity is -1");
  refused([](Problem& p) { p.fluid.mobility = 0; }, "mobility is 0");
  refused([](Problem& p) { p.fluid.force[1] = 1; }, "force is 1");
  refused([](Problem& p) { p.scheme.collision = Collision::bgk, p.fluid.bulk_viscosity = 1; }, "bulk_viscosity is 1");
  refused([](Problem& p) { p.axes[0].velocity[0][1] = 0.01; }, "on a periodic axis");
  refused([](Problem& p) { p.axes[0].walls = true, p.axes[0].velocity[0][0] = 0.01; }, "along its normal");
  refused([](Problem& p) { p.axes[0].walls = true, p.axes[0].velocity[0][1] = 0.5; }, "speed of a wall is 0.5");
  refused([](Problem& p) { p.steps = 0; }, "steps is 0");
  EXPECT_THROW(initial({}, {.kind = Beginning::Kind::droplet, .radius = 40}), std::invalid_argument);
  EXPECT_THROW(initial({}, {.stirring = 0.2}), std::invalid_argument);
  Problem mixes;
  mixes.fluid.energy.a = 0.1;
  EXPECT_THROW(initial(mixes, {.kind = Beginning::Kind::flat}), std::invalid_argument);
  EXPECT_EQ(warnings(mixes).size(), 1u);
}

}  // namespace
}  // namespace speedwell::binary_fluid
