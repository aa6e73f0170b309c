// What the GPU does with operators and fields in device memory. Included by CUDA sources alone; gpu_stencil.hpp puts
// the buffers around it.
#pragma once

#include <string_view>

#include "speedwell/apps/stencil/operator.hpp"
#include "speedwell/core/cuda.hpp"
#include "speedwell/numerics/grid_sums.hpp"

namespace speedwell::stencil {

/// Enqueues y = A x. Every GPU variant of one product is one function of this type. All pointers, those of `a` too, are
/// to device memory. Nothing is checked. Extents below 2^31 each.
template <class T>
using Multiply = void(const Operator<T>& a, const T* x, T* y, const core::Stream& stream);

/// The product as a user wants it.
template <class T>
void gpu_multiply(const Operator<T>& a, const T* x, T* y, const core::Stream& stream);

/// The function of a row in ladder.hpp. Throws std::logic_error for another name.
template <class T>
Multiply<T>* product_of(std::string_view step);

using numerics::SumWorkspace;
/// Blocks that any product on this grid has at most.
std::size_t most_blocks(const Grid& grid);

/// y = A x, and x . A x to sums.sums[0], added up in an order that depends on the grid and the device alone.
template <class T>
void gpu_multiply_and_dot(const Operator<T>& a, const T* x, T* y, const SumWorkspace& sums, const core::Stream& stream);

/// The sum of n values, or of their squares, to sums.sums[0]; and out = v less the mean that a sum in *sum gives.
template <class T>
void gpu_sum(const T* v, std::int64_t n, bool of_squares, const SumWorkspace& sums, const core::Stream& stream);
template <class T>
void gpu_less_mean(const T* v, T* out, std::int64_t n, const double* sum, const core::Stream& stream);

/// How the sweeps of one pass are laid on the device.
struct TemporalPlan {
  int depth = 1;   // sweeps
  int rows = 8;    // of a thread
  int pieces = 1;  // along z
};
/// By a model of what a pass computes twice and reads: see temporal.cu.
template <class T>
TemporalPlan temporal_plan(const Grid& grid, int most_sweeps, int multiprocessors);

/// Enqueues y = A^depth x for a periodic operator of form E0, in one pass over memory.
template <class T>
void temporal_pass(const Operator<T>& a, const T* x, T* y, const TemporalPlan& plan, const core::Stream& stream);

/// All plans that exist in T, for tuning.
template <class T>
bool has_plan(const TemporalPlan& plan);

}  // namespace speedwell::stencil
