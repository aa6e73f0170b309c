// The populations of a CpuSolver on the host, behind an interface that does not depend on how they are stored: as
// populations that are propagated in place, or as moments.
#pragma once

#include <memory>

#include "speedwell/apps/binary_fluid/binary_fluid.hpp"

namespace speedwell::binary_fluid {

class CpuSolver::Lattice {
 public:
  virtual ~Lattice() = default;
  /// Replaces the present state by `state`. Throws std::invalid_argument if its extents are not the problem's.
  virtual void set(const State& state) = 0;
  /// Takes `steps` time steps.
  virtual void run(int steps) = 0;
  /// Overwrites `state` with the present one.
  virtual void get(State& state) const = 0;
};

/// Makes a lattice of Method::moments, which steps from moments to moments. The problem must be one for which
/// unsupported_reason(Method::moments, problem) is empty. `threads` 0: OpenMP's default.
std::unique_ptr<CpuSolver::Lattice> lattice_of_moments(const Problem& problem, Precision precision, int threads,
                                                       core::Isa isa);

}  // namespace speedwell::binary_fluid
