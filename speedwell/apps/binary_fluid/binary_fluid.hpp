// CpuSolver: advances a binary fluid on all cores.
//   CpuSolver solver(problem, Precision::f64, threads);
//   solver.set(initial(problem, {}));  solver.run(1000);  solver.get(state);
#pragma once

#include "speedwell/apps/binary_fluid/initial.hpp"
#include "speedwell/apps/binary_fluid/ladder.hpp"
#include "speedwell/apps/binary_fluid/problem.hpp"
#include "speedwell/apps/binary_fluid/statistics.hpp"
#include "speedwell/apps/binary_fluid/verify/verify.hpp"
#include "speedwell/core/pimpl.hpp"
#include "speedwell/core/simd/isa.hpp"

namespace speedwell::binary_fluid {

class CpuSolver {
 public:
  class Lattice;

  /// Allocates all memory, host_bytes(). `method` is moments or in_place; problems that moments cannot represent are
  /// advanced by in_place in either case. Throws std::invalid_argument as require_valid(), for another method and for
  /// an instruction set that the processor lacks, std::bad_alloc.
  CpuSolver(const Problem& problem, Precision precision, int threads, core::Isa isa = core::best_isa(),
            Method method = Method::moments);

  /// Throws std::invalid_argument if the extents of the state are not the problem's.
  void set(const State& state);
  /// Takes `steps` time steps. The result has the same bits for any number of threads and any instruction set.
  void run(int steps);
  /// Overwrites `state`.
  void get(State& state) const;

  static double host_bytes(const Problem& problem, Precision precision);

 private:
  template <class S, class R>
  class LatticeIn;
  core::Pimpl<Lattice> lattice_;
};

}  // namespace speedwell::binary_fluid
