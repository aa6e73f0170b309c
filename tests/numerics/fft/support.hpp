// Data for the tests: the splitmix64 stream of the published test vectors, and conversions to the oracle's precision.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "speedwell/apps/fft/accuracy.hpp"
#include "speedwell/apps/fft/reference.hpp"

namespace speedwell::fft {

/// x[n] = (U_2n - 1/2) + i (U_2n+1 - 1/2), U uniform in [0, 1) from splitmix64.
template <class T>
std::vector<std::complex<T>> random_complex(std::int64_t n, std::uint64_t state = 12345) {
  const auto next = [&state] {
    state += 0x9E3779B97F4A7C15ull;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53 - 0.5;
  };
  std::vector<std::complex<T>> x(n);
  for (auto& z : x) {
    const auto re = static_cast<T>(next());
    z = {re, static_cast<T>(next())};
  }
  return x;
}

template <class T>
std::vector<T> random_real(std::int64_t n, std::uint64_t state = 12345) {
  std::vector<T> x;
  for (const auto z : random_complex<T>((n + 1) / 2, state)) x.insert(x.end(), {z.real(), z.imag()});
  x.resize(n);
  return x;
}

template <class T>
std::vector<reference::Complex> extended(const std::vector<T>& x) {
  return {x.begin(), x.end()};
}

/// The L2 error of got against what it should be.
template <class T>
double l2(const std::vector<reference::Complex>& expected, const std::vector<std::complex<T>>& got) {
  return errors<T>(expected, got).l2;
}

}  // namespace speedwell::fft
