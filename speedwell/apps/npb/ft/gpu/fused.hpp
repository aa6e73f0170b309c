// The kernels of the fused solver other than its transforms. Included by CUDA sources only.
#pragma once

#include "speedwell/apps/npb/ft/ft.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::npb::ft {

/// For every time step exp(-4 alpha pi^2 k^2 t) of the wave numbers k along z, then y, then x: decay() of ft.hpp.
void fill_decay(const Problem& problem, double* decay, const core::Stream& stream);

/// Enqueues the sum of checksum_points terms.
void reduce_terms(const double2* terms, double2* checksum, const core::Stream& stream);

}  // namespace speedwell::npb::ft
