// The search on ranks, each with a stack of its own. A rank without nodes asks another for some, and who has nodes
// answers with every other of its oldest; no message travels while all have nodes.
#pragma once

#include "speedwell/apps/uts/tree.hpp"
#include "speedwell/comm/communicator.hpp"

namespace speedwell::uts {

/// Collective. The counts of the whole tree, on every rank. Throws as require_valid(), core::DeviceError where MPI
/// fails, and std::bad_alloc, which ends the job.
Counts search_on_ranks(const comm::Communicator& ranks, const Tree& tree);

}  // namespace speedwell::uts
