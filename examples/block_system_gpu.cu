// examples/block_system.cpp on a GPU: BiCGSTAB on a matrix of 5x5 blocks, against that of the host.
#include <cmath>
#include <cstdio>
#include <vector>

#include "speedwell/apps/blast_wave/gpu_blocks7.hpp"
#include "speedwell/numerics/krylov/bicgstab.hpp"
#include "speedwell/numerics/krylov/gpu_bicgstab.hpp"

int main() {
  using namespace speedwell;
  if (!core::have_device()) {
    std::printf("no GPU\n");
    return 77;
  }
  blast_wave::Blocks7 a({20, 16, 12});
  for (std::int64_t point = 0; point < a.extents().points(); ++point)
    for (int row = 0; row < 5; ++row)
      for (int neighbour = 0; neighbour < 7; ++neighbour)
        a.entry(point, static_cast<blast_wave::Neighbour>(neighbour), row, row) = neighbour == 0 ? 8 : -1;
  std::vector<double> b(a.vector_size()), x(b.size()), expected(b.size());
  for (std::size_t i = 0; i < b.size(); ++i)
    b[i] = i % a.stride() < std::size_t(a.extents().points()) ? std::sin(i) : 0;
  const core::Stream stream;
  const blast_wave::GpuBlocks7 on_gpu(a, stream);
  core::DeviceBuffer<double> db(b.size()), dx(b.size());
  core::copy_async(db.data(), static_cast<const double*>(b.data()), b.size(), stream);
  core::fill_bytes_async(dx, 0, stream);  // the initial guess
  krylov::GpuBicgstab solver(static_cast<std::int64_t>(b.size()), {.tolerance = 1e-13});
  const auto product = [&](const double* v, double* y, const core::Stream& s) { on_gpu.multiply(v, y, s); };
  const auto result = solver.solve(product, db.data(), dx.data(), stream);
  core::copy_async(x.data(), static_cast<const double*>(dx.data()), x.size(), stream);
  stream.synchronize();
  krylov::bicgstab([&](auto v, auto y) { a.multiply(v, y); }, b, expected, {.tolerance = 1e-13});
  double error = 0;
  for (std::size_t i = 0; i < x.size(); ++i) error = std::fmax(error, std::abs(x[i] - expected[i]));
  std::printf("%s, differences from the host %s\n", to_string(result.outcome),
              error < 1e-9 ? "below 1e-9" : "above 1e-9");
  return error < 1e-9 ? 0 : 1;
}
