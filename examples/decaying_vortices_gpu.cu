// examples/decaying_vortices.cpp on a GPU: the velocity after 20 steps against that of the solver on all cores.
#include <cmath>
#include <cstdio>
#include <numbers>

#include "speedwell/apps/incompressible_flow/gpu_solver.hpp"
#include "speedwell/apps/incompressible_flow/initial.hpp"
#include "speedwell/apps/incompressible_flow/mesh/mesh.hpp"

namespace flow = speedwell::incompressible_flow;

int main() {
  if (!speedwell::core::have_device()) {
    std::printf("no GPU\n");
    return 77;
  }
  flow::Problem problem;
  problem.viscosity = 0.1;
  for (auto& faces : problem.faces) faces = flow::uniform_faces(32, 2 * std::numbers::pi);
  flow::State<double> state(problem.extents()), expected(problem.extents());
  flow::add_taylor_green_2d(problem, state);
  flow::Solver<double> host(problem);
  host.set(state);
  const speedwell::core::Stream stream;
  flow::GpuSolver<double> solver(problem);
  solver.upload(state, stream);
  solver.run(0.05, 20, stream);
  solver.download(state, stream);
  for (int step = 0; step < 20; ++step) host.step(0.05);
  host.get(expected);
  double energy = 0, largest = 0;
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t n = 0; n < state.velocity[c].size(); ++n) {
      energy += std::pow(state.velocity[c][n], 2) / 2 / static_cast<double>(problem.extents().cells());
      largest = std::fmax(largest, std::abs(state.velocity[c][n] - expected.velocity[c][n]));
    }
  std::printf("t %.2f: energy %.6f, differences from the host %s\n", state.time, energy,
              largest < 1e-12 ? "below 1e-12" : "above 1e-12");
  return largest < 1e-12 ? 0 : 1;
}
