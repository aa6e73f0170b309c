// Steps on a GPU, for the tests of the solver there.
#pragma once

#include "speedwell/apps/incompressible_flow/gpu_solver.hpp"
#include "tests/apps/incompressible_flow/stirred.hpp"

namespace speedwell::incompressible_flow {

inline constexpr double dt = 0.01;

template <class T>
State<T> advanced(const Problem& p, const Options& o, const State<double>& from, int steps) {
  const core::Stream stream;
  GpuSolver<T> solver(p, o);
  solver.upload(converted<T>(from), stream);
  solver.run(dt, steps, stream);
  State<T> end(p.extents());
  solver.download(end, stream);
  return end;
}

/// The solver of the host and that of a GPU, which begin with the same state and take the same steps.
struct HostAndGpu {
  HostAndGpu(const Problem& p, const Options& options) : host(p, options), gpu(p, options) {
    const State<double> begin = beginning(p);
    host.set(begin);
    gpu.upload(begin, stream);
  }
  void run(int steps) {
    for (int s = 0; s < steps; ++s) host.step(dt);
    gpu.run(dt, steps, stream);
  }

  core::Stream stream;
  Solver<double> host;
  GpuSolver<double> gpu;
};

}  // namespace speedwell::incompressible_flow
