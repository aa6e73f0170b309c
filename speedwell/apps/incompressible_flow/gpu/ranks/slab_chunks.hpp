// The warp's solution of a tridiagonal system (chunks.hpp) for a slab: the unknowns below its first row and above its
// last one belong to other slabs, so that every lane keeps the coefficients with which they act on its own unknown.
#pragma once

#include "speedwell/apps/incompressible_flow/gpu/chunks.hpp"

namespace speedwell::incompressible_flow::gpu {

/// One step of cyclic reduction among the lanes of a slab. Without a lane at the distance on one side the equation
/// there refers to the unknown beside the slab already, and keeps its coefficient.
template <class T>
SPEEDWELL_HD
Equation<T> slab_pcr_step(const Equation<T>& e, const Equation<T>& low, bool has_low, const Equation<T>& high,
                          bool has_high) {
  const T a = has_low ? e.before / low.self() : T(0), c = has_high ? e.after / high.self() : T(0);
  return {has_low ? -a * low.before : e.before, e.sum - a * low.sum - c * high.sum,
          has_high ? -c * high.after : e.after, e.re - a * low.re - c * high.re, e.im - a * low.im - c * high.im};
}

/// What an equation says when the unknowns beside the slab are 0, and how these act: x = own - below x_below - above
/// x_above.
template <class T>
struct SlabUnknown {
  T re, im, below, above;
};
/// The last unknown of a lane, from its equation after all steps.
template <class T>
SPEEDWELL_HD
SlabUnknown<T> unknown_of(const Equation<T>& e) {
  const T inverse = T(1) / e.self();
  return {e.re * inverse, e.im * inverse, e.before * inverse, e.after * inverse};
}
/// The first unknown of the slab when the unknowns beside it are 0: from the equation of the first lane's first row,
/// and that lane's last unknown.
template <class T>
struct SlabEnd {
  T re, im;
};
template <class T>
SPEEDWELL_HD
SlabEnd<T> first_end(const FirstRowEquation<T>& first, const SlabUnknown<T>& last_of_lane) {
  const T inverse = T(1) / first.self();
  return {(first.re - first.last * last_of_lane.re) * inverse, (first.im - first.last * last_of_lane.im) * inverse};
}

}  // namespace speedwell::incompressible_flow::gpu
