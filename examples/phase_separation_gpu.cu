// A mixture of two fluids that separate, 200 steps on a GPU, and its order parameter against that of the solver on all
// cores.
#include <cmath>
#include <cstdio>

#include "speedwell/apps/binary_fluid/binary_fluid.hpp"
#include "speedwell/apps/binary_fluid/gpu_solver.hpp"

int main() {
  namespace fluid = speedwell::binary_fluid;
  if (!speedwell::core::have_device()) {
    std::printf("no GPU\n");
    return 77;
  }
  fluid::Problem problem;
  problem.extents = {32, 32, 32};
  fluid::State state = fluid::initial(problem, {}), expected = state;
  const speedwell::core::Stream stream;
  fluid::GpuSolver solver(problem, fluid::choose(problem), fluid::Precision::f64);
  solver.upload(state, stream);
  solver.run(200, stream);
  solver.finish(state, stream);
  fluid::CpuSolver host(problem, fluid::Precision::f64, 1);
  host.set(expected);
  host.run(200);
  host.get(expected);
  double error = 0;
  for (std::size_t n = 0; n < state.g.size(); ++n) error = std::fmax(error, std::abs(state.g[n] - expected.g[n]));
  std::printf("step %d: differences from the host %s\n", static_cast<int>(state.step),
              error < 1e-10 ? "below 1e-10" : "above 1e-10");
  return error < 1e-10 ? 0 : 1;
}
