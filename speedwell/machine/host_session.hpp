// What the measurements of the host share.
#pragma once

#include <string>

#include "speedwell/machine/ceilings.hpp"
#include "speedwell/machine/host_kernels.hpp"
#include "speedwell/machine/host_plan.hpp"

namespace speedwell::machine {

struct HostSession {
  const HostKernels& kernels;
  HostPlan plan;
  Effort effort;
  Ceilings ceilings;
};

/// Adds the memory ceilings to the session's.
void measure_host_memory(HostSession& session);

/// Throws core::DeviceError: a kernel that computes something wrong sets no ceiling.
[[noreturn]] void throw_wrong(const std::string& ceiling);

}  // namespace speedwell::machine
