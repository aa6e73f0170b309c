// Transforms along the last two axes of an array in one pass over memory: the columns of each plane follow its rows
// while the plane is in the second-level cache. Included by CUDA sources only.
#pragma once

#include <cstdint>

#include "speedwell/core/cuda.hpp"
#include "speedwell/numerics/fft/gpu/device/complex.hpp"

namespace speedwell::fft::gpu {

/// Arrays of `planes` planes of 2^log_rows rows of 2^log_columns points, for which is_plane() of method.hpp holds.
template <class T>
struct Planes {
  std::int64_t planes = 0;
  int log_rows = 0, log_columns = 0;
  const Complex<T>* table_of_rows = nullptr;     // line_table() for lines of 2^log_columns points
  const Complex<T>* table_of_columns = nullptr;  // line_table() for lines of 2^log_rows points
  /// The columns of a plane follow its rows by this many planes: enough that no block waits for rows in progress, and
  /// few enough that they are still in the cache.
  int lag = 2;
  /// Points from a row of the input to the next, and from a plane to the next; 0: they follow each other.
  std::int64_t input_row_pitch = 0, input_plane_pitch = 0;
};

/// The bytes of the second-level cache that planes waiting for their columns may occupy.
inline constexpr std::int64_t max_pending_plane_bytes = std::int64_t{17} << 20;
/// The planes that may, of `plane_bytes` each; at least min_plane_lag of them keep all blocks at work.
inline std::int64_t plane_lag(std::int64_t plane_bytes) { return max_pending_plane_bytes / plane_bytes; }
inline constexpr std::int64_t min_plane_lag = 4;

/// The number of counters that transform_planes() needs.
inline std::int64_t plane_counters(std::int64_t planes) { return planes + 1; }

/// Enqueues the transform of all planes from `in` to `out`, which may be identical if the planes of `in` follow each
/// other. A sign of -1 conjugates the input
/// or the output.
template <class T>
void transform_planes(const Planes<T>& planes, const Complex<T>* in, Complex<T>* out, T sign_in, T sign_out, T scale,
                      std::uint32_t* counters, const core::Stream& stream);

}  // namespace speedwell::fft::gpu
