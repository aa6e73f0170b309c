// Selection of the sweep kernel by instruction set.
#pragma once

#include "speedwell/apps/wavefront/cpu/plane_group_kernel.hpp"
#include "speedwell/apps/wavefront/problem.hpp"
#include "speedwell/core/simd/isa.hpp"

namespace speedwell::wavefront {

template <class T>
struct Kernels {
  PlaneGroupKernel<T>* sweep;
  int lanes;
};
/// Throws std::invalid_argument if the processor does not support the instruction set.
template <class T>
Kernels<T> kernels_of(core::Isa isa);

template <class T>
KernelRecurrence<T> kernel_recurrence(const Recurrence<T>& recurrence);

/// all / of, rounded up; all >= 0, of > 0.
constexpr std::int64_t ceil_div(std::int64_t all, std::int64_t of) { return (all + of - 1) / of; }

/// Steps between consecutive rows of a lane: a multiple of the number of lanes, at least two vectors, and at least the
/// lag of the last lane of the last plane behind the first lane of the first. Then the values that the first lane needs
/// of the preceding row, which the last lane computed, are in memory already, and no lane is more than one row behind
/// another.
std::int64_t group_period(std::int64_t cells, int planes, int lanes);
/// Number of steps of a plane group, up to the end of the last row of the last plane.
template <class T>
std::int64_t group_steps(const PlaneGroup<T>& group, int lanes) {
  return ceil_div(group.rows, lanes) * group.period + lanes - 1 + group.planes - 1;
}

}  // namespace speedwell::wavefront
