// A pass whose results are divided among the GPUs of ranks, and which sends them while it runs: some multiprocessors
// copy over the link what the others have computed. (Where every multiprocessor stores to the link itself, the pass
// takes longer, probably since such stores delay its loads: link and memory are then busy one after the other.)
// Included by CUDA sources only.
#pragma once

#include <cstdint>

#include "speedwell/core/cuda.hpp"
#include "speedwell/numerics/fft/gpu/kernels/planes.hpp"

namespace speedwell::fft::gpu {

/// The rows of planes of 2^log_width points each. Row r of all planes belongs to one GPU: to this one if `own_begin` <=
/// r < `own_end`. There that of plane p + 1 follows that of plane p.
template <class T>
struct DividedRows {
  int log_width = 0;
  std::int64_t planes = 0;
  int rows = 0, own_begin = 0, own_end = 0;     // of a plane
  Complex<T>* own = nullptr;                    // row own_begin of plane 0
  std::int64_t own_pitch = 0;                   // points from one own row of a plane to the next
  Complex<T>* staged = nullptr;                 // [planes][rows][width] in this GPU: rows on their way to other GPUs
  const unsigned long long* address = nullptr;  // of each row of plane 0 where it belongs; in device memory

  int rows_of_others() const { return rows - (own_end - own_begin); }
};

/// The number of counters that send_planes() needs.
inline std::int64_t sending_counters(std::int64_t planes) { return 2 * plane_counters(planes); }

/// Enqueues the transform of planes along both axes, as transform_planes(), whose rows go to `out`. `rows` is work
/// space of the size of `in`; `out.staged` may be the same, and `in`, too, if its planes follow each other. A sign of
/// -1 conjugates the input.
template <class T>
void send_planes(const Planes<T>& planes, const Complex<T>* in, T sign, Complex<T>* rows, const DividedRows<T>& out,
                 std::uint32_t* counters, const core::Stream& stream);

}  // namespace speedwell::fft::gpu
