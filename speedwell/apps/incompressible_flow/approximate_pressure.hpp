// Pressures for the reference to begin with, where plain conjugate gradients would take minutes.
#pragma once

#include "speedwell/apps/incompressible_flow/problem.hpp"
#include "speedwell/apps/incompressible_flow/reference.hpp"

namespace speedwell::incompressible_flow {

/// By transforms, on all threads; nothing for a mesh that they cannot do, or with solids.
reference::Approximate approximate_pressure(const Problem& problem);

}  // namespace speedwell::incompressible_flow
