// examples/power_spectrum.cpp on a GPU: the spectrum of a signal of 1000 samples, compared with that of the host.
#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <utility>
#include <vector>

#include "speedwell/numerics/fft/gpu_fft.hpp"

int main() {
  namespace core = speedwell::core;
  if (!core::have_device()) {
    std::printf("no GPU\n");
    return 77;
  }
  constexpr int samples = 1000;
  std::vector<double> signal(samples);
  for (int i = 0; i < samples; ++i) {
    const double t = 2 * std::numbers::pi * i / samples;
    signal[i] = std::cos(50 * t) + 0.5 * std::sin(120 * t);
  }
  const core::Stream stream;
  speedwell::fft::GpuRealPlan<double> plan({.extents = {samples}});
  std::vector<std::complex<double>> bins(plan.spectrum_points()), expected(bins.size());
  core::DeviceBuffer<double> signal_on_gpu(samples);
  core::DeviceBuffer<std::complex<double>> bins_on_gpu(bins.size());
  core::copy_async(signal_on_gpu.data(), static_cast<const double*>(signal.data()), signal.size(), stream);
  plan.forward(std::as_const(signal_on_gpu).span(), bins_on_gpu.span(), stream);
  core::copy_async(bins.data(), std::as_const(bins_on_gpu).data(), bins.size(), stream);
  stream.synchronize();
  speedwell::fft::RealPlan<double>({.extents = {samples}}).forward(signal, expected);
  double largest = 0;
  for (std::size_t k = 0; k < bins.size(); ++k) largest = std::fmax(largest, std::abs(bins[k] - expected[k]));
  std::printf("bin 120: amplitude %.6f, differences from the host %s\n", 2 * std::abs(bins[120]) / samples,
              largest < 1e-10 ? "below 1e-10" : "above 1e-10");
  return largest < 1e-10 ? 0 : 1;
}
