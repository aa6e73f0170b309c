// The contract of the public GPU classes.
#include "speedwell/apps/fft/gpu_fft.hpp"

#include "speedwell/apps/fft/gpu/gpu_engine.hpp"
#include "speedwell/apps/fft/spans.hpp"

namespace speedwell::fft {
namespace {

template <class T>
void require_aligned(const T* p, std::size_t alignment) {
  if (reinterpret_cast<std::uintptr_t>(p) % alignment != 0)
    throw std::invalid_argument("fft: an array begins where no complex number may");
}

template <class T>
gpu::Complex<T>* device(std::complex<T>* z) {
  return reinterpret_cast<gpu::Complex<T>*>(z);
}
template <class T>
const gpu::Complex<T>* device(const std::complex<T>* z) {
  return reinterpret_cast<const gpu::Complex<T>*>(z);
}

}  // namespace

template <class T>
GpuPlan<T>::GpuPlan(const Shape& shape, const GpuOptions& options)
    : engine_(std::make_unique<GpuEngine<T>>(shape, options)) {}
template <class T>
GpuPlan<T>::GpuPlan(GpuPlan&&) noexcept = default;
template <class T>
GpuPlan<T>& GpuPlan<T>::operator=(GpuPlan&&) noexcept = default;
template <class T>
GpuPlan<T>::~GpuPlan() = default;

template <class T>
void GpuPlan<T>::transform(Direction direction, std::span<const Complex> in, std::span<Complex> out,
                           const core::Stream& stream) {
  require_size(in.size(), points(), "in");
  require_size(out.size(), points(), "out");
  if (in.data() != out.data()) require_apart(in, out);
  require_aligned(in.data(), sizeof(Complex));
  require_aligned(out.data(), sizeof(Complex));
  engine_->transform(device(in.data()), device(out.data()), direction == Direction::backward, stream);
}
template <class T>
void GpuPlan<T>::forward(std::span<const Complex> in, std::span<Complex> out, const core::Stream& stream) {
  transform(Direction::forward, in, out, stream);
}
template <class T>
void GpuPlan<T>::backward(std::span<const Complex> in, std::span<Complex> out, const core::Stream& stream) {
  transform(Direction::backward, in, out, stream);
}
template <class T>
std::int64_t GpuPlan<T>::points() const {
  return engine_->points();
}
template <class T>
double GpuPlan<T>::bytes() const {
  return engine_->bytes();
}

template class GpuPlan<float>;
template class GpuPlan<double>;

}  // namespace speedwell::fft
