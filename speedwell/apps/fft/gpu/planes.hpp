// The last two axes of an array, one way through memory: rows, then columns of each plane while it is in the
// second-level cache. Included by CUDA sources alone.
#pragma once

#include <cstdint>

#include "speedwell/apps/fft/gpu/complex.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::fft::gpu {

/// Arrays of `planes` planes of 2^log_rows rows of 2^log_columns points.
template <class T>
struct Planes {
  std::int64_t planes = 0;
  int log_rows = 0, log_columns = 0;
  const Complex<T>* table_of_rows = nullptr;     // line_table() of lines of 2^log_columns points
  const Complex<T>* table_of_columns = nullptr;  // and of 2^log_rows
  /// A plane's columns come this many planes after its rows: far enough that nobody waits for rows that are still under
  /// way, near enough that they are still in the cache.
  int lag = 2;
};

/// Whether transform_planes() has such planes.
template <class T>
bool supports_planes(std::int64_t rows, std::int64_t columns);

/// Elements of the counters that transform_planes() needs.
inline std::int64_t plane_counters(std::int64_t planes) { return planes + 1; }

/// Enqueues the transform of all planes, `in` to `out`, which may be the same; conjugated on the way in and on the way
/// out where sign is -1.
template <class T>
void transform_planes(const Planes<T>& planes, const Complex<T>* in, Complex<T>* out, T sign, T scale,
                      std::uint32_t* counters, const core::Stream& stream);

}  // namespace speedwell::fft::gpu
