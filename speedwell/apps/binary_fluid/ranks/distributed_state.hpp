// Whole states of the first rank, distributed and collected population by population.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "speedwell/apps/binary_fluid/problem.hpp"
#include "speedwell/comm/communicator.hpp"
#include "speedwell/comm/decomposition.hpp"

namespace speedwell::binary_fluid {

/// Collective. Calls set(distribution, p, own) for every population, p of f (distribution 0) and of g (1), with its
/// values at the own sites of the rank, x contiguous, which are valid until set() returns. `whole` is read on rank 0
/// only. Returns its step. Throws std::invalid_argument on all ranks if its extents are not the problem's.
std::int64_t scatter_state(const comm::Communicator& ranks, const Problem& problem, const comm::Decomposition& division,
                           const State* whole,
                           const std::function<void(int distribution, int p, const double* own)>& set);
/// Collective. Collects the populations of all ranks, 19 of f and then 19 of g, in *whole on rank 0.
void gather_state(const comm::Communicator& ranks, const Problem& problem, const comm::Decomposition& division,
                  std::int64_t step, std::span<const double> own, State* whole);

}  // namespace speedwell::binary_fluid
