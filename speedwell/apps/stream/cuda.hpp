// The STREAM kernels on device memory. Included by CUDA sources only.
#pragma once

#include <cstdint>

#include "speedwell/apps/stream/stream.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::stream {

/// Workspace of dot. `sum` is page-locked host memory that the device writes: the result is on the host after the
/// stream has been synchronised, without a copy.
class DotWorkspace {
 public:
  /// No workspace: a dot needs one that was made for its vectors.
  DotWorkspace() = default;
  /// Allocates workspace for vectors of up to n elements and any of the kernels below. Initialises it on `stream`.
  DotWorkspace(std::int64_t n, const core::Stream& stream);

  /// For the kernels: partial sums and a counter in device memory, and the sum in page-locked host memory.
  double* partial_sums() { return partial_sums_.data(); }
  unsigned* blocks_done() { return blocks_done_.data(); }
  double* sum() { return sum_.data(); }
  /// The result of the last dot, after its stream has been synchronised.
  double result() const { return *sum_.data(); }
  /// 8 bytes per 256 elements, and a constant.
  static constexpr std::int64_t partial_sums_for(std::int64_t n) { return n / 256 + 1024; }

 private:
  core::DeviceBuffer<double> partial_sums_;
  core::DeviceBuffer<unsigned> blocks_done_;  // 0 between launches
  core::PinnedBuffer<double> sum_;
};

/// Operands of a kernel in device memory, n elements each; those that the kernel does not use may be null. `out` must
/// not overlap x or y. Any alignment of T is permitted; fast loads need all three at multiples of 16 bytes.
template <class T>
struct Operands {
  const T* x = nullptr;
  const T* y = nullptr;
  T* out = nullptr;
  std::int64_t n = 0;
  T scalar = static_cast<T>(stream_scalar);
  bool streaming = true;        // the arrays exceed the L2 cache
  DotWorkspace* dot = nullptr;  // for dot only
};

/// Enqueues one kernel (not `sequence`), without waiting, on `stream`; the common type of the GPU variants. Throws
/// DeviceError, or std::invalid_argument for more elements than a grid can hold (about 2^39).
template <class T>
using Launch = void(Kernel kernel, const Operands<T>& operands, const core::Stream& stream);

/// The best implementation: 16 bytes per thread. dot gives the same bits on any device for the same n
/// and vectors that both, or not both, begin at multiples of 16 bytes.
template <class T>
void launch(Kernel kernel, const Operands<T>& operands, const core::Stream& stream);

/// The variants that precede it: an element per thread, a grid that strides over the arrays, and 16 bytes at a time.
/// They give the same copies, scales, sums and triads; a dot may differ by rounding.
namespace ladder {
template <class T>
void naive(Kernel kernel, const Operands<T>& operands, const core::Stream& stream);
template <class T>
void grid_stride(Kernel kernel, const Operands<T>& operands, const core::Stream& stream);
template <class T>
void vector(Kernel kernel, const Operands<T>& operands, const core::Stream& stream);
}  // namespace ladder

/// Enqueues the setting of n elements in device memory to `value`. Throws DeviceError.
template <class T>
void fill(T* out, std::int64_t n, T value, const core::Stream& stream);

/// Minimum bytes of arrays for which `streaming` pays off: two thirds of the L2 cache of the current device. On an H200
/// (60 MB), reads from L2 begin to slow down at 40 MB.
std::int64_t streaming_threshold();

}  // namespace speedwell::stream
