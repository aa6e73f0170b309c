#include "speedwell/numerics/fft/gpu/kernels/plane_stores.hpp"
#include "speedwell/numerics/fft/gpu/kernels/plane_sweep.hpp"

namespace speedwell::fft::gpu {

template <class T>
void store_planes_in_planes(const Planes<T>& planes, const Complex<T>* in, T sign, Complex<T>* rows,
                            const ToPlanes<T>& out, std::uint32_t* counters, const core::Stream& stream) {
  detail::sweep_planes(planes, in, sign, rows, out, counters, stream);
}

template void store_planes_in_planes(const Planes<float>&, const Complex<float>*, float, Complex<float>*,
                                     const ToPlanes<float>&, std::uint32_t*, const core::Stream&);
template void store_planes_in_planes(const Planes<double>&, const Complex<double>*, double, Complex<double>*,
                                     const ToPlanes<double>&, std::uint32_t*, const core::Stream&);

}  // namespace speedwell::fft::gpu
