// How many hardware threads a physical core has, by measurement.
#pragma once

#include <optional>
#include <vector>

#include "speedwell/machine/host_kernels.hpp"

namespace speedwell::machine {

/// How many of `cpus` share the physical core of the first, itself included: 1 where each has a core of its own. Takes
/// some tens of milliseconds, on threads of its own. Nothing if there are none or threads cannot be pinned to them.
std::optional<int> measured_threads_per_core(const std::vector<int>& cpus, const HostKernels& kernels);

}  // namespace speedwell::machine
