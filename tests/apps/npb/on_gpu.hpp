// Runs a GPU solver of any kernel once, on memory that was poisoned.
#pragma once

#include "speedwell/core/cuda.hpp"

namespace speedwell::npb {

template <class Solver>
auto run_once(Solver solver) {
  const core::Stream stream;
  solver.allocate();
  solver.upload(stream);
  solver.poison(stream);
  solver.run(stream);
  stream.synchronize();
  return solver.result();
}

}  // namespace speedwell::npb
