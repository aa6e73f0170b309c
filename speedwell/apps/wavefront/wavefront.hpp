// Sweeps over a grid in which every cell needs the new values of the cells before it along x, y and z:
//   Listing 1   u = fmod(((u + top) + north) + west, c),
//   Listing 2   the same and four linear updates, repeated (problem.hpp),
// with top = u(i,j,k-1), north = u(i,j-1,k), west = u(i-1,j,k), or the inflow planes at the boundary. S. J. Pennycook,
// G. R. Mudalige, S. D. Hammond, S. A. Jarvis, Parallelising Wavefront Applications on General-Purpose GPU Devices,
// UKPEW 2010. Every variant gives the same bits: the order of the sum is part of the definition, remainders are exact,
// and products are rounded as `Rounding` specifies.
#pragma once

#include "speedwell/apps/wavefront/problem.hpp"
#include "speedwell/core/simd/isa.hpp"

namespace speedwell::wavefront {

struct Options {
  int threads = 0;                   // 0: the OpenMP default
  core::Isa isa = core::best_isa();  // std::invalid_argument if the processor does not support it
  int planes = 0;                    // planes of a column, at most 16; 0: automatic
  std::int64_t row_groups = 0;       // row groups, each of a vector's rows, of a column; 0: automatic
  std::int64_t chunk = 0;            // steps of a column between two synchronisations; 0: automatic
};

/// Performs one sweep in place with all threads: columns of rows and planes in vectors (plane_group_kernel.hpp), in an
/// order in which a column depends only on earlier ones. Throws std::invalid_argument for an invalid recurrence or
/// invalid options.
template <class T>
void sweep(Grid<T>& grid, const Recurrence<T>& recurrence, const Direction& direction = {},
           const Options& options = {});

/// Performs one sweep in place on one core, cell after cell.
template <class T>
void sweep_serially(Grid<T>& grid, const Recurrence<T>& recurrence, const Direction& direction = {});

}  // namespace speedwell::wavefront
