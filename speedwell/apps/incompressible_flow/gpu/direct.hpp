// The direct pressure solver on a GPU: transforms of planes there and back, tridiagonal systems between. Included by
// CUDA sources alone.
#pragma once

#include <complex>

#include "speedwell/apps/fft/gpu_fft.hpp"
#include "speedwell/apps/incompressible_flow/gpu/lines.hpp"
#include "speedwell/apps/incompressible_flow/problem.hpp"

namespace speedwell::incompressible_flow::gpu {

template <class T>
class Direct {
 public:
  /// Of the box without solids, whose axes are in the order of the choice. Takes its memory.
  Direct(const Problem& problem, const core::Stream& stream);

  /// Enqueues: out becomes the pressure of the right-hand sides `in`, both in the order of spectral_place(), with some
  /// constant in it. They may be the same; if not, in is kept.
  void solve(const T* in, T* out, const core::Stream& stream);

  /// What a mesh that moves changes: inverse squares of lengths along x, y, z and z.
  core::DeviceBuffer<T> lambda_x, lambda_y, low, high;

 private:
  using Complex = std::complex<T>;
  std::size_t points_;
  fft::GpuRealPlan<T> plan_;
  core::DeviceBuffer<T> spectrum_, work_, turns_x_, turns_y_;
  Lines<T> lines_;
};

extern template class Direct<float>;
extern template class Direct<double>;

}  // namespace speedwell::incompressible_flow::gpu
