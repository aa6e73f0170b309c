// Roots of unity of long lines on the device. Included by CUDA sources only.
#pragma once

#include <cstdint>

#include "speedwell/numerics/fft/gpu/line_transform.hpp"
#include "speedwell/numerics/fft/gpu/tables.hpp"

namespace speedwell::fft::gpu {

/// e^{-2 pi i j / n} as the product of two table entries.
template <class T>
struct Roots {
  const Complex<T>* low;   // j < 2^log_low
  const Complex<T>* high;  // multiples of 2^log_low
  int log_low;
#ifdef __CUDACC__
  __device__ Complex<T> operator()(std::int64_t j) const {
    return high[j >> log_low] * low[j & ((std::int64_t{1} << log_low) - 1)];
  }
#endif
};

/// The tables of Roots.
template <class T>
class RootsOnDevice {
 public:
  RootsOnDevice(std::int64_t n, const core::Stream& stream) : RootsOnDevice(root_tables<T>(n), stream) {}
  Roots<T> roots() const { return {low_.data(), high_.data(), log_low_}; }

 private:
  RootsOnDevice(const RootTables<T>& tables, const core::Stream& stream)
      : log_low_(tables.log_low), low_(on_device<T>(tables.low, stream)), high_(on_device<T>(tables.high, stream)) {}

  int log_low_;
  core::DeviceBuffer<Complex<T>> low_, high_;
};

}  // namespace speedwell::fft::gpu
