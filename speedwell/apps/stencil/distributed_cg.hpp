// DistributedCg: conjugate gradients for a DistributedOperator. Each iteration exchanges one halo, behind the cells
// that do not read it, and adds two sums over the ranks:
//   p = r + beta p on the cells that neighbours need; their exchange starts; p and p . A p on the interior, plane by
//   plane while p is in the cache; the exchange ends; p . A p on the rim; x += alpha p, r -= alpha A p, r . r
// A p is computed twice and never stored: 64 bytes a cell and iteration in f64, as TwoPasses on one process.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "speedwell/apps/stencil/cg.hpp"
#include "speedwell/apps/stencil/distributed.hpp"

namespace speedwell::stencil {

template <class T>
class DistributedCg {
 public:
  /// Work vectors and preconditioner of options; threads, two_passes and project_mean are not used. `a` must outlive
  /// the object and satisfy require_solvable(), which is checked where the whole operator is; it must not be singular.
  /// Throws std::invalid_argument for omega outside [0, 1] and a negative or undefined tolerance.
  DistributedCg(DistributedOperator<T>& a, const CgOptions& options);

  /// Collective. Takes the coefficients of `a` as they are: to be called after each DistributedOperator::set(). Throws
  /// std::invalid_argument if the preconditioner needs a diagonal that is not positive.
  void prepare();
  /// Collective. Solves A x = b from the initial guess in x; fields of `a`. The result is the same on every rank, and
  /// its bits at every call with as many ranks.
  CgResult solve(std::span<const T> b, std::span<T> x);

 private:
  double precondition();

  DistributedOperator<T>& a_;
  CgOptions options_;
  core::HostBuffer<T> r_, p_, z_, q_, scaled_, inverse_;
};

}  // namespace speedwell::stencil
