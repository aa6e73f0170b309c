// The scalars of conjugate gradients in device memory, and the stopping criterion. Included by CUDA sources only.
#pragma once

#include "speedwell/numerics/krylov/conjugate_gradients.hpp"

namespace speedwell::krylov::device {

struct CgState {
  double bb, limit;  // ||b||^2 and the tolerance of rr
  double rr, rz;
  double alpha, beta;
  int iteration, max_iterations;
  int running;
  int outcome;  // CgOutcome after the last iteration
};

__device__ inline void stop(CgState& s, CgOutcome outcome) {
  s.running = 0;
  s.outcome = static_cast<int>(outcome);
}

// Checks the stopping criteria after the residual has been computed.
__device__ inline void check_convergence(CgState& s) {
  if (!isfinite(s.rr))
    stop(s, CgOutcome::not_finite);
  else if (s.rr <= s.limit)
    stop(s, CgOutcome::converged);
  else if (s.iteration == s.max_iterations)
    stop(s, CgOutcome::iteration_limit);
}

}  // namespace speedwell::krylov::device
