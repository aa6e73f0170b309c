// The convection rate of a state, beside that of the solver on cores, which computes it with ghost cells.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "speedwell/apps/incompressible_flow/incompressible_flow.hpp"
#include "speedwell/apps/incompressible_flow/statistics/statistics.hpp"
#include "tests/apps/incompressible_flow/cases.hpp"

namespace speedwell::incompressible_flow {
namespace {

// The fastest cell is in turn at either end of each axis, where the low face is that of the last cell, or closed.
template <class T>
void expect_rate_of_solver(const Case& c) {
  const Problem& p = c.problem;
  const Extents e = p.extents();
  const State<T> state = converted<T>(beginning(p));
  for (int d = 0; d < 3; ++d)
    for (const bool last : {false, true}) {
      State<T> faster = state.copy();
      int at[] = {e.nx / 2, e.ny / 2, e.nz / 2};
      at[d] = last ? e.extent(d) - (p.periodic(d) ? 1 : 2) : 0;
      faster.velocity[static_cast<std::size_t>(d)][e.at(at[0], at[1], at[2])] = T(-30);
      Solver<T> solver(p, {.threads = 1});
      solver.set(faster);
      const double expected = solver.convection_rate();
      // Three quotients and two sums are rounded in T.
      EXPECT_NEAR(convection_rate_of(p, faster, 2), expected, 4 * expected * std::numeric_limits<T>::epsilon())
          << c.name << ", axis " << d << ", last " << last;
      EXPECT_EQ(convection_rate_of(p, faster), convection_rate_of(p, faster, 1)) << c.name;
    }
}

TEST(ConvectionRate, IsThatOfTheSolver) {
  int compared = 0;
  for (const Case& c : cases()) {
    const Extents e = c.problem.extents();
    // Solids close faces, which the solver sets to 0; a face is closed at either end of an axis of one cell or two.
    if (!c.problem.solid.empty() || e.nx < 3 || e.ny < 3 || e.nz < 3) continue;
    expect_rate_of_solver<double>(c);
    expect_rate_of_solver<float>(c);
    ++compared;
  }
  EXPECT_GT(compared, 10);
}

TEST(ConvectionRate, IsOneOverTheWidthAtSpeedOne) {
  Problem p = block(4, 5, 6, 2, 5, 12, 0.1);  // widths of 1/2, 1 and 2
  State<double> state(p.extents());
  EXPECT_EQ(convection_rate_of(p, state), 0);
  for (const int axis : {0, 1, 2}) {
    State<double> one(p.extents());
    one.velocity[static_cast<std::size_t>(axis)][p.extents().at(3, 4, 5)] = -1;
    EXPECT_EQ(convection_rate_of(p, one), axis == 0 ? 2 : axis == 1 ? 1 : 0.5) << axis;
  }
}

TEST(ConvectionRate, IsNotANumberInAFlowThatIsNotFinite) {
  const Problem p = box(7, 6, 5, 0.1);
  for (const double value : {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()})
    for (const int threads : {1, 2}) {
      State<double> state = beginning(p);
      state.velocity[1][state.extents.at(3, 2, 1)] = value;
      EXPECT_TRUE(std::isnan(convection_rate_of(p, state, threads))) << value;
      EXPECT_TRUE(std::isnan(convection_rate_of(p, converted<float>(state), threads))) << value;
    }
  EXPECT_THROW(convection_rate_of(p, State<double>(p.extents()), -1), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::incompressible_flow
