// The kernels of the instruction set that a sweep is to use.
#pragma once

#include "speedwell/apps/wavefront/pencil_kernel.hpp"
#include "speedwell/apps/wavefront/problem.hpp"
#include "speedwell/apps/wavefront/ribbon_kernel.hpp"
#include "speedwell/core/isa.hpp"

namespace speedwell::wavefront {

template <class T>
struct Kernels {
  BundleKernel<T>* bundle;
  RibbonKernel<T>* ribbon;
  int lanes;
};
/// Throws std::invalid_argument if the processor does not have the instruction set.
template <class T>
Kernels<T> kernels_of(core::Isa isa);

template <class T>
BundleRecurrence<T> bundle_recurrence(const Recurrence<T>& recurrence);

}  // namespace speedwell::wavefront
