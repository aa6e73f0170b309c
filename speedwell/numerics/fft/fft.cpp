// Argument checks of the public classes, which forward to the engine.
#include "speedwell/numerics/fft/fft.hpp"

#include "speedwell/numerics/fft/cpu/engine.hpp"
#include "speedwell/numerics/fft/spans.hpp"

namespace speedwell::fft {
namespace {

// std::complex<T> has the memory layout of two T.
template <class T>
T* reals(std::complex<T>* z) {
  return reinterpret_cast<T*>(z);
}
template <class T>
const T* reals(const std::complex<T>* z) {
  return reinterpret_cast<const T*>(z);
}

}  // namespace

template <class T>
Plan<T>::Plan(const Shape& shape, const Options& options)
    : shape_(shape), engine_(std::make_unique<Engine<T>>(Kind::complex, shape, options)) {}

template <class T>
void Plan<T>::require(std::span<const Complex> in, const Weights<T>& weights, std::span<const Complex> out) const {
  require_size(in.size(), points(), "in");
  require_size(out.size(), points(), "out");
  if (in.data() != out.data()) require_disjoint(in, out);
  if (weights.empty()) return;
  require_size(weights.size(), static_cast<std::int64_t>(shape_.extents.size()), "the list of weights");
  for (std::size_t axis = 0; axis < weights.size(); ++axis)
    require_size(weights[axis].size(), shape_.extents[axis], "a table of weights");
}

template <class T>
void Plan<T>::transform(Direction direction, std::span<const Complex> in, std::span<Complex> out) {
  transform(direction, in, Weights<T>(), out);
}
template <class T>
void Plan<T>::transform(Direction direction, std::span<const Complex> in, const Weights<T>& weights,
                        std::span<Complex> out) {
  require(in, weights, out);
  engine_->rows_first(reals(in.data()), engine_->spectrum_pitch(), reals(out.data()), direction == Direction::backward,
                      weights);
}
template <class T>
void Plan<T>::transform(Direction direction, std::span<const Complex> in, const Weights<T>& weights,
                        std::span<Complex> work, const Visit<T>& visit) {
  require(in, weights, work);
  if (shape_.extents.size() != 3 || shape_.batch != 1)
    throw std::invalid_argument("fft: lines can be visited of a single array of three axes alone");
  engine_->rows_first(reals(in.data()), engine_->spectrum_pitch(), reals(work.data()), direction == Direction::backward,
                      weights, &visit);
}
template <class T>
void Plan<T>::forward(std::span<const Complex> in, std::span<Complex> out) {
  transform(Direction::forward, in, out);
}
template <class T>
void Plan<T>::backward(std::span<const Complex> in, std::span<Complex> out) {
  transform(Direction::backward, in, out);
}
template <class T>
std::int64_t Plan<T>::points() const {
  return engine_->points();
}
template <class T>
double Plan<T>::bytes() const {
  return engine_->bytes();
}

template <class T>
RealPlan<T>::RealPlan(const Shape& shape, const Options& options)
    : engine_(std::make_unique<Engine<T>>(Kind::real, shape, options)) {}

template <class T>
void RealPlan<T>::forward(std::span<const T> in, std::span<Complex> out) {
  require_size(in.size(), real_points(), "in");
  require_size(out.size(), spectrum_points(), "out");
  require_disjoint(in, out);
  engine_->rows_first(in.data(), engine_->row_points(), reals(out.data()), false);
}
template <class T>
void RealPlan<T>::backward(std::span<const Complex> in, std::span<T> out) {
  require_size(in.size(), spectrum_points(), "in");
  require_size(out.size(), real_points(), "out");
  require_disjoint(in, out);
  engine_->rows_last(reals(in.data()), out.data(), engine_->row_points());
}
template <class T>
void RealPlan<T>::forward(std::span<Complex> padded) {
  require_size(padded.size(), spectrum_points(), "the padded array");
  engine_->rows_first(reals(padded.data()), engine_->spectrum_pitch(), reals(padded.data()), false);
}
template <class T>
void RealPlan<T>::backward(std::span<Complex> padded) {
  require_size(padded.size(), spectrum_points(), "the padded array");
  engine_->rows_last(reals(padded.data()), reals(padded.data()), engine_->spectrum_pitch());
}
template <class T>
std::int64_t RealPlan<T>::real_points() const {
  return engine_->points();
}
template <class T>
std::int64_t RealPlan<T>::spectrum_points() const {
  return engine_->spectrum_points();
}
template <class T>
double RealPlan<T>::bytes() const {
  return engine_->bytes();
}

template class Plan<float>;
template class Plan<double>;
template class RealPlan<float>;
template class RealPlan<double>;

}  // namespace speedwell::fft
