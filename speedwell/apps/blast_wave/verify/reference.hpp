// The oracle: the equations as published, with interleaved variables and stored blocks. It shares no code with the
// variants.
#pragma once

#include <array>
#include <complex>
#include <vector>

#include "speedwell/apps/blast_wave/problem.hpp"

namespace speedwell::blast_wave::reference {

template <class T>
using Five = std::array<T, 5>;
using Point = Five<double>;
using Mesh = std::vector<Point>;                     // one element per point
using Block = std::array<std::array<double, 5>, 5>;  // row-major
using Blocks = std::vector<std::array<Block, 7>>;    // per point: itself, then -x, +x, -y, +y, -z, +z

/// The inviscid flux along d, and the quantity whose difference is the normal viscous flux. T: double, or
/// std::complex<double> to differentiate by a complex step.
template <class T>
Five<T> flux(const Gas& gas, const Five<T>& q, int d);
template <class T>
Five<T> diffused(const Gas& gas, const Five<T>& q, int d);
/// Their derivatives with respect to q.
Block flux_jacobian(const Gas& gas, const Point& q, int d);
Block diffused_jacobian(const Gas& gas, const Point& q, int d);

/// Differences of all fluxes: dq/dt = -R.
Mesh right_hand_side(const Problem& problem, const Mesh& q);
Blocks blocks(const Problem& problem, const Mesh& q, double dt);
Mesh multiply(const Extents& extents, const Blocks& a, const Mesh& x);
/// The same into existing storage: a and y are overwritten.
void blocks(const Problem& problem, const Mesh& q, double dt, Blocks& a);
void multiply(const Extents& extents, const Blocks& a, const Mesh& x, Mesh& y);
/// The time step by the CFL number.
double time_step(const Problem& problem, const Mesh& q);

struct Solution {
  Mesh x;
  int iterations = 0, restarts = 0;
  double residual = 0;  // sum of squares
  StopReason stop_reason = StopReason::done;
};
/// BiCGSTAB in the order of the article's Figure 1.
Solution bicgstab(const Extents& extents, const Blocks& a, const Mesh& b, double max_squared_residual,
                  int max_iterations);

/// Takes problem.steps steps from `state`, or as many as succeed; after a failure the state is that before the failed
/// step.
History advance(const Problem& problem, State& state);

Mesh mesh_of(const State& state);

}  // namespace speedwell::blast_wave::reference
