#include "speedwell/numerics/fft/gpu/kernels/plane_sweep.hpp"
#include "speedwell/numerics/fft/ranks/sends.hpp"

namespace speedwell::fft::gpu {

template <class T>
void send_planes(const Planes<T>& planes, const Complex<T>* in, T sign, Complex<T>* rows, const DividedRows<T>& out,
                 std::uint32_t* counters, const core::Stream& stream) {
  std::uint32_t* const counters_of_sends = counters + plane_counters(planes.planes);
  const auto tiles = static_cast<std::uint32_t>(detail::column_tasks(planes));
  detail::sweep_planes(planes, in, sign, rows, ToDividedRows<T>{out}, counters, stream,
                       sends_of(out, tiles, counters_of_sends));
}

template void send_planes(const Planes<float>&, const Complex<float>*, float, Complex<float>*,
                          const DividedRows<float>&, std::uint32_t*, const core::Stream&);
template void send_planes(const Planes<double>&, const Complex<double>*, double, Complex<double>*,
                          const DividedRows<double>&, std::uint32_t*, const core::Stream&);

}  // namespace speedwell::fft::gpu
