// The context of all measurements on the host.
#pragma once

#include <string>

#include "speedwell/machine/ceilings.hpp"
#include "speedwell/machine/host/host_kernels.hpp"
#include "speedwell/machine/host/host_plan.hpp"

namespace speedwell::machine {

struct HostSession {
  const HostKernels& kernels;
  HostPlan plan;
  Effort effort;
  Ceilings ceilings;
};

/// Adds the memory ceilings to the session's.
void measure_host_memory(HostSession& session);

/// Throws core::DeviceError for a kernel with a wrong result.
[[noreturn]] void throw_wrong(const std::string& ceiling);

}  // namespace speedwell::machine
