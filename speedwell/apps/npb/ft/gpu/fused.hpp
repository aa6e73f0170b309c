// What the fused solvers, on one GPU and on several, have besides their transforms. Included by CUDA sources only.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "speedwell/apps/npb/ft/ft.hpp"
#include "speedwell/core/cuda.hpp"
#include "speedwell/numerics/fft/fft.hpp"

namespace speedwell::npb::ft {

/// For every time step exp(-4 alpha pi^2 k^2 t) of the wave numbers k along z, then y, then x: decay() of ft.hpp.
void fill_decay(const Problem& problem, double* decay, const core::Stream& stream);

/// Enqueues the sums of checksum_points terms each, one sum for each of `steps` time steps.
void reduce_terms(const double2* terms, double2* checksums, int steps, const core::Stream& stream);

/// The field as an array whose slowest axis is z.
inline fft::Shape shape_of(const Problem& p) { return {.extents = {p.nz, p.ny, p.nx}}; }

/// The indices in the field of the terms of a checksum, in their order.
std::vector<std::int64_t> sample_positions(const Problem& problem);

/// Both types have the memory layout of two doubles.
inline double2* vectors(std::complex<double>* numbers) { return reinterpret_cast<double2*>(numbers); }

}  // namespace speedwell::npb::ft
