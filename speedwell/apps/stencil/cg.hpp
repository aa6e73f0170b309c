// Conjugate gradients for the 7-point operator: public interface on the host. The GPU's is in gpu_stencil.hpp.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "speedwell/apps/stencil/operator.hpp"
#include "speedwell/numerics/conjugate_gradients.hpp"

namespace speedwell::stencil {

using numerics::CgOutcome;
using numerics::CgResult;

/// M in z = M r, with D the diagonal of A: none: the identity. jacobi: 1/D. polynomial: the study's
/// 1/D + omega 1/D (D - A) 1/D, one term of Neumann's series.
enum class Preconditioner { none, jacobi, polynomial };

struct CgOptions {
  Preconditioner preconditioner = Preconditioner::none;
  double omega = 0.8;        // of the polynomial, 0 to 1; with 1 it is singular on periodic boxes of even extents
  double tolerance = 1e-10;  // stops where ||r|| <= tolerance ||b||
  int iterations = 100'000;  // at most
  /// Where A leaves constants to nothing (L and V with sigma = 0 and no cells that are 0 beyond): solve for b less its
  /// mean, and x with mean 0. Without it such a system is refused unless the mean of b is 0 to rounding.
  bool project_mean = false;
  int threads = 0;  // of the host; 0: OpenMP's default
  /// On the host, without a preconditioner: products computed twice and not stored, two passes over memory an
  /// iteration. False: the textbook's three.
  bool two_passes = true;
};

/// Conjugate gradients on the host with their work vectors, allocated once in large pages that threads touch first.
template <class T>
class CgSolver {
 public:
  CgSolver();
  /// For unknowns on `grid`, with the preconditioner and the threads of `options`. Throws std::invalid_argument for
  /// threads < 0.
  CgSolver(const Grid& grid, const CgOptions& options);
  CgSolver(CgSolver&&) noexcept;
  CgSolver& operator=(CgSolver&&) noexcept;
  ~CgSolver();

  /// solve() below.
  CgResult solve(const Operator<T>& a, std::span<const T> b, std::span<T> x);

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

/// Solves A x = b from the guess in x. The bits do not depend on the number of threads. Throws std::invalid_argument
/// for forms E and G (which are not symmetric), a link that is negative or not finite, a diagonal that is not positive
/// where the preconditioner needs it, omega outside [0, 1], sizes that differ, and an incompatible singular system.
template <class T>
CgResult solve(const Operator<T>& a, std::span<const T> b, std::span<T> x, const CgOptions& options = {});

/// The same answer in double from iterations in float: r = b - A x in double, A d = r / ||r|| in float to
/// mixed_inner_tolerance, x += ||r|| d, until ||r|| <= tolerance ||b|| (iterative refinement: Wilkinson 1963; Higham
/// 2002, ch. 12). `iterations` of the result are those in float; used_up also where a correction leaves more than half
/// of r.
CgResult solve_mixed(const Operator<double>& a, std::span<const double> b, std::span<double> x,
                     const CgOptions& options = {});
inline constexpr double mixed_inner_tolerance = 1e-4;

/// What solve() checks of A and the options. A's coefficients are read.
template <class T>
void require_solvable(const Operator<T>& a, const CgOptions& options);
/// Whether A times a constant is 0.
template <class T>
bool is_singular(const Operator<T>& a);
/// Throws unless the mean of b is 0 to rounding: |sum b| <= 1e-10 sum |b| in f64, 1e-4 in f32.
template <class T>
void require_compatible(std::span<const T> b);
/// 1 / D of every cell.
template <class T>
std::vector<T> inverse_diagonal(const Operator<T>& a);

}  // namespace speedwell::stencil
