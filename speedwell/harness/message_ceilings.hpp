// Ceilings of messages between two ranks: latency and bandwidth of MPI with buffers in the memory of the host.
#pragma once

#include "speedwell/comm/communicator.hpp"
#include "speedwell/machine/ceilings.hpp"

namespace speedwell::harness {

/// Collective. Measures messages between ranks 0 and 1, while other ranks wait: mpi.latency (us, half of the round trip
/// of 8 bytes), mpi.bandwidth and, both ways at once and per direction, mpi.bandwidth_both (GB/s). Rank 0 receives the
/// ceilings; other ranks none. Throws core::Unavailable for fewer than two ranks, and core::DeviceError if MPI fails or
/// wrong data arrived.
machine::Ceilings measure_messages(const comm::Communicator& ranks, machine::Effort effort);

}  // namespace speedwell::harness
