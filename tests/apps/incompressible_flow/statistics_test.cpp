// Statistics of a flow on cores, beside integrals that are added up here cell by cell from their definitions, in every
// instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "speedwell/apps/incompressible_flow/incompressible_flow.hpp"
#include "speedwell/apps/incompressible_flow/mesh/metrics.hpp"
#include "speedwell/core/simd/isa.hpp"
#include "tests/apps/incompressible_flow/cases.hpp"
#include "tests/apps/incompressible_flow/same_statistics.hpp"

namespace speedwell::incompressible_flow {
namespace {

// The mesh and the velocities of a state, with what is beyond the box: a periodic neighbour, or a mirrored cell whose
// velocity makes the mean at the wall that of the wall.
template <class T>
class Around {
 public:
  Around(const Problem& problem, const State<T>& state) : problem_(problem), state_(state), e_(state.extents) {}

  double width(int axis, int i) const {
    const auto& f = problem_.faces[static_cast<std::size_t>(axis)];
    const auto inside = static_cast<std::size_t>(inner(axis, i));
    return f[inside + 1] - f[inside];
  }
  double distance(int axis, int i) const { return 0.5 * (width(axis, i) + width(axis, i + 1)); }
  double velocity(int c, std::array<int, 3> at) const {
    double sign = 1, constant = 0;
    for (int axis = 0; axis < 3; ++axis) {
      int& i = at[static_cast<std::size_t>(axis)];
      const int n = e_.extent(axis);
      if (i >= 0 && i < n) continue;
      const Side& side = problem_.sides[static_cast<std::size_t>(axis)][i < 0 ? 0 : 1];
      if (side.edge != Edge::periodic && axis == c) return 0;
      if (side.edge == Edge::wall) {
        sign = -1;
        constant = 2 * side.velocity[static_cast<std::size_t>(c)];
      }
      i = inner(axis, i);
    }
    return sign * static_cast<double>(state_.velocity[static_cast<std::size_t>(c)][e_.at(at[0], at[1], at[2])]) +
           constant;
  }

 private:
  int inner(int axis, int i) const {
    const int n = e_.extent(axis);
    if (i >= 0 && i < n) return i;
    return problem_.periodic(axis) ? (i + n) % n : std::clamp(i, 0, n - 1);
  }
  const Problem& problem_;
  const State<T>& state_;
  Extents e_;
};

template <class T>
Statistics expected_statistics(const Problem& p, const State<T>& state) {
  const Around<T> flow(p, state);
  const Extents e = state.extents;
  std::array<std::vector<double>, 3> drag;
  for (std::size_t c = 0; c < 3 && !p.solid.empty(); ++c) drag[c] = wall_drag<double>(p, static_cast<int>(c));
  Statistics s;
  double box = 0, loss = 0, squares[3] = {}, stretch2[3] = {}, stretch3[3] = {}, mixed[3] = {};
  for (int k = 0; k < e.nz; ++k)
    for (int j = 0; j < e.ny; ++j)
      for (int i = 0; i < e.nx; ++i) {
        const std::array<int, 3> at = {i, j, k};
        const double widths[] = {flow.width(0, i), flow.width(1, j), flow.width(2, k)};
        const double cell = widths[0] * widths[1] * widths[2];
        double centre[3], out = 0;
        box += cell;
        for (int c = 0; c < 3; ++c) {
          const auto moved = [&](int axis, int by) {
            std::array<int, 3> to = at;
            to[static_cast<std::size_t>(axis)] += by;
            return flow.velocity(c, to);
          };
          const double own = flow.velocity(c, at), before = moved(c, -1), gradient = (own - before) / widths[c];
          const double around = cell / widths[c] * flow.distance(c, at[static_cast<std::size_t>(c)]);
          s.mean[static_cast<std::size_t>(c)] += around * own;
          squares[c] += around * own * own;
          stretch2[c] += cell * gradient * gradient;
          stretch3[c] += cell * gradient * gradient * gradient;
          centre[c] = 0.5 * (own + before);
          out += gradient;
          s.fastest = std::max(s.fastest, std::abs(own));
          loss += cell * gradient * gradient;
          for (int axis = 0; axis < 3; ++axis) {
            if (axis == c) continue;
            const int n = at[static_cast<std::size_t>(axis)];
            const auto link = [&](double difference, double length) {
              return around / widths[axis] * difference * difference / length;
            };
            const bool closed = !p.periodic(axis);
            if (closed && n == e.extent(axis) - 1)
              loss += link(0.5 * (moved(axis, 1) - own), 0.5 * widths[axis]);
            else
              loss += link(moved(axis, 1) - own, flow.distance(axis, n));
            if (closed && n == 0) loss += link(0.5 * (moved(axis, -1) - own), 0.5 * widths[axis]);
          }
          if (!p.solid.empty())
            loss += around * std::max(drag[static_cast<std::size_t>(c)][e.at(i, j, k)], 0.0) * own * own;
        }
        mixed[0] += cell * centre[0] * centre[1];
        mixed[1] += cell * centre[0] * centre[2];
        mixed[2] += cell * centre[1] * centre[2];
        s.divergence = std::max(s.divergence, std::abs(out) * std::min({widths[0], widths[1], widths[2]}));
      }
  for (std::size_t c = 0; c < 3; ++c) {
    s.mean[c] /= box;
    s.stresses[c] = squares[c] / box - s.mean[c] * s.mean[c];
    s.energy += 0.5 * squares[c] / box;
    s.turbulent_energy += 0.5 * s.stresses[c];
    s.skewness += stretch3[c] / box / std::pow(stretch2[c] / box, 1.5) / 3;
  }
  s.stresses[3] = mixed[0] / box - s.mean[0] * s.mean[1];
  s.stresses[4] = mixed[1] / box - s.mean[0] * s.mean[2];
  s.stresses[5] = mixed[2] / box - s.mean[1] * s.mean[2];
  s.dissipation = p.viscosity * loss / box;
  if (s.fastest > 0) s.divergence /= s.fastest;
  return s;
}

template <class T>
void expect_statistics(const Case& c, core::Isa isa) {
  SCOPED_TRACE(c.name + ", " + std::string(core::to_string(isa)) + (sizeof(T) == 8 ? ", f64" : ", f32"));
  Solver<T> solver(c.problem, {.threads = 1, .isa = isa});
  solver.set(converted<T>(beginning(c.problem)));
  State<T> state(c.problem.extents());
  solver.get(state);  // the faces of solids and of walls are closed
  const Statistics got = solver.statistics(), expected = expected_statistics(c.problem, state);
  const double ghost = std::is_same_v<T, float> ? std::numeric_limits<T>::epsilon() : 0;
  expect_close(got, expected, c.problem.extents(), ghost, "of a noise");
  // Three differences of at most twice the largest velocity are each rounded five times at most.
  EXPECT_NEAR(got.divergence, expected.divergence, 32 * 0x1p-53);
}

TEST(FlowStatistics, AreTheIntegralsOfTheirDefinitions) {
  for (const core::Isa isa : {core::Isa::baseline, core::Isa::avx2, core::Isa::avx512}) {
    if (!core::is_available(isa)) continue;
    for (const Case& c : cases()) {
      expect_statistics<double>(c, isa);
      expect_statistics<float>(c, isa);
    }
  }
}

// One velocity that is not a number shows in the divergence and in the convection rate, in every lane of a vector.
TEST(FlowStatistics, SayThatAVelocityIsNotFinite) {
  const Problem p = box(37, 3, 2, 0.1);
  for (const core::Isa isa : {core::Isa::baseline, core::Isa::avx2, core::Isa::avx512}) {
    if (!core::is_available(isa)) continue;
    Solver<float> solver(p, {.threads = 1, .isa = isa});
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
      for (std::size_t c = 0; c < 3; ++c)
        for (int i = 0; i < 37; ++i) {
          State<float> state(p.extents());
          state.velocity[c][p.extents().at(i, 1, 1)] = bad;
          solver.set(state);
          EXPECT_FALSE(std::isfinite(solver.statistics().divergence)) << i;  // over the largest, which may be infinite
          EXPECT_TRUE(std::isnan(solver.convection_rate())) << i;
        }
  }
}

}  // namespace
}  // namespace speedwell::incompressible_flow
