// EP on ranks.
#pragma once

#include "speedwell/apps/npb/ep/ep.hpp"
#include "speedwell/comm/communicator.hpp"

namespace speedwell::npb::ep {

/// Collective. Each rank computes a contiguous part of the blocks of pairs, with options.threads threads; one message
/// collects their sums. The result is that of tally() to the last bit, on every rank. Throws as require_valid().
Result tally(const comm::Communicator& ranks, const Problem& problem, const Options& options = {.threads = 1});

}  // namespace speedwell::npb::ep
