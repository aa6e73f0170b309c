// How a strained mesh stretches within a time step.
#pragma once

#include <array>
#include <cstddef>

#include "speedwell/apps/incompressible_flow/method.hpp"
#include "speedwell/apps/incompressible_flow/problem.hpp"

namespace speedwell::incompressible_flow {

/// By axis: the factors by which lengths have grown at the start of the step and at the end of each of its three parts,
/// and the factors by which velocities along the axis shrink in each part.
struct StrainStep {
  std::array<std::array<double, 3>, 4> stretch;
  std::array<std::array<double, 3>, 3> shrink;
};

/// For a step of dt that begins at `time`.
inline StrainStep strain_step(const Strain& strain, Scheme scheme, double time, double dt) {
  StrainStep step;
  const auto ends = part_ends(scheme, dt);
  for (std::size_t n = 0; n < ends.size(); ++n) step.stretch[n] = strain.stretch(time + ends[n]);
  for (std::size_t n = 0; n < step.shrink.size(); ++n)
    for (std::size_t d = 0; d < 3; ++d) step.shrink[n][d] = step.stretch[n][d] / step.stretch[n + 1][d];
  return step;
}

}  // namespace speedwell::incompressible_flow
