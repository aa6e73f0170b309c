// Verification, the same for all variants.
#pragma once

#include "speedwell/apps/incompressible_flow/problem.hpp"
#include "speedwell/core/verdict.hpp"

namespace speedwell::incompressible_flow {

/// The steps of a run. With `direct` the pressure comes from transforms and not from iterations, so that its only error
/// is rounding; dt is the time step.
struct Steps {
  int count = 1;
  bool direct = false;
  double dt = 0;
  bool trapezoidal = false;
  bool mode_in_f64 = true;  // whether the mode that is constant along the transforms is always solved in f64
};

/// Compares a flow with the oracle's, in f64 over the whole mesh: the relative differences (Euclidean norm) of all
/// velocities and of the pressure, and the remaining divergence times a cell's width over the largest velocity. With
/// `direct`, also the Laplacian of the difference of pressures, in which a wrong mode is not hidden by slower ones. The
/// verdict is on the largest error relative to its tolerance. Throws std::invalid_argument for extents that are not the
/// problem's.
template <class T>
core::Verdict verify(const Problem& problem, const State<double>& expected, const State<T>& got, const Steps& steps);
/// The same for a run with iterations.
template <class T>
core::Verdict verify(const Problem& problem, const State<double>& expected, const State<T>& got, int steps) {
  return verify(problem, expected, got, Steps{.count = steps});
}

extern template core::Verdict verify(const Problem&, const State<double>&, const State<float>&, const Steps&);
extern template core::Verdict verify(const Problem&, const State<double>&, const State<double>&, const Steps&);

}  // namespace speedwell::incompressible_flow
