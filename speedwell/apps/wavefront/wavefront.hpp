// Sweeps over a grid in which every cell needs the new values of the cells before it along x, y and z:
//   Listing 1   u = fmod(((u + top) + north) + west, c),
//   Listing 2   the same and four linear updates, several times over (problem.hpp),
// with top = u(i,j,k-1), north = u(i,j-1,k), west = u(i-1,j,k), or the planes of inflow at the edges. S. J. Pennycook,
// G. R. Mudalige, S. D. Hammond, S. A. Jarvis, Parallelising Wavefront Applications on General-Purpose GPU Devices,
// UKPEW 2010. Every variant gives the same bits: the order of the sum is part of the definition, remainders are exact,
// and products are rounded as `Rounding` says.
#pragma once

#include "speedwell/apps/wavefront/problem.hpp"
#include "speedwell/core/isa.hpp"

namespace speedwell::wavefront {

struct Options {
  int threads = 0;                   // 0: all that OpenMP has
  core::Isa isa = core::best_isa();  // std::invalid_argument if the processor does not have it
  int planes = 0;                    // of a column, at most 16; 0: chosen
  std::int64_t chunk = 0;            // steps of a column between two looks at those before it; 0: chosen
};

/// Replaces the grid's cells by their new values, on all cores: columns of rows and planes side by side in vectors
/// (ribbon_kernel.hpp), in an order in which each only waits for ones that are taken before it.
/// Throws std::invalid_argument for a recurrence that is not valid.
template <class T>
void sweep(Grid<T>& grid, const Recurrence<T>& recurrence, const Direction& direction = {},
           const Options& options = {});

/// The same on one core, cell after cell.
template <class T>
void sweep_serially(Grid<T>& grid, const Recurrence<T>& recurrence, const Direction& direction = {});

}  // namespace speedwell::wavefront
