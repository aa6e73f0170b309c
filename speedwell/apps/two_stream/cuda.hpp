// Functions on columns in device memory, for CUDA sources only; gpu_solver.hpp adds buffers and copies.
#pragma once

#include <cstdint>

#include "speedwell/apps/two_stream/two_stream.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::two_stream {

/// Enqueues the fluxes of all columns. All pointers are to device memory; `scratch` has column_scratch() elements. The
/// bits do not depend on the device. Throws core::DeviceError if the launch fails.
template <class T>
void columns_fused(const Atmosphere<T>& a, const Options& options, const Fluxes<T>& to, T* scratch,
                   const core::Stream& stream);
template <class T>
std::int64_t column_scratch(const Atmosphere<T>& a);

/// The same in three passes over memory. `scratch` has separate_scratch() elements.
template <class T>
void columns_separate(const Atmosphere<T>& a, const Options& options, const Fluxes<T>& to, T* scratch,
                      const core::Stream& stream);
template <class T>
std::int64_t separate_scratch(const Atmosphere<T>& a) {
  return a.points * (5 * a.layers + 2) * a.columns;
}

/// Enqueues the coefficients of every layer, with threads along the columns, or with the study's blocks along the
/// layers.
template <class T>
void coefficients(const Atmosphere<T>& a, const Options& options, const Coefficients<T>& to,
                  const core::Stream& stream);
template <class T>
void coefficients_study(const Atmosphere<T>& a, const Options& options, const Coefficients<T>& to,
                        const core::Stream& stream);

}  // namespace speedwell::two_stream
