// Initial guesses of the pressure for the reference, whose plain conjugate gradients would otherwise take minutes.
#pragma once

#include "speedwell/apps/incompressible_flow/problem.hpp"
#include "speedwell/apps/incompressible_flow/verify/reference.hpp"

namespace speedwell::incompressible_flow {

/// Solves by transforms, on all threads; empty for a mesh without them, or with solids.
reference::Approximate approximate_pressure(const Problem& problem);

}  // namespace speedwell::incompressible_flow
