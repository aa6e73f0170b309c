// What a GPU does not do, and what it takes: known without one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "speedwell/apps/incompressible_flow/incompressible_flow.hpp"

namespace speedwell::incompressible_flow {

/// Of conjugate gradients beside solids: down to it, times the right-hand side, direct solutions in single precision
/// lead.
constexpr double min_quick_tolerance = 1e-6;

/// Why GpuSolver cannot do this; nothing when it can.
std::optional<std::string> refuses_on_gpu(const Problem& problem, const Options& options);
/// Bytes of device memory that it takes. Throws as choose().
double gpu_bytes(const Problem& problem, const Options& options, std::size_t element);

}  // namespace speedwell::incompressible_flow
