// Argument checks of the public GPU classes, which forward to the engines.
#include "speedwell/numerics/fft/gpu_fft.hpp"

#include "speedwell/numerics/fft/gpu/device_spans.hpp"
#include "speedwell/numerics/fft/gpu/gpu_engine.hpp"
#include "speedwell/numerics/fft/gpu/gpu_real_engine.hpp"

namespace speedwell::fft {
using gpu::device;
using gpu::require_span;

template <class T>
GpuPlan<T>::GpuPlan(const Shape& shape, const GpuOptions& options)
    : engine_(std::make_unique<GpuEngine<T>>(shape, options)) {}

template <class T>
void GpuPlan<T>::transform(Direction direction, std::span<const Complex> in, std::span<Complex> out,
                           const core::Stream& stream) {
  require_span<T>(in, points(), "in");
  require_span<T>(out, points(), "out");
  if (in.data() != out.data()) require_disjoint(in, out);
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

template <class T>
GpuRealPlan<T>::GpuRealPlan(const Shape& shape, const GpuOptions& options)
    : engine_(std::make_unique<GpuRealEngine<T>>(shape, options)) {}

// Reals are also read as complex numbers if a row has an even number of them.
template <class T>
void GpuRealPlan<T>::forward(std::span<const T> in, std::span<Complex> out, const core::Stream& stream) {
  require_span<T>(in, real_points(), "in");
  require_span<T>(out, spectrum_points(), "out");
  require_disjoint(in, out);
  engine_->forward(in.data(), engine_->row_points(), device(out.data()), stream);
}
template <class T>
void GpuRealPlan<T>::backward(std::span<const Complex> in, std::span<T> out, const core::Stream& stream) {
  require_span<T>(in, spectrum_points(), "in");
  require_span<T>(out, real_points(), "out");
  require_disjoint(in, out);
  engine_->backward(device(in.data()), out.data(), engine_->row_points(), stream);
}
template <class T>
void GpuRealPlan<T>::forward(std::span<Complex> padded, const core::Stream& stream) {
  require_span<T>(padded, spectrum_points(), "the padded array");
  engine_->forward(reinterpret_cast<const T*>(padded.data()), engine_->padded_row_points(), device(padded.data()),
                   stream);
}
template <class T>
void GpuRealPlan<T>::backward(std::span<Complex> padded, const core::Stream& stream) {
  require_span<T>(padded, spectrum_points(), "the padded array");
  engine_->backward(device(padded.data()), reinterpret_cast<T*>(padded.data()), engine_->padded_row_points(), stream);
}
template <class T>
std::int64_t GpuRealPlan<T>::real_points() const {
  return engine_->real_points();
}
template <class T>
std::int64_t GpuRealPlan<T>::spectrum_points() const {
  return engine_->spectrum_points();
}
template <class T>
double GpuRealPlan<T>::bytes() const {
  return engine_->bytes();
}

template class GpuPlan<float>;
template class GpuPlan<double>;
template class GpuRealPlan<float>;
template class GpuRealPlan<double>;

}  // namespace speedwell::fft
