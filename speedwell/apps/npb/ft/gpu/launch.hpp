// The operands and kernels that the steps of the 2018 study share on a GPU, and the transforms in which they differ;
// gpu_solver.hpp has the buffers and the time loop. Included by CUDA sources only.
#pragma once

#include <cstdint>
#include <string_view>

#include "speedwell/apps/npb/ft/ft.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::npb::ft {

/// All pointers are to device memory, of points(problem) entries unless stated otherwise.
struct Operands {
  Problem problem;                 // its extents are powers of two
  double2* modes = nullptr;        // U
  double2* field = nullptr;        // u, then v of every step
  double2* work[2] = {nullptr};    // work space of the transforms
  double* factors = nullptr;       // factors of one step
  const double2* roots = nullptr;  // e^{-2 pi i k / n}, k < n / 2, of the largest extent n
  double2* checksums = nullptr;    // problem.iterations
};

/// Each enqueues a part of the benchmark on `stream`.
void fill_initial(const Operands& p, const core::Stream& stream);  // field
// the points first, first + 1, … of the initial field, `count` of them
void fill_initial(std::int64_t first, std::int64_t count, double2* field, const core::Stream& stream);
void fill_factors(const Operands& p, const core::Stream& stream);
// advances the modes by a step and copies them to the field
void evolve(const Operands& p, const core::Stream& stream);
// stores the checksum of the unscaled field in entry t - 1
void add_checksum(const Operands& p, int t, const core::Stream& stream);

/// Enqueues the unscaled transform of `in` along all three axes to `out`, which may be identical. Every step is a
/// function of this type.
using Transform = void(const Operands& p, const double2* in, double2* out, bool backward, const core::Stream& stream);

/// The function of the variant of this name in ladder.hpp. Throws std::logic_error for another name.
Transform* transform_of(std::string_view step);

}  // namespace speedwell::npb::ft
