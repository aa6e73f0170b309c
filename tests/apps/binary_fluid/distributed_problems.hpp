// Problems that divided boxes are tested with: on ranks, on several GPUs, and in slabs of one process.
#pragma once

#include "speedwell/apps/binary_fluid/problem.hpp"

namespace speedwell::binary_fluid {

/// Walls across the axes whose bits are set in `walls`; they move along the other two axes.
inline Problem between_moving_walls(const Extents& extents, int steps, unsigned walls, Collision collision) {
  Problem p{.extents = extents, .steps = steps};
  p.scheme.collision = collision;
  for (std::size_t d = 0; d < 3; ++d) {
    p.axes[d].walls = (walls >> d & 1) != 0;
    if (!p.axes[d].walls) continue;
    p.axes[d].velocity[0][(d + 1) % 3] = 0.01;
    p.axes[d].velocity[1][(d + 2) % 3] = -0.02;
  }
  return p;
}

/// Brazovskii's free energy, whose minimum is layers. Its Laplacian of a Laplacian takes one more exchange.
inline constexpr FreeEnergy layers{
    .kind = FreeEnergy::Kind::brazovskii, .a = -5e-4, .b = 5e-4, .kappa = -6e-4, .c = 7.6e-4};
inline Problem with_layers(const Extents& extents, int steps, Stencil stencil = Stencil::twenty_seven) {
  Problem p{.extents = extents, .steps = steps};
  p.fluid.energy = layers;
  p.scheme.stencil = stencil;
  return p;
}

}  // namespace speedwell::binary_fluid
