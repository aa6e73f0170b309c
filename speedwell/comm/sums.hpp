// Sums over ranks whose bits are defined. MPI_Allreduce may add in another order at each call.
#pragma once

#include <span>

#include "speedwell/comm/communicator.hpp"
#include "speedwell/core/exact_sum.hpp"

namespace speedwell::comm {

/// Collective. Replaces each value by the sum of those of all ranks at its index, added in the order of the ranks: the
/// same bits on every rank and at every call with as many ranks. One message: give all values of a step together.
void sum_in_order(const Communicator& ranks, std::span<double> values);

/// Collective. The sum of the sums of all ranks, rounded once: the same bits for any number of ranks and any division
/// of the terms among them.
double exact_sum(const Communicator& ranks, const core::ExactSum& mine);

}  // namespace speedwell::comm
