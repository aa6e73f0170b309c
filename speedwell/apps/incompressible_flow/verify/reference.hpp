// The oracle: the discrete equations written out term by term, in double precision, with a pressure from conjugate
// gradients. It shares no code with the variants. Cells are divided among all threads.
#pragma once

#include <functional>

#include "speedwell/apps/incompressible_flow/method.hpp"
#include "speedwell/apps/incompressible_flow/problem.hpp"
#include "speedwell/apps/incompressible_flow/verify/reference_cells.hpp"

namespace speedwell::incompressible_flow::reference {

/// Minus convection, per volume: -(1 / Omega) sum over faces of m (u_P + u_N) / 2. 0 at closed faces, as below.
Faces convection(const Problem& problem, const Faces& u);
/// (1 / Omega) sum over faces of nu area difference / distance, walls and their velocities included.
Faces diffusion(const Problem& problem, const Faces& u);
/// Outflow of each cell over its volume.
Cells divergence(const Problem& problem, const Faces& u);
/// (p_{i+1} - p_i) / distance on open faces.
Faces gradient(const Problem& problem, const Cells& p);
/// Volume of the momentum cell around each face; 0 where it is closed.
Faces volumes(const Problem& problem);

/// Computes a candidate p for Laplacian p = rhs. The reference checks it by the residual of its own operator.
using Approximate = std::function<void(const Cells& rhs, Cells& p)>;

/// Advances the state by `steps` steps of `dt`. Throws std::invalid_argument for a problem that is not valid, and
/// std::runtime_error if a linear solve stagnates above 1e-10 of its initial residual.
void advance(const Problem& problem, const Method& method, State<double>& state, double dt, int steps,
             const Approximate& approximate = {});

}  // namespace speedwell::incompressible_flow::reference
