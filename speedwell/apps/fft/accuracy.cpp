#include "speedwell/apps/fft/accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace speedwell::fft {

template <class T>
Errors errors(std::span<const reference::Complex> expected, std::span<const std::complex<T>> got) {
  if (expected.size() != got.size())
    throw std::invalid_argument("fft: " + std::to_string(got.size()) + " points to verify, " +
                                std::to_string(expected.size()) + " expected");
  long double distance = 0, norm = 0, farthest = 0, largest = 0;
#pragma omp parallel for schedule(static) reduction(+ : distance, norm) reduction(max : farthest, largest) if (got.size() > 65536)
  for (std::size_t i = 0; i < got.size(); ++i) {
    const long double d = std::norm(reference::Complex(got[i]) - expected[i]), e = std::norm(expected[i]);
    distance += d;
    norm += e;
    farthest = std::max(farthest, d);
    largest = std::max(largest, e);
  }
  if (std::isnan(distance)) return {NAN, NAN};
  if (norm == 0) norm = largest = 1;  // compared with zeros, the error is absolute
  return {static_cast<double>(std::sqrt(distance / norm)), static_cast<double>(std::sqrt(farthest / largest))};
}

template <class T>
double tolerance(std::int64_t points) {
  // At least one rounding is allowed: that of the scaling or of the input.
  return 2 * std::numeric_limits<T>::epsilon() * std::sqrt(std::max(1.0, std::log2(static_cast<double>(points))));
}

template <class T>
long double energy(std::span<const std::complex<T>> x) {
  long double sum = 0;
  for (const std::complex<T>& z : x) sum += std::norm(reference::Complex(z));
  return sum;
}

template Errors errors(std::span<const reference::Complex>, std::span<const std::complex<float>>);
template Errors errors(std::span<const reference::Complex>, std::span<const std::complex<double>>);
template double tolerance<float>(std::int64_t);
template double tolerance<double>(std::int64_t);
template long double energy(std::span<const std::complex<float>>);
template long double energy(std::span<const std::complex<double>>);

}  // namespace speedwell::fft
