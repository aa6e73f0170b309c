// examples/heat_checksums.cpp on a GPU: checksums of six time steps of FT, compared with those of the host.
#include <algorithm>
#include <complex>
#include <cstdio>

#include "speedwell/apps/npb/ft/ft.hpp"
#include "speedwell/apps/npb/ft/gpu_fused_solver.hpp"

int main() {
  namespace ft = speedwell::npb::ft;
  if (!speedwell::core::have_device()) {
    std::printf("no GPU\n");
    return 77;
  }
  const ft::Problem problem = {.nx = 64, .ny = 64, .nz = 64, .iterations = 6};
  const speedwell::core::Stream stream;
  ft::FusedGpuSolver solver(problem);
  solver.run(stream);
  stream.synchronize();
  const ft::Checksums got = solver.result(), expected = ft::Solver(problem).run();
  double error = 0;
  for (std::size_t t = 0; t < got.size(); ++t) {
    std::printf("%zu: %.12e %.12e\n", t + 1, got[t].real(), got[t].imag());
    error = std::max(error, std::abs(got[t] / expected[t] - 1.0));
  }
  std::printf("differences from the host %s\n", error < 1e-12 ? "below 1e-12" : "above 1e-12");  // NPB's bound
  return error < 1e-12 ? 0 : 1;
}
