#include "speedwell/numerics/fft/gpu/kernels/plane_sweep.hpp"

namespace speedwell::fft::gpu {

template <class T>
void transform_planes(const Planes<T>& planes, const Complex<T>* in, Complex<T>* out, T sign_in, T sign_out, T scale,
                      std::uint32_t* counters, const core::Stream& stream) {
  const ToMemory<T, CachePolicy::streaming> store{out, scale, sign_out};
  detail::sweep_planes(planes, in, sign_in, out, store, counters, stream);
}

template void transform_planes(const Planes<float>&, const Complex<float>*, Complex<float>*, float, float, float,
                               std::uint32_t*, const core::Stream&);
template void transform_planes(const Planes<double>&, const Complex<double>*, Complex<double>*, double, double, double,
                               std::uint32_t*, const core::Stream&);

}  // namespace speedwell::fft::gpu
