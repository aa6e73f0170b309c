#include "speedwell/numerics/fft/gpu/line_transform.hpp"

#include "speedwell/numerics/fft/gpu/block_transform.hpp"
#include "speedwell/numerics/fft/gpu/convolution_transform.hpp"
#include "speedwell/numerics/fft/gpu/steps_transform.hpp"

namespace speedwell::fft::gpu {

template <class T>
std::unique_ptr<LineTransform<T>> make_line_transform(std::int64_t n, const core::Stream& stream) {
  const LineMethod method = line_method(n, sizeof(T));
  if (method.kind == LineMethod::Kind::steps) return std::make_unique<StepsTransform<T>>(method, stream);
  if (method.kind == LineMethod::Kind::convolution) return std::make_unique<ConvolutionTransform<T>>(method, stream);
  return std::make_unique<BlockTransform<T>>(n, stream);
}

template std::unique_ptr<LineTransform<float>> make_line_transform(std::int64_t, const core::Stream&);
template std::unique_ptr<LineTransform<double>> make_line_transform(std::int64_t, const core::Stream&);

}  // namespace speedwell::fft::gpu
