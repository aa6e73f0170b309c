// The direct pressure solver on a GPU: forward transforms of planes, tridiagonal systems, inverse transforms. For CUDA
// sources only.
#pragma once

#include <complex>

#include "speedwell/apps/incompressible_flow/gpu/direct/lines.hpp"
#include "speedwell/apps/incompressible_flow/problem.hpp"
#include "speedwell/numerics/fft/gpu_fft.hpp"

namespace speedwell::incompressible_flow::gpu {

template <class T>
class Direct {
 public:
  /// The problem's axes must be in the order of the choice; its solids are ignored. Allocates its memory.
  Direct(const Problem& problem, const core::Stream& stream);

  /// Enqueues the solution `out`, determined up to a constant, of the right-hand sides `in`, both in the order of
  /// spectral_index(). They may be the same; otherwise `in` is not changed.
  void solve(const T* in, T* out, const core::Stream& stream);

  /// The tables that a moving mesh changes: inverse squares of lengths along x, y, z and z.
  core::DeviceBuffer<T> lambda_x, lambda_y, low, high;

 private:
  using Complex = std::complex<T>;
  std::size_t points_;
  fft::GpuRealPlan<T> plan_;
  core::DeviceBuffer<T> spectrum_, work_, twiddles_x_, twiddles_y_;
  Lines<T> lines_;
};

extern template class Direct<float>;
extern template class Direct<double>;

}  // namespace speedwell::incompressible_flow::gpu
