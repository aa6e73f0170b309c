// Progress of messages while a rank waits for something else.
#pragma once

namespace speedwell::comm {

/// Lets MPI progress all transfers of this process, which some libraries do only within calls of their functions.
/// Throws core::DeviceError if MPI fails.
void progress();

}  // namespace speedwell::comm
