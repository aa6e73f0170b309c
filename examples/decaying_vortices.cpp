// Vortices that decay in a periodic box: their energy over time against the exact exp(-4 nu t).
#include <cmath>
#include <cstdio>
#include <numbers>

#include "speedwell/apps/incompressible_flow/incompressible_flow.hpp"
#include "speedwell/apps/incompressible_flow/initial.hpp"
#include "speedwell/apps/incompressible_flow/mesh/mesh.hpp"

namespace flow = speedwell::incompressible_flow;

int main() {
  flow::Problem problem;
  problem.viscosity = 0.1;
  for (auto& faces : problem.faces) faces = flow::uniform_faces(32, 2 * std::numbers::pi);
  flow::State<double> state(problem.extents());
  flow::add_taylor_green_2d(problem, state);
  flow::Solver<double> solver(problem);
  solver.set(state);
  std::printf("pressure: %s\n", solver.choice().reason.c_str());
  for (int step = 0; step <= 20; ++step, solver.step(0.05)) {
    if (step % 5 != 0) continue;
    solver.get(state);
    double energy = 0;
    for (const auto& u : state.velocity)
      for (const double x : u) energy += x * x / 2 / static_cast<double>(problem.extents().cells());
    std::printf("t %.2f: energy %.6f, exact %.6f\n", state.time, energy, 0.25 * std::exp(-0.4 * state.time));
  }
}
