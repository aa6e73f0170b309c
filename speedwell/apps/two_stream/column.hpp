// A column's equations: U_top = R D_top + T U_bottom + up and D_bottom = R U_bottom + T D_top + down for every layer,
// eliminated from the top down, so that the direct beam is known when it is needed, followed by back substitution from
// the bottom up.
#pragma once

#include "speedwell/core/host_device.hpp"

namespace speedwell::two_stream {

/// The layers above a level: D = reflected * U + emitted.
template <class V>
struct Above {
  V reflected, emitted;
};

/// The equations at the top of an eliminated layer: U = from_below * (U at its bottom) + own; D = above.reflected * U +
/// above.emitted.
template <class V>
struct Eliminated {
  V from_below, own;
  Above<V> above;
};

/// Adds the layer below a level to the layers above; R, T, up, down as in the equations. beta is 1 / (1 -
/// above.reflected * reflected).
template <class V>
SPEEDWELL_HD
Eliminated<V> eliminate_with(V beta, Above<V>& above, V reflected, V transmitted, V up, V down) {
  const Eliminated<V> layer{beta * transmitted, beta * (up + reflected * above.emitted), above};
  // U at the layer's top is `from_below` U_bottom + `own`; D is propagated to its bottom.
  above.emitted = down + transmitted * (above.emitted + above.reflected * layer.own);
  above.reflected = reflected + transmitted * above.reflected * layer.from_below;
  return layer;
}
template <class V>
SPEEDWELL_HD
Eliminated<V> eliminate(Above<V>& above, V one, V reflected, V transmitted, V up, V down) {
  return eliminate_with(one / (one - above.reflected * reflected), above, reflected, transmitted, up, down);
}

}  // namespace speedwell::two_stream
