// examples/gaussian_pairs.cpp on a GPU: the counts are those of the host, the sums are to rounding.
#include <cmath>
#include <cstdio>

#include "speedwell/apps/npb/ep/ep.hpp"
#include "speedwell/apps/npb/ep/gpu_solver.hpp"

int main() {
  namespace ep = speedwell::npb::ep;
  if (!speedwell::core::have_device()) {
    std::printf("no GPU\n");
    return 77;
  }
  const ep::Problem problem = {.m = 24};
  const speedwell::core::Stream stream;
  ep::GpuSolver solver(problem);
  solver.upload(stream);
  solver.run(stream);
  stream.synchronize();
  const ep::Result result = solver.result(), expected = ep::tally(problem);
  const double error =
      std::fmax(std::abs(result.sum_x / expected.sum_x - 1), std::abs(result.sum_y / expected.sum_y - 1));
  const bool same = result.counts == expected.counts && error < 1e-8;  // NPB's bound
  std::printf("sums %.9e %.9e of %lld pairs, %s\n", result.sum_x, result.sum_y,
              static_cast<long long>(result.accepted()), same ? "as on the host" : "not as on the host");
  return same ? 0 : 1;
}
