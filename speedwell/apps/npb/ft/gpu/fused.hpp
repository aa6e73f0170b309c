// What FusedGpuSolver, on one GPU, and DistributedGpuSolver, on several, need in addition to the transforms of fft: the
// decay of the modes, the sums of the checksums, and the positions of their terms. Included by CUDA sources only.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "speedwell/apps/npb/ft/ft.hpp"
#include "speedwell/core/cuda.hpp"
#include "speedwell/numerics/fft/fft.hpp"

namespace speedwell::npb::ft {

/// Enqueues the factors of the modes: decay[t - 1][...] = exp(-4 alpha pi^2 k^2 t) for t = 1 ... problem.iterations,
/// for the wave numbers k of the indices along z, then y, then x, nz + ny + nx values for each time step. The product
/// of the three factors of a mode is decay() of ft.hpp. `decay` is in device memory and overwritten.
void fill_decay(const Problem& problem, double* decay, const core::Stream& stream);

/// Enqueues checksums[t] = the sum of terms[t][0 ... checksum_points - 1] for t < `steps`, unscaled, by one block for
/// each time step, which adds them by a binary tree: the bits are the same in every call. All are in device memory.
void reduce_terms(const double2* terms, double2* checksums, int steps, const core::Stream& stream);

/// The field as an array whose slowest axis is z.
inline fft::Shape shape_of(const Problem& p) { return {.extents = {p.nz, p.ny, p.nx}}; }

/// The indices of the terms of a checksum in an array [nz][ny][nx], in their order: checksum_points of them, some of
/// which may be equal.
std::vector<std::int64_t> sample_positions(const Problem& problem);

/// Complex numbers as the kernels' type, which has the same layout. `numbers` must be a multiple of 16 bytes, which
/// double2 requires and std::complex<double> does not: buffers in device memory are aligned to at least 256.
inline double2* vectors(std::complex<double>* numbers) { return reinterpret_cast<double2*>(numbers); }

}  // namespace speedwell::npb::ft
