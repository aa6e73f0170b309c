// A binary fluid on all cores: a state goes in, steps are taken, a state comes out.
//   CpuSolver solver(problem, Precision::f64, threads);
//   solver.set(initial(problem, {}));  solver.run(1000);  solver.get(state);
#pragma once

#include <memory>

#include "speedwell/apps/binary_fluid/initial.hpp"
#include "speedwell/apps/binary_fluid/problem.hpp"
#include "speedwell/apps/binary_fluid/statistics.hpp"
#include "speedwell/apps/binary_fluid/verify.hpp"
#include "speedwell/core/isa.hpp"

namespace speedwell::binary_fluid {

class CpuSolver {
 public:
  /// Takes all memory: host_bytes(). Throws std::invalid_argument as require_valid() and for an instruction set that is
  /// not here, std::bad_alloc.
  CpuSolver(const Problem& problem, Precision precision, int threads, core::Isa isa = core::best_isa());
  CpuSolver(CpuSolver&&) noexcept;
  CpuSolver& operator=(CpuSolver&&) noexcept;
  ~CpuSolver();

  /// Throws std::invalid_argument for a state of another size.
  void set(const State& state);
  /// Takes so many steps, in place. The same bits for any number of threads and any instruction set.
  void run(int steps);
  /// Overwrites `state`.
  void get(State& state) const;

  static double host_bytes(const Problem& problem, Precision precision);

 private:
  class Lattice;
  template <class S, class R>
  class LatticeIn;
  std::unique_ptr<Lattice> lattice_;
};

}  // namespace speedwell::binary_fluid
