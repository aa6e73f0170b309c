// A measure of how steady a flow is.
#pragma once

#include "speedwell/apps/incompressible_flow/problem.hpp"

namespace speedwell::incompressible_flow {

/// max |du/dt| / max |u| over all components at all their points, from two successive states, per unit of time. 0 for a
/// flow that stays at rest; NaN if a velocity is not finite. Throws std::invalid_argument for states of different
/// meshes, and if the second is not later.
template <class T>
double steadiness(const State<T>& before, const State<T>& after);

extern template double steadiness(const State<float>&, const State<float>&);
extern template double steadiness(const State<double>&, const State<double>&);

}  // namespace speedwell::incompressible_flow
