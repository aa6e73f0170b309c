// Initial flows. Velocities from a potential have no divergence up to round-off, on any mesh.
#pragma once

#include <cstdint>
#include <functional>

#include "speedwell/apps/incompressible_flow/problem.hpp"

namespace speedwell::incompressible_flow {

/// Component `axis` (0, 1, 2) of a vector at a point.
using VectorFunction = std::function<double(int axis, double x, double y, double z)>;

/// Adds the values of the function at the middle of every open face.
void add_velocity(const Problem& problem, const VectorFunction& velocity, State<double>& state);

/// Adds the discrete curl of a potential, whose component along an axis is evaluated in the middle of the edges along
/// it and is 0 on edges of closed faces: no flow through walls and solids.
void add_curl(const Problem& problem, const VectorFunction& potential, State<double>& state);

/// Adds the curl of random potentials, of root mean square velocity `rms`. The potential repeats after tile[axis] cells
/// along an axis: a value depends on the seed and on indices modulo the tile. A tile of 0 is the whole axis.
void add_noise(const Problem& problem, std::uint64_t seed, double rms, const std::array<int, 3>& tile,
               State<double>& state);

/// (sin x cos y, -cos x sin y, 0), with one period per edge of the box: decays without changing its shape.
void add_taylor_green_2d(const Problem& problem, State<double>& state);
/// (sin x cos y cos z, -cos x sin y cos z, 0): Taylor and Green (1937), which becomes turbulent at high Reynolds
/// numbers.
void add_taylor_green(const Problem& problem, State<double>& state);

/// A mean flow along x between walls normal to y, of friction velocity and half height 1: Reichardt's profile for the
/// Reynolds number 1 / viscosity, with rolls and noise of `rms` that grow to turbulence.
void add_channel(const Problem& problem, std::uint64_t seed, double rms, const std::array<int, 3>& tile,
                 State<double>& state);

}  // namespace speedwell::incompressible_flow
