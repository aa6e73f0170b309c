// Lines of any length as a convolution with a chirp (Bluestein 1970), whose length is a power of two. Included by CUDA
// sources only.
#pragma once

#include "speedwell/numerics/fft/gpu/line_transform.hpp"
#include "speedwell/numerics/fft/gpu/method.hpp"

namespace speedwell::fft::gpu {

template <class T>
class ConvolutionTransform final : public LineTransform<T> {
 public:
  ConvolutionTransform(const LineMethod& method, const core::Stream& stream);
  void run(const Job<T>& job, Complex<T>* work, const core::Stream& stream) const override;

 private:
  void run_in_work_space(const Job<T>& job, Complex<T>* work, const core::Stream& stream) const;

  LineMethod method_;
  std::unique_ptr<LineTransform<T>> longer_;
  core::DeviceBuffer<Complex<T>> chirp_, table_;
};

}  // namespace speedwell::fft::gpu
