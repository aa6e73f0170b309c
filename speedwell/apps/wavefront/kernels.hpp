// The kernels of the instruction set that a sweep is to use.
#pragma once

#include "speedwell/apps/wavefront/problem.hpp"
#include "speedwell/apps/wavefront/ribbon_kernel.hpp"
#include "speedwell/core/isa.hpp"

namespace speedwell::wavefront {

template <class T>
struct Kernels {
  RibbonKernel<T>* ribbon;
  int lanes;
};
/// Throws std::invalid_argument if the processor does not have the instruction set.
template <class T>
Kernels<T> kernels_of(core::Isa isa);

template <class T>
RibbonRecurrence<T> ribbon_recurrence(const Recurrence<T>& recurrence);

/// Steps from one row of a lane to its next: whole blocks of as many steps as there are lanes, two at least, and no
/// fewer than from the first lane of the first plane to the last of the last. Then what the first lane needs of the row
/// before, which the last lane swept, is in memory already, and no lane is more than one row behind.
std::int64_t ribbon_period(std::int64_t cells, int planes, int lanes);
/// Steps that a ribbon takes: the last row of the last plane ends last.
template <class T>
std::int64_t ribbon_steps(const Ribbon<T>& ribbon, int lanes) {
  return (ribbon.rows + lanes - 1) / lanes * ribbon.period + lanes - 1 + ribbon.planes - 1;
}

}  // namespace speedwell::wavefront
