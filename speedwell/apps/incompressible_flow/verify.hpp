// The one verdict on every variant.
#pragma once

#include "speedwell/apps/incompressible_flow/problem.hpp"
#include "speedwell/core/verdict.hpp"

namespace speedwell::incompressible_flow {

/// Steps that a run has taken. With `direct` its pressure comes from transforms and not from iterations, and is rounded
/// alone; dt is the time of a step.
struct Steps {
  int count = 1;
  bool direct = false;
  double dt = 0;
  bool trapezoidal = false;
  bool mode_in_f64 =
      true;  // whether the mode that is constant along the transforms is solved in f64 whatever the run's precision
};

/// Holds a flow against the oracle's, in f64 over the whole mesh: the relative distances (Euclidean norm) of all
/// velocities and of the pressure, and the divergence left times a cell's width over the largest velocity. Where
/// `direct`, also the Laplacian of the pressures' distance, in which a mode that is wrong is not hidden by slower ones.
/// The verdict is on the largest in its tolerance. Throws std::invalid_argument for extents that are not the problem's.
template <class T>
core::Verdict verify(const Problem& problem, const State<double>& expected, const State<T>& got, const Steps& steps);
/// Of a run with iterations.
template <class T>
core::Verdict verify(const Problem& problem, const State<double>& expected, const State<T>& got, int steps) {
  return verify(problem, expected, got, Steps{.count = steps});
}

extern template core::Verdict verify(const Problem&, const State<double>&, const State<float>&, const Steps&);
extern template core::Verdict verify(const Problem&, const State<double>&, const State<double>&, const Steps&);

}  // namespace speedwell::incompressible_flow
