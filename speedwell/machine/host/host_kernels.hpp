// The kernels that measure a processor, for each instruction set (speedwell_add_simd). Plain pointers: see
// core/isa.hpp.
#pragma once

#include <cstdint>

namespace speedwell::machine {

/// Lengths of the memory kernels are multiples of this many doubles, and their pointers multiples of 64 bytes.
constexpr std::int64_t host_kernel_grain = 128;
/// The maximum number of elements for the chains of an arithmetic kernel.
constexpr std::int64_t max_lanes = 512;

struct HostKernels {
  const char* isa;

  /// The sum of a[0, n).
  double (*read)(const double* a, std::int64_t n);
  /// The same with four streams, each over a quarter of the array: more requests are in flight if a prefetcher follows
  /// each stream.
  double (*read_streams)(const double* a, std::int64_t n);
  /// a = value; to = from; a = b + s c. The streaming ones use non-temporal stores; null if there is no such
  /// instruction.
  void (*write)(double* a, std::int64_t n, double value);
  void (*write_streaming)(double* a, std::int64_t n, double value);
  void (*copy)(double* to, const double* from, std::int64_t n);
  void (*copy_streaming)(double* to, const double* from, std::int64_t n);
  void (*triad)(double* a, const double* b, const double* c, double s, std::int64_t n);
  void (*triad_streaming)(double* a, const double* b, const double* c, double s, std::int64_t n);

  /// v = v x + y for each of `lanes` elements, `iterations` times, in registers. Without a fused instruction it is a
  /// multiplication and an addition.
  void (*fma_f64)(double* v, double x, double y, std::int64_t iterations);
  void (*fma_f32)(float* v, float x, float y, std::int64_t iterations);
  /// v = (v + x) ^ y: two operations.
  void (*integer)(std::uint32_t* v, std::uint32_t x, std::uint32_t y, std::int64_t iterations);
  int lanes_f64, lanes_f32, lanes_integer;
};

namespace baseline {
extern const HostKernels host_kernels;
}
namespace avx2 {  // x86-64 only, also the next one
extern const HostKernels host_kernels;
}
namespace avx512 {
extern const HostKernels host_kernels;
}

}  // namespace speedwell::machine
