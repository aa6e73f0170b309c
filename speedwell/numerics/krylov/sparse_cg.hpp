// Conjugate gradients on the host with a sparse matrix.
#pragma once

#include <span>
#include <string>

#include "speedwell/numerics/krylov/conjugate_gradients.hpp"
#include "speedwell/numerics/krylov/preconditioner.hpp"
#include "speedwell/numerics/sparse/sparse.hpp"

namespace speedwell::krylov {

/// The reason why conjugate gradients are not applicable to a matrix: not square, not symmetric (with the entries), or
/// a non-positive diagonal; empty if there is none (whether it is positive definite is found out in solving).
template <class T>
std::string unfit_for_cg(const sparse::Csr<T>& a);

struct SparseCgOptions {
  Preconditioner preconditioner = Preconditioner::none;  // or jacobi
  double tolerance = 1e-10;                              // relative residual tolerance ||r|| / ||b||
  int iterations = 100'000;                              // maximum number of iterations
  int threads = 0;                                       // host threads; 0: the OpenMP default
};

/// Solves A x = b from the initial guess in x. Throws std::invalid_argument with the reason of unfit_for_cg(), for the
/// polynomial preconditioner, and for sizes that differ.
template <class T>
CgResult conjugate_gradients(const sparse::Csr<T>& a, std::span<const T> b, std::span<T> x,
                             const SparseCgOptions& options = {});

}  // namespace speedwell::krylov
