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

}  // namespace speedwell::incompressible_flow
