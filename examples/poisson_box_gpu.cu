// examples/poisson_box.cpp on a GPU: conjugate gradients in device memory, and the solution against that of the host.
#include <cmath>
#include <cstdio>
#include <vector>

#include "speedwell/apps/stencil/gpu_stencil.hpp"
#include "speedwell/apps/stencil/stencil.hpp"

int main() {
  using namespace speedwell::stencil;
  namespace core = speedwell::core;
  if (!core::have_device()) {
    std::printf("no GPU\n");
    return 77;
  }
  const std::int64_t n = 32;
  const double h = 1.0 / (n + 1);
  const UnitLaplacian<double> laplacian({n, n, n});  // 6 on the diagonal, -1 for each neighbour
  const CgOptions options = {.preconditioner = Preconditioner::polynomial, .tolerance = 1e-10};
  const std::vector<double> b(n * n * n, h * h);
  std::vector<double> x(b.size()), expected(b.size());
  const core::Stream stream;
  core::DeviceBuffer<double> b_on_gpu(b.size()), x_on_gpu(b.size());
  core::copy_async(b_on_gpu.data(), b.data(), b.size(), stream);
  core::fill_bytes_async(x_on_gpu, 0, stream);  // the initial guess
  GpuCg<double> cg(laplacian.op(), options, stream);
  cg.run(b_on_gpu.data(), x_on_gpu.data(), stream);
  const CgResult result = cg.result(stream);
  core::copy_async(x.data(), static_cast<const double*>(x_on_gpu.data()), x.size(), stream);
  stream.synchronize();
  solve<double>(laplacian.op(), b, expected, options);
  double largest = 0;
  for (std::size_t c = 0; c < x.size(); ++c) largest = std::fmax(largest, std::abs(x[c] - expected[c]));
  std::printf("%d iterations, %s; x in the middle: %.6f, differences from the host %s\n", result.iterations,
              speedwell::krylov::to_string(result.outcome), x[laplacian.op().grid.cell(n / 2, n / 2, n / 2)],
              largest < 1e-9 ? "below 1e-9" : "above 1e-9");
  return result.outcome == CgOutcome::converged && largest < 1e-9 ? 0 : 1;
}
