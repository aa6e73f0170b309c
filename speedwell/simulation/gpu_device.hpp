// The current GPU of a process.
#pragma once

namespace speedwell::simulation {

/// Makes CUDA's device of this index the current one of the calling thread. Throws core::DeviceError if there is none,
/// and core::Unavailable without CUDA.
void select_gpu(int device);

}  // namespace speedwell::simulation
