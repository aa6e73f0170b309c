// Conjugate gradients on a GPU with a sparse matrix. Included by CUDA sources only.
#pragma once

#include "speedwell/core/cuda.hpp"
#include "speedwell/core/pimpl.hpp"
#include "speedwell/numerics/krylov/sparse_cg.hpp"
#include "speedwell/numerics/sparse/sparse.hpp"

namespace speedwell::krylov {

/// The method of conjugate_gradients() in sparse_cg.hpp with sliced ELL and a device-side loop of three passes per
/// iteration.
template <class T>
class GpuSparseCg {
 public:
  /// Uploads the matrix and allocates four vectors, five with a diagonal. Throws std::invalid_argument with the reason
  /// of unfit_for_cg(), for the polynomial preconditioner, and as require_matrix(); core::DeviceError.
  GpuSparseCg(const sparse::Csr<T>& a, const SparseCgOptions& options, const core::Stream& stream);

  /// Enqueues the solution of A x = b for vectors in device memory; x is the initial guess and is overwritten.
  void run(const T* b, T* x, const core::Stream& stream);
  /// The result of the last run(); synchronises.
  CgResult result(const core::Stream& stream) const;
  /// Whether the host controls the loop, synchronising after a few iterations, instead of a graph with a conditional
  /// node, which compute-sanitizer does not support. The bits are the same.
  void loop_by_host(bool wanted);

 private:
  struct State;
  core::Pimpl<State> state_;
};

}  // namespace speedwell::krylov
