// The oracles: the definition cell by cell, and an exact computation in integers that is independent of it.
#pragma once

#include <cstdint>

#include "speedwell/apps/wavefront/problem.hpp"

namespace speedwell::wavefront::reference {

/// The sweep as defined in the paper, with the C library's fmod.
template <class T>
void sweep(Grid<T>& grid, const Recurrence<T>& recurrence, const Direction& direction = {});

/// Listing 1 for c = 1 and data that are multiples of 2^-bits: no addition rounds if bits is at most 50 (in single
/// precision 22), and cells times 2^bits are sums modulo 2^bits. Throws std::invalid_argument for any other data.
template <class T>
void sweep_in_integers(Grid<T>& grid, int bits, const Direction& direction = {});

/// Cell (i,j,k) times 2^bits after Listing 1 from 2^-bits at (0,0,0) and zeros elsewhere: (i+j+k)! / (i! j! k!) modulo
/// 2^bits, the number of lattice paths to the cell.
std::uint64_t paths_to(std::int64_t i, std::int64_t j, std::int64_t k, int bits);

}  // namespace speedwell::wavefront::reference
