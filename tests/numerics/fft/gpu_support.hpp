// Arrays for the GPU's tests: up, transformed, down. Included where there is CUDA.
#pragma once

#include <complex>
#include <vector>

#include "speedwell/numerics/fft/gpu_fft.hpp"
#include "tests/numerics/fft/plan_cases.hpp"

namespace speedwell::fft {

template <class T>
std::vector<T> download(const core::DeviceBuffer<T>& x, const core::Stream& stream) {
  std::vector<T> values(x.size());
  core::copy_async(values.data(), x.data(), x.size(), stream);
  stream.synchronize();
  return values;
}
template <class T>
core::DeviceBuffer<T> upload(const std::vector<T>& values, const core::Stream& stream) {
  core::DeviceBuffer<T> x(values.size());
  core::copy_async(x.data(), values.data(), values.size(), stream);
  stream.synchronize();
  return x;
}
/// Elements that are NaN until they are written.
template <class T>
core::DeviceBuffer<T> poisoned(std::int64_t size, const core::Stream& stream) {
  core::DeviceBuffer<T> x(static_cast<std::size_t>(size));
  core::fill_bytes_async(x, 0xff, stream);
  return x;
}

template <class T>
std::vector<std::complex<T>> on_gpu(GpuPlan<T>& plan, Direction direction, const std::vector<std::complex<T>>& in,
                                    const core::Stream& stream) {
  const auto x = upload(in, stream);
  auto out = poisoned<std::complex<T>>(plan.points(), stream);
  plan.transform(direction, x.span(), out.span(), stream);
  return download(out, stream);
}
template <class T>
std::vector<std::complex<T>> on_gpu_in_place(GpuPlan<T>& plan, Direction direction,
                                             const std::vector<std::complex<T>>& in, const core::Stream& stream) {
  auto x = upload(in, stream);
  plan.transform(direction, x.span(), x.span(), stream);
  return download(x, stream);
}

}  // namespace speedwell::fft
