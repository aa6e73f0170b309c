// z = a x + y on the host: a plain loop, and the same loop on a contiguous part of the vectors per thread.
#include <cstddef>
#include <stdexcept>
#include <string>

#include "speedwell/apps/new_application/new_application.hpp"
#include "speedwell/core/parts.hpp"

namespace speedwell::new_application {
namespace {

template <class T>
void require_equal_lengths(std::span<const T> x, std::span<const T> y, std::span<const T> z) {
  if (x.size() != z.size() || y.size() != z.size())
    throw std::invalid_argument("axpy: x, y and z have " + std::to_string(x.size()) + ", " + std::to_string(y.size()) +
                                " and " + std::to_string(z.size()) + " elements; equal lengths are allowed");
}

}  // namespace

template <class T>
void axpy_serially(T a, std::span<const T> x, std::span<const T> y, std::span<T> z) {
  require_equal_lengths<T>(x, y, z);
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = a * x[i] + y[i];
}

template <class T>
void axpy(T a, std::span<const T> x, std::span<const T> y, std::span<T> z, int threads) {
  require_equal_lengths<T>(x, y, z);
  core::parallel_for(z.size(), sizeof(T), threads, [&](std::size_t begin, std::size_t end) {
#pragma omp simd
    for (std::size_t i = begin; i < end; ++i) z[i] = a * x[i] + y[i];
  });
}

template void axpy_serially(double, std::span<const double>, std::span<const double>, std::span<double>);
template void axpy_serially(float, std::span<const float>, std::span<const float>, std::span<float>);
template void axpy(double, std::span<const double>, std::span<const double>, std::span<double>, int);
template void axpy(float, std::span<const float>, std::span<const float>, std::span<float>, int);

}  // namespace speedwell::new_application
