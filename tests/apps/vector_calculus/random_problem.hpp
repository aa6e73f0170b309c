// A problem with random fields on a grid of other spacings along each axis.
#pragma once

#include <array>
#include <cstdint>

#include "speedwell/apps/vector_calculus/problem.hpp"

namespace speedwell::vector_calculus {

inline Problem problem_of(Operation operation, Layout layout, Boundary boundary, std::array<std::int64_t, 3> n) {
  return {.operation = operation,
          .layout = layout,
          .grid = {.nx = n[0], .ny = n[1], .nz = n[2], .dx = 0.3, .dy = 0.7, .dz = 1.1, .boundary = boundary},
          .values = Values::random,
          .seed = 3};
}

}  // namespace speedwell::vector_calculus
