// Functions on columns in device memory, for CUDA sources only; gpu_solver.hpp adds buffers and copies.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "speedwell/apps/two_stream/two_stream.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::two_stream {

/// Enqueues the broadband fluxes of all columns, in one pass over memory. `a` must have passed require_atmosphere(),
/// and all pointers of `a` and `to` are to device memory, with the shapes that two_stream.hpp gives. `scratch` has
/// column_scratch() elements, which are overwritten, too. The bits do not depend on the device. Throws
/// core::DeviceError if the launch fails.
template <class T>
void columns_fused(const Atmosphere<T>& a, const Options& options, const Fluxes<T>& to, T* scratch,
                   const core::Stream& stream);
/// Elements of the scratch memory of columns_fused(). Of `a` the extents, the source and the layers
/// that have regions are read.
template <class T>
std::int64_t column_scratch(const Atmosphere<T>& a);

/// The same in three passes over memory: the coefficients of layers, the columns, and the sums over the spectrum.
/// `scratch` has separate_scratch() elements. Throws core::DeviceError if a launch fails, and std::invalid_argument for
/// an atmosphere with clouds.
template <class T>
void columns_separate(const Atmosphere<T>& a, const Options& options, const Fluxes<T>& to, T* scratch,
                      const core::Stream& stream);
/// Throws std::invalid_argument for an atmosphere with clouds, which columns_separate() does not know.
template <class T>
void require_no_clouds(const Atmosphere<T>& a) {
  if (a.cloud_fraction) throw std::invalid_argument("two_stream: three separate passes are for columns without clouds");
}
/// Elements of the scratch memory of columns_separate().
template <class T>
std::int64_t separate_scratch(const Atmosphere<T>& a) {
  return a.points * (5 * a.layers + 2) * a.columns;
}

/// Enqueues the coefficients of every layer, [g][layer][column], with threads along the columns, or with the study's
/// blocks along the layers. Of `a` the arrays of layers and, with a sun, mu0 are read; those of `to` that are null are
/// not computed. Throws core::DeviceError if the launch fails.
template <class T>
void coefficients(const Atmosphere<T>& a, const Options& options, const Coefficients<T>& to,
                  const core::Stream& stream);
template <class T>
void coefficients_study(const Atmosphere<T>& a, const Options& options, const Coefficients<T>& to,
                        const core::Stream& stream);

}  // namespace speedwell::two_stream
