// Problems that GpuSolver and DistributedGpuSolver do not support, and device memory: computed without a GPU.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "speedwell/apps/incompressible_flow/incompressible_flow.hpp"

namespace speedwell::incompressible_flow {

/// Conjugate gradients with solids use direct solutions in single precision down to this relative residual.
constexpr double min_quick_tolerance = 1e-6;

/// Why GpuSolver does not support this; nothing if it does.
std::optional<std::string> refuses_on_gpu(const Problem& problem, const Options& options);
/// Why DistributedGpuSolver does not support this; nothing if it does.
std::optional<std::string> refuses_on_gpus(const Problem& problem, const Options& options);
/// Bytes of device memory of GpuSolver. Throws as choose().
double gpu_bytes(const Problem& problem, const Options& options, std::size_t element);

}  // namespace speedwell::incompressible_flow
