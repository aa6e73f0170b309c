#include "speedwell/numerics/fft/gpu/kernels/plane_sweep.hpp"

namespace speedwell::fft::gpu {
namespace {

bool is_power(std::int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

}  // namespace

template <class T>
bool supports_planes(std::int64_t rows, std::int64_t columns) {
  const auto fits = [](std::int64_t n) {
    return is_power(n) && n >= 1 << detail::min_plane_log && n <= 1 << detail::max_plane_log;
  };
  return fits(rows) && fits(columns) && rows * columns >= column_threads<T> * 16;
}

template <class T>
void transform_planes(const Planes<T>& planes, const Complex<T>* in, Complex<T>* out, T sign_in, T sign_out, T scale,
                      std::uint32_t* counters, const core::Stream& stream) {
  const ToMemory<T, CachePolicy::streaming> store{out, scale, sign_out};
  detail::sweep_planes(planes, in, sign_in, out, store, counters, stream);
}

template bool supports_planes<float>(std::int64_t, std::int64_t);
template bool supports_planes<double>(std::int64_t, std::int64_t);
template void transform_planes(const Planes<float>&, const Complex<float>*, Complex<float>*, float, float, float,
                               std::uint32_t*, const core::Stream&);
template void transform_planes(const Planes<double>&, const Complex<double>*, Complex<double>*, double, double, double,
                               std::uint32_t*, const core::Stream&);

}  // namespace speedwell::fft::gpu
