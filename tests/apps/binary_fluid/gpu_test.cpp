// The GPU's methods against the oracle.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "speedwell/apps/binary_fluid/gpu_solver.hpp"
#include "speedwell/apps/binary_fluid/initial.hpp"
#include "speedwell/apps/binary_fluid/verify/reference.hpp"

namespace speedwell::binary_fluid {
namespace {

constexpr Precision precisions[] = {Precision::f64, Precision::f32, Precision::mixed};

State advanced(const Problem& p, const Beginning& b, Method method, Precision precision) {
  const core::Stream stream;
  GpuSolver solver(p, method, precision);
  State s = initial(p, b);
  solver.upload(s, stream);
  for (const std::span<std::byte> bytes : solver.device_work())
    core::check(cudaMemsetAsync(bytes.data(), 0xff, bytes.size(), stream.get()));
  solver.restore(stream);
  solver.run(p.steps, stream);
  s.f.assign(s.f.size(), std::numeric_limits<double>::quiet_NaN());
  solver.finish(s, stream);
  return s;
}

class BinaryFluidOnGpu : public testing::TestWithParam<Method> {};

TEST_P(BinaryFluidOnGpu, TakesTheReferencesSteps) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const Extents& e : {Extents{1, 1, 1}, Extents{3, 3, 3}, Extents{1, 5, 7}, Extents{33, 5, 3}, Extents{31, 17, 9},
                           Extents{65, 4, 40}})
    for (const int steps : {1, 2, 5})
      for (const Precision precision : precisions)
        for (const Collision collision : {Collision::m10, Collision::trt, Collision::bgk}) {
          Problem p{.extents = e, .steps = steps};
          p.scheme.collision = collision;
          p.scheme.stencil = steps == 2 ? Stencil::seven : Stencil::twenty_seven;
          p.scheme.order_parameter = steps == 5 ? OrderParameter::projected : OrderParameter::relaxed;
          p.fluid.bulk_viscosity = collision == Collision::bgk ? 0 : 0.3;
          p.fluid.force = {1e-3, -2e-3, 5e-4};
          if (unsupported_reason(GetParam(), p)) continue;
          const Beginning b{.phi0 = 0.1, .noise = 0.5, .stirring = 0.02};
          const core::Verdict verdict =
              verify(p, expected(p, b, initial(p, b)), precision, advanced(p, b, GetParam(), precision));
          EXPECT_TRUE(verdict.passed) << coordinates(e, e.sites() - 1) << " " << steps << " "
                                      << "precision " << static_cast<int>(precision) << ": " << verdict.error << " "
                                      << verdict.oracle;
        }
}

TEST_P(BinaryFluidOnGpu, TakesTheReferencesStepsBetweenWallsThatMove) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const Extents& e : {Extents{5, 4, 6}, Extents{34, 3, 4}})
    for (unsigned walls = 1; walls < 8; ++walls) {
      Problem p{.extents = e, .steps = 5};
      for (std::size_t d = 0; d < 3; ++d) {
        p.axes[d].walls = walls >> d & 1;
        if (!p.axes[d].walls) continue;
        p.axes[d].velocity[0][(d + 1) % 3] = 0.01;
        p.axes[d].velocity[1][(d + 2) % 3] = -0.02;
      }
      if (unsupported_reason(GetParam(), p)) continue;
      const Beginning b{.noise = 0.5, .stirring = 0.02};
      const core::Verdict verdict =
          verify(p, expected(p, b, initial(p, b)), Precision::f64, advanced(p, b, GetParam(), Precision::f64));
      EXPECT_TRUE(verdict.passed) << walls << ": " << verdict.error << " " << verdict.oracle;
    }
}

TEST_P(BinaryFluidOnGpu, TakesTheReferencesStepsWithLayers) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  Problem p{.extents = {19, 5, 4}, .steps = 5};
  p.fluid.energy = {.kind = FreeEnergy::Kind::brazovskii, .a = -5e-4, .b = 5e-4, .kappa = -6e-4, .c = 7.6e-4};
  if (unsupported_reason(GetParam(), p)) GTEST_SKIP() << "not by this method";
  const Beginning b{.noise = 0.5, .stirring = 0.02};
  const core::Verdict verdict =
      verify(p, expected(p, b, initial(p, b)), Precision::f64, advanced(p, b, GetParam(), Precision::f64));
  EXPECT_TRUE(verdict.passed) << verdict.error << " " << verdict.oracle;
}

// However the steps are divided, and from a state that was kept or went over the host.
TEST_P(BinaryFluidOnGpu, GivesTheSameBitsAfterStops) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const core::Stream stream;
  for (const Precision precision : precisions) {
    const Problem p{.extents = {35, 15, 9}, .steps = 7};
    const Beginning b{.noise = 0.5, .stirring = 0.02};
    const State whole = advanced(p, b, GetParam(), precision);
    GpuSolver solver(p, GetParam(), precision), other(p, GetParam(), precision);
    State s = initial(p, b);
    solver.upload(s, stream);
    solver.run(2, stream);
    solver.run(1, stream);
    solver.save(stream);
    solver.run(3, stream);
    solver.restore(stream);
    solver.run(2, stream);
    solver.finish(s, stream);
    EXPECT_EQ(s.step, 5);
    other.upload(s, stream);
    other.run(2, stream);
    other.finish(s, stream);
    EXPECT_EQ(s.step, 7);
    EXPECT_EQ(s.f, whole.f);
    EXPECT_EQ(s.g, whole.g);
  }
}

INSTANTIATE_TEST_SUITE_P(, BinaryFluidOnGpu, testing::Values(Method::resident, Method::in_place, Method::moments),
                         [](const auto& chosen) {
                           return std::string(chosen.param == Method::resident   ? "resident"
                                              : chosen.param == Method::in_place ? "in_place"
                                                                                 : "moments");
                         });

}  // namespace
}  // namespace speedwell::binary_fluid
