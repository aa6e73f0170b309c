// The two tones in a signal of 1000 samples: bins 50 and 120.
#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <vector>

#include "speedwell/numerics/fft/fft.hpp"

int main() {
  constexpr int samples = 1000;
  std::vector<double> signal(samples);
  for (int i = 0; i < samples; ++i) {
    const double t = 2 * std::numbers::pi * i / samples;
    signal[i] = std::cos(50 * t) + 0.5 * std::sin(120 * t);
  }
  speedwell::fft::RealPlan<double> plan({.extents = {samples}});
  std::vector<std::complex<double>> bins(plan.spectrum_points());
  plan.forward(signal, bins);
  for (std::size_t k = 0; k < bins.size(); ++k)
    if (std::abs(bins[k]) > 1) std::printf("bin %zu: amplitude %g\n", k, 2 * std::abs(bins[k]) / samples);
}
