// A program with a CUDA stream and kernels of its own: a transform of the library is ordered between them on that
// stream, so that nothing waits and no data leaves the device before the result.
#include <cmath>
#include <complex>
#include <cstdio>
#include <utility>
#include <vector>

#include "speedwell/numerics/fft/gpu_fft.hpp"

__global__ void square_wave(double* signal, int samples) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < samples) signal[i] = i % 64 < 32 ? 1 : -1;
}

__global__ void power(const std::complex<double>* bins, double* spectrum, int size) {
  const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const auto* parts = reinterpret_cast<const double2*>(bins);
  if (k < size) spectrum[k] = parts[k].x * parts[k].x + parts[k].y * parts[k].y;
}

int main() {
  namespace core = speedwell::core;
  if (!core::have_device()) {
    std::printf("no GPU\n");
    return 77;
  }
  constexpr int samples = 1024, threads = 256, blocks = samples / threads;
  speedwell::fft::GpuRealPlan<double> plan({.extents = {samples}});
  core::DeviceBuffer<double> signal(samples), spectrum(plan.spectrum_points());
  core::DeviceBuffer<std::complex<double>> bins(plan.spectrum_points());
  std::vector<double> result(spectrum.size());
  const int size = static_cast<int>(result.size());
  cudaStream_t stream = nullptr;
  core::check(cudaStreamCreate(&stream));
  {
    const core::Stream borrowed = core::Stream::borrow(stream);  // a view: the stream remains the program's
    square_wave<<<blocks, threads, 0, stream>>>(signal.data(), samples);
    plan.forward(std::as_const(signal).span(), bins.span(), borrowed);
    power<<<blocks + 1, threads, 0, stream>>>(bins.data(), spectrum.data(), size);
    core::copy_async(result.data(), std::as_const(spectrum).data(), result.size(), borrowed);
  }
  core::check(cudaStreamSynchronize(stream));
  core::check(cudaStreamDestroy(stream));
  // A square wave of 16 periods has the odd multiples of 16; the first has |X| = 2 / sin(pi / 64) for each period.
  const double expected = std::pow(16 * 2 / std::sin(std::acos(-1.0) / 64), 2);
  const bool right = std::abs(result[16] / expected - 1) < 1e-12 && result[15] < 1e-15 * expected;
  std::printf("power of bin 16: %.4e, %s\n", result[16], right ? "as expected" : "wrong");
  return right ? 0 : 1;
}
