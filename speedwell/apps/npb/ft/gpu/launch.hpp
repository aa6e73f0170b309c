// What the steps of the 2018 study share on a GPU, and the one thing in which they differ: a transform. Included by
// CUDA sources alone; gpu_solver.hpp puts the buffers and the time loop around them.
#pragma once

#include <string_view>

#include "speedwell/apps/npb/ft/ft.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::npb::ft {

/// All pointers are to device memory, of points(problem) entries where nothing else is said.
struct Operands {
  Problem problem;                 // its extents are powers of two
  double2* modes = nullptr;        // U
  double2* field = nullptr;        // u, then v of every step
  double2* work[2] = {nullptr};    // of the transforms
  double* factors = nullptr;       // of one step
  const double2* roots = nullptr;  // e^{-2 pi i k / n}, k < n / 2, of the largest extent n
  double2* checksums = nullptr;    // problem.iterations
};

/// Enqueue one part each of the benchmark on `stream`.
void fill_initial(const Operands& p, const core::Stream& stream);  // field
void fill_factors(const Operands& p, const core::Stream& stream);
void evolve(const Operands& p, const core::Stream& stream);               // modes by a step, and field = modes
void add_checksum(const Operands& p, int t, const core::Stream& stream);  // of the field, unscaled: entry t - 1

/// Enqueues the transform of `in` along all three axes to `out`, which may be the same, unscaled. Every step is one
/// function of this type.
using Transform = void(const Operands& p, const double2* in, double2* out, bool backward, const core::Stream& stream);

/// The function of the row of this name in ladder.hpp. Throws std::logic_error for another name.
Transform* transform_of(std::string_view step);

}  // namespace speedwell::npb::ft
