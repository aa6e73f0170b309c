// CpuSolver: a blast wave in a periodic box, by an implicit compressible Navier-Stokes solver on all cores.
//   Problem problem{.extents = {65, 65, 64}};  State state = blast(problem);
//   CpuSolver solver(problem);  solver.set(state);  History h = solver.run(problem.steps);  solver.get(state);
#pragma once

#include "speedwell/apps/blast_wave/problem.hpp"
#include "speedwell/core/pimpl.hpp"

namespace speedwell::blast_wave {

/// How products obtain the blocks: computed from the state in every product, or stored once per step (1400 bytes per
/// point, which every product reads from memory).
enum class Products { matrix_free, stored };

/// Solves on all cores, in tiles of 32 points.
class CpuSolver {
 public:
  /// `threads`: 0 is OpenMP's default. Throws std::invalid_argument for a problem that is not valid, std::bad_alloc.
  explicit CpuSolver(const Problem& problem, int threads = 0, Products products = Products::matrix_free);

  /// Throws as require_admissible().
  void set(const State& state);
  void get(State& state) const;
  /// Takes `steps` time steps, or as many as succeed; after a failure the state is that before the failed step. The
  /// result has the same bits for every number of threads.
  History run(int steps);
  /// Seconds of the last run() for the blocks (or the dissipation strengths of faces), the right-hand side and
  /// BiCGSTAB.
  struct Parts {
    double blocks = 0, right_hand_side = 0, bicgstab = 0;
  };
  Parts seconds() const;

  /// y = A x with the blocks of the last step; the five variables are 'stride' apart. For tests and timings.
  void multiply(const double* x, double* y) const;
  std::size_t stride() const;

  static double host_bytes(const Extents& extents, Products products = Products::matrix_free);

 private:
  struct Data;
  core::Pimpl<Data> data_;
};

}  // namespace speedwell::blast_wave
