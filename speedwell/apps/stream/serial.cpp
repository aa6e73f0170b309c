// The STREAM kernels in plain loops on one core.
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "speedwell/apps/stream/stream.hpp"

namespace speedwell::stream::serial {
namespace {

template <class... Spans>
void require_equal_lengths(std::size_t n, const Spans&... spans) {
  if (((spans.size() != n) || ...)) throw std::invalid_argument("stream: the arrays have different lengths");
}

}  // namespace

template <class T>
void copy(std::span<const T> x, std::span<T> out) {
  require_equal_lengths(x.size(), out);
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = x[i];
}

template <class T>
void scale(T scalar, std::span<const T> x, std::span<T> out) {
  require_equal_lengths(x.size(), out);
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = scalar * x[i];
}

template <class T>
void add(std::span<const T> x, std::span<const T> y, std::span<T> out) {
  require_equal_lengths(x.size(), y, out);
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = x[i] + y[i];
}

template <class T>
void triad(T scalar, std::span<const T> x, std::span<const T> y, std::span<T> out) {
  require_equal_lengths(x.size(), y, out);
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = x[i] + scalar * y[i];
}

// Pairwise summation down to blocks that a simple loop adds: a single loop over 10^9 terms would lose eight digits, and
// thereby the ability to detect a missing element.
template <class T>
double dot(std::span<const T> x, std::span<const T> y) {
  require_equal_lengths(x.size(), y);
  constexpr std::size_t block = 4096;
  if (x.size() > block) {
    const std::size_t half = x.size() / 2;
    return dot(x.first(half), y.first(half)) + dot(x.subspan(half), y.subspan(half));
  }
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += static_cast<double>(x[i]) * static_cast<double>(y[i]);
  return sum;
}

template void copy(std::span<const double>, std::span<double>);
template void copy(std::span<const float>, std::span<float>);
template void scale(double, std::span<const double>, std::span<double>);
template void scale(float, std::span<const float>, std::span<float>);
template void add(std::span<const double>, std::span<const double>, std::span<double>);
template void add(std::span<const float>, std::span<const float>, std::span<float>);
template void triad(double, std::span<const double>, std::span<const double>, std::span<double>);
template void triad(float, std::span<const float>, std::span<const float>, std::span<float>);
template double dot(std::span<const double>, std::span<const double>);
template double dot(std::span<const float>, std::span<const float>);

}  // namespace speedwell::stream::serial
