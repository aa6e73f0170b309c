// Conjugate gradients for the 7-point operator: the public interface on the host. gpu_stencil.hpp has that of the GPU.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "speedwell/apps/stencil/operator.hpp"
#include "speedwell/numerics/krylov/conjugate_gradients.hpp"
#include "speedwell/numerics/krylov/preconditioner.hpp"

namespace speedwell::stencil {

using krylov::CgOutcome;
using krylov::CgResult;
using krylov::Preconditioner;

struct CgOptions {
  Preconditioner preconditioner = Preconditioner::none;
  double omega = 0.8;        // of the polynomial, 0 to 1; 1 is singular on periodic boxes of even extents
  double tolerance = 1e-10;  // relative residual tolerance ||r|| / ||b||
  int iterations = 100'000;  // maximum number of iterations
  /// For a singular A whose null space is the constants (face-metric and face-coefficient forms with sigma = 0 and a
  /// boundary other than zero): solve for b minus its mean, and return x with mean 0. Otherwise such a system is
  /// rejected unless the mean of b is 0 to rounding.
  bool project_mean = false;
  int threads = 0;  // host threads; 0: the OpenMP default
  /// On the host without a preconditioner: true recomputes products instead of storing them, in two passes over memory
  /// per iteration; false uses the textbook order in three.
  bool two_passes = true;
};

/// Conjugate gradients on the host with work vectors that are allocated once in large pages and first touched by the
/// threads.
template <class T>
class CgSolver {
 public:
  CgSolver();
  /// Allocates work vectors for `grid`, the preconditioner and the threads of `options`. Throws std::invalid_argument
  /// for threads < 0.
  CgSolver(const Grid& grid, const CgOptions& options);
  CgSolver(CgSolver&&) noexcept;
  CgSolver& operator=(CgSolver&&) noexcept;
  ~CgSolver();

  /// As the function solve() below.
  CgResult solve(const Operator<T>& a, std::span<const T> b, std::span<T> x);

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

/// Solves A x = b from the initial guess in x. The bits do not depend on the number of threads. Throws
/// std::invalid_argument for the nonsymmetric forms (E and G), a coefficient that is negative or not finite, a
/// non-positive diagonal if the preconditioner needs it, omega outside [0, 1], sizes that differ, and an incompatible
/// singular system.
template <class T>
CgResult solve(const Operator<T>& a, std::span<const T> b, std::span<T> x, const CgOptions& options = {});

/// Solves A x = b to double precision with iterations in single precision: r = b - A x in double, A d = r / ||r|| in
/// single precision to mixed_inner_tolerance, x += ||r|| d, until ||r|| <= tolerance ||b|| (iterative refinement:
/// Wilkinson 1963; Higham 2002, ch. 12). `iterations` of the result counts those in single precision. The outcome is
/// iteration_limit also if a correction leaves more than half of r.
CgResult solve_mixed(const Operator<double>& a, std::span<const double> b, std::span<double> x,
                     const CgOptions& options = {});
inline constexpr double mixed_inner_tolerance = 1e-4;

/// The checks that solve() makes of A, including its coefficients, and the options.
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
