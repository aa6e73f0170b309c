// Measures the number of hardware threads per physical core.
#pragma once

#include <optional>
#include <vector>

#include "speedwell/machine/host/host_kernels.hpp"

namespace speedwell::machine {

/// The number of `cpus` that share the physical core of the first, including itself: 1 if it has a core of its own.
/// Takes some tens of milliseconds, on separate threads. Nothing if `cpus` is empty or threads cannot be pinned to
/// them.
std::optional<int> measured_threads_per_core(const std::vector<int>& cpus, const HostKernels& kernels);

}  // namespace speedwell::machine
