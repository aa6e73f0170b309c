// Transforms of three axes that are divided among the GPUs of ranks, in which the pass before the exchange sends each
// row, as soon as it is complete, to where the pass after the exchange reads it in the memory of the GPU that needs it.
// The link is busy from the first planes of that pass on. Included by CUDA sources only.
#pragma once

#include <memory>

#include "speedwell/comm/communicator.hpp"
#include "speedwell/core/cuda.hpp"
#include "speedwell/numerics/fft/gpu/device/complex.hpp"
#include "speedwell/numerics/fft/ranks/slab_blocks.hpp"

namespace speedwell::fft::gpu {

template <class T>
class DirectSlabs {
 public:
  /// Whether the extents allow it, by stores_in_passes() of method.hpp.
  static bool supports(const SlabDivision& division);

  /// Collective; the extents are supported. `ranks` must outlive the object. Throws core::Unavailable as
  /// comm::PeerMemory.
  DirectSlabs(const comm::Communicator& ranks, const SlabDivision& division, const core::Stream& stream);
  ~DirectSlabs();

  /// Collective. Enqueue a transform, whose results are multiplied by `scale`. The input is preserved.
  void forward(const Complex<T>* array, Complex<T>* spectrum, T scale, const core::Stream& stream);
  void backward(const Complex<T>* spectrum, Complex<T>* array, T scale, const core::Stream& stream);

  double bytes() const;
  /// The time that the stream waited for the stores of the others after its own. Of one transform in eight, which
  /// stands for them.
  double seconds() const;
  /// Waits for `stream`. Throws core::DeviceError if a rank did not come to an exchange.
  void check(const core::Stream& stream) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class DirectSlabs<float>;
extern template class DirectSlabs<double>;

}  // namespace speedwell::fft::gpu
