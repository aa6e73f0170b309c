// The one verdict on every variant.
#pragma once

#include "speedwell/apps/incompressible_flow/problem.hpp"
#include "speedwell/core/verdict.hpp"

namespace speedwell::incompressible_flow {

/// Holds a flow after `steps` steps against the oracle's: the largest of the relative distances (Euclidean norm) of all
/// velocities and of the pressure, and of the divergence left times a cell's width over the largest velocity.
/// The oracle's flow may be of a tile that the mesh repeats. Throws std::invalid_argument for extents that are no
/// multiples of the oracle's.
template <class T>
core::Verdict verify(const Problem& problem, const State<double>& expected, const State<T>& got, int steps);

extern template core::Verdict verify(const Problem&, const State<double>&, const State<float>&, int);
extern template core::Verdict verify(const Problem&, const State<double>&, const State<double>&, int);

}  // namespace speedwell::incompressible_flow
