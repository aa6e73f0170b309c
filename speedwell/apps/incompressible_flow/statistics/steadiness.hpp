// A measure of how steady a flow is.
#pragma once

#include "speedwell/apps/incompressible_flow/problem.hpp"

namespace speedwell::incompressible_flow {

/// Maxima over the components of a velocity at all their points: of its change, and of its magnitude; NaN, both of
/// them, if a present velocity is not finite.
struct VelocityChange {
  double change = 0, largest = 0;

  /// Includes n more points, or those of another part of the box.
  template <class T>
  void add(const T* before, const T* now, int n);
  void add(const VelocityChange& other);
  /// max |du/dt| / max |u|, as steadiness() below, of velocities that are `duration` apart. Throws
  /// std::invalid_argument unless the duration is above 0.
  double steadiness(double duration) const;
};

/// max |du/dt| / max |u| over all components at all their points, from two successive states, per unit of time. 0 for a
/// flow that stays at rest; NaN if a velocity is not finite. Throws std::invalid_argument for states of different
/// meshes, and if the second is not later.
template <class T>
double steadiness(const State<T>& before, const State<T>& after);

extern template void VelocityChange::add(const float*, const float*, int);
extern template void VelocityChange::add(const double*, const double*, int);
extern template double steadiness(const State<float>&, const State<float>&);
extern template double steadiness(const State<double>&, const State<double>&);

}  // namespace speedwell::incompressible_flow
