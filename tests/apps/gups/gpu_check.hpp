// Compares tables in device memory.
#pragma once

#include <cstdint>

#include "speedwell/apps/gups/gpu_solver.hpp"

namespace speedwell::gups {

/// Words in which the tables of two solvers of one problem differ.
std::uint64_t differing_words(const GpuSolver& a, const GpuSolver& b, const core::Stream& stream);

}  // namespace speedwell::gups
