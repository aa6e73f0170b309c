// GPU operations on operators and fields in device memory. Included by CUDA sources only; gpu_stencil.hpp manages the
// buffers.
#pragma once

#include <string_view>

#include "speedwell/apps/stencil/operator.hpp"
#include "speedwell/comm/gpu/halo_arrival.hpp"
#include "speedwell/core/cuda.hpp"
#include "speedwell/numerics/grid_sums.hpp"

namespace speedwell::stencil {

/// Enqueues y = A x, the common type of the GPU variants of one product. All pointers, also those of `a`, are to device
/// memory. Nothing is checked. Extents must be below 2^31.
template <class T>
using Multiply = void(const Operator<T>& a, const T* x, T* y, const core::Stream& stream);

/// A range of planes of a grid along z.
struct Planes {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
};
inline Planes all_planes(const Grid& grid) { return {0, grid.nz}; }

/// The best implementation of the product.
template <class T>
void gpu_multiply(const Operator<T>& a, const T* x, T* y, const core::Stream& stream);
/// The same for the cells of some planes, of which there is at least one.
template <class T>
void gpu_multiply(const Operator<T>& a, const T* x, T* y, const Planes& planes, const core::Stream& stream);

/// The function of a variant of ladder.hpp. Throws std::logic_error for an unknown name.
template <class T>
Multiply<T>* product_of(std::string_view step);

using numerics::SumWorkspace;
/// Maximum number of blocks of any product on this grid.
std::size_t max_blocks(const Grid& grid);

/// y = A x, and x . A x in sums.sums[0], in an order of additions that depends only on the grid and the device.
template <class T>
void gpu_multiply_and_dot(const Operator<T>& a, const T* x, T* y, const SumWorkspace& sums, const core::Stream& stream);

/// Sums n values, or their squares, into sums.sums[0]; and out = v minus the mean, given the sum in *sum.
template <class T>
void gpu_sum(const T* v, std::int64_t n, bool of_squares, const SumWorkspace& sums, const core::Stream& stream);
template <class T>
void gpu_subtract_mean(const T* v, T* out, std::int64_t n, const double* sum, const core::Stream& stream);

/// Enqueues y = A x on a slab, `a` with its planes alone, behind a DeviceHaloExchange::push() of the planes at its
/// ends. The coefficients of form V at the lower faces of the slab precede those of its cells in memory.
template <class T>
void slab_multiply(const Operator<T>& a, const T* x, const comm::HaloArrival<T>& below,
                   const comm::HaloArrival<T>& above, T* y, const core::Stream& stream);

/// Configuration of a pass of temporal blocking.
struct TemporalPlan {
  int depth = 1;   // sweeps
  int rows = 8;    // rows per thread
  int chunks = 1;  // chunks along z
};
/// Chooses a plan by a model of the redundant work and memory traffic of a pass: see temporal.cu. Of the grid, which
/// may be a range of planes of a larger one, extents alone count.
template <class T>
TemporalPlan temporal_plan(const Grid& grid, int max_sweeps, int multiprocessors);

/// Enqueues y = A^depth x for a periodic operator of form E0, in one pass over memory.
template <class T>
void temporal_pass(const Operator<T>& a, const T* x, T* y, const TemporalPlan& plan, const core::Stream& stream);
/// The same for the cells of some planes; the plan is one for a grid of as many.
template <class T>
void temporal_pass(const Operator<T>& a, const T* x, T* y, const TemporalPlan& plan, const Planes& planes,
                   const core::Stream& stream);

/// The same on a slab, as slab_multiply(); `halo` planes of the neighbours are pushed, at least as many as sweeps.
template <class T>
void slab_temporal_pass(const Operator<T>& a, const T* x, const comm::HaloArrival<T>& below,
                        const comm::HaloArrival<T>& above, int halo, T* y, const TemporalPlan& plan,
                        const core::Stream& stream);

/// Whether a plan is compiled for T, for tuning.
template <class T>
bool has_plan(const TemporalPlan& plan);

}  // namespace speedwell::stencil
