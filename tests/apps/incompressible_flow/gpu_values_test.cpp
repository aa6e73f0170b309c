// Single values of a flow on a GPU, and how far its velocities are from those of a step before.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "speedwell/apps/incompressible_flow/gpu_solver.hpp"
#include "speedwell/apps/incompressible_flow/statistics/steadiness.hpp"
#include "speedwell/core/cuda.hpp"
#include "tests/apps/incompressible_flow/cases.hpp"
#include "tests/apps/incompressible_flow/same_statistics.hpp"

namespace speedwell::incompressible_flow {
namespace {

constexpr double dt = 0.01;

template <class T>
void expect_values_of_the_download(const Case& c, const Options& options) {
  const core::Stream stream;
  GpuSolver<T> solver(c.problem, options);
  EXPECT_THROW(solver.velocity_change(stream), std::logic_error);
  solver.upload(converted<T>(beginning(c.problem)), stream);
  State<T> before(c.problem.extents()), end(c.problem.extents());
  solver.run(dt, 1, stream);
  solver.download(before, stream);
  solver.keep_velocity(stream);
  EXPECT_EQ(solver.velocity_change(stream).change, 0) << c.name;
  solver.run(dt, 1, stream);
  solver.download(end, stream);
  const std::vector<CellValue> cells = some_cells(c.problem.extents());
  EXPECT_EQ(solver.values(cells, stream), values_of(end, cells)) << c.name;
  EXPECT_EQ(solver.velocity_change(stream).steadiness(end.time - before.time), steadiness(before, end)) << c.name;
}

TEST(FlowOnGpu, HasTheValuesOfItsDownload) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const Case& c : cases()) {
    expect_values_of_the_download<double>(c, {});
    expect_values_of_the_download<float>(c, {});
  }
  const Case implicit{"implicit diffusion", block(9, 8, 7, 3, 2, 2, 0.1)};
  expect_values_of_the_download<double>(implicit, {.method = {.diffusion = Diffusion::trapezoidal}});
}

TEST(FlowOnGpu, HasNoChangeThatIsANumberIfAVelocityIsNotFinite) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const Problem p = box(8, 8, 8, 0.1);
  const core::Stream stream;
  GpuSolver<double> solver(p);
  for (const double value : {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
    State<double> s(p.extents());
    solver.upload(s, stream);
    solver.keep_velocity(stream);
    s.velocity[2][100] = value;
    solver.upload(s, stream);
    EXPECT_TRUE(std::isnan(solver.velocity_change(stream).change)) << value;
    EXPECT_TRUE(std::isnan(solver.velocity_change(stream).largest)) << value;
  }
}

}  // namespace
}  // namespace speedwell::incompressible_flow
