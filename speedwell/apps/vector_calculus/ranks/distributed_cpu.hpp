// The application's operations on the tiles of ranks, with the row kernels of cpu.hpp.
#pragma once

#include "speedwell/apps/vector_calculus/distributed_grid.hpp"
#include "speedwell/apps/vector_calculus/operations/operation.hpp"

namespace speedwell::vector_calculus {

/// Collective. out = the operation on `operands`, arrays of tiles with their halos (DistributedGrid), on one core of
/// each rank. The halos of operands that are differentiated are overwritten; that of `out` keeps its values. The bits
/// are those of apply() for one process. Throws std::invalid_argument for more nested derivatives than grid.depth().
template <class T>
void apply(DistributedGrid& grid, Operation operation, Layout layout, const Operands<T>& operands, T* out,
           HaloUpdate update = HaloUpdate::overlapped);

/// The number of elements at a point that an operation differentiates: those whose halos travel.
int differentiated_words(Operation operation);

}  // namespace speedwell::vector_calculus
