// examples/magnetic_force.cpp on fields in device memory: (curl b) x b as one kernel.
#include <cmath>
#include <cstdio>
#include <vector>

#include "speedwell/apps/vector_calculus/gpu_vector_calculus.hpp"

int main() {
  using namespace speedwell::vector_calculus;
  if (!speedwell::core::have_device()) {
    std::printf("no GPU\n");
    return 77;
  }
  const std::int64_t n = 32;
  const double h = 2 * std::acos(-1.0) / n;
  const Grid grid{n, n, n, h, h, h};
  std::vector<double> values(3 * n * n * n);  // one component behind the other
  for (std::int64_t p = 0; p < n * n * n; ++p) {
    const double x = h * (p % n), y = h * (p / n % n), z = h * (p / (n * n));
    values[p] = std::sin(z) + std::cos(y);
    values[n * n * n + p] = std::sin(x) + std::cos(z);
    values[2 * n * n * n + p] = std::sin(y) + std::cos(x);
  }
  const speedwell::core::Stream stream;
  GpuVectorField<double> b(grid), force(grid);
  b.upload(values, stream);
  assign(force, cross(curl(b), b), stream);
  force.download(values, stream);
  stream.synchronize();
  double largest = 0;
  for (const double v : values) largest = std::fmax(largest, std::abs(v));
  std::printf("force %s\n", largest < 1e-13 ? "none" : "not 0");
  return largest < 1e-13 ? 0 : 1;
}
