// Interface of a lattice on the host, independent of the form in which it stores its sites.
#pragma once

#include <memory>

#include "speedwell/apps/binary_fluid/binary_fluid.hpp"

namespace speedwell::binary_fluid {

class CpuSolver::Lattice {
 public:
  virtual ~Lattice() = default;
  virtual void set(const State& state) = 0;
  virtual void run(int steps) = 0;
  virtual void get(State& state) const = 0;
};

/// The problem must be one for which unsupported_reason(Method::moments, problem) is empty.
std::unique_ptr<CpuSolver::Lattice> lattice_of_moments(const Problem& problem, Precision precision, int threads,
                                                       core::Isa isa);

}  // namespace speedwell::binary_fluid
