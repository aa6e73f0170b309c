// The end of a wait of a kernel for another rank, as the host learns of it. For CUDA sources only.
#pragma once

#include <string>

#include "speedwell/comm/gpu/peer_flags.hpp"
#include "speedwell/core/cuda.hpp"
#include "speedwell/core/error.hpp"

namespace speedwell::comm {

/// Waits for `stream`. Throws core::DeviceError if a kernel has set `*timed_out`, in device memory, as wait_for_flag()
/// does: "`who` did not come to `what` within 20 s".
template <class Flag>
void throw_if_late(const Flag* timed_out, const std::string& who, const std::string& what, const core::Stream& stream) {
  Flag late = 0;
  core::copy_async(&late, timed_out, 1, stream);
  stream.synchronize();
  if (late == 0) return;
  throw core::DeviceError(who + " did not come to " + what + " within " +
                          std::to_string(max_wait_nanoseconds / 1'000'000'000) + " s");
}

}  // namespace speedwell::comm
