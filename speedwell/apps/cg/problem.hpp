// The system of a problem: the classical model problem, or a symmetric positive definite matrix.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "speedwell/apps/stencil/cg.hpp"
#include "speedwell/apps/stencil/fields.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/numerics/krylov/sparse_cg.hpp"
#include "speedwell/numerics/sparse/sparse.hpp"

namespace speedwell::cg {

struct Problem {
  /// "7-point": 6 on the diagonal, -1 for each neighbour and zero ghost cells, matrix-free. "27-point": 26 and -1,
  /// assembled. Otherwise the path of a Matrix Market file.
  std::string matrix = "7-point";
  stencil::Grid grid;                                // unless a file
  stencil::Values values = stencil::Values::dyadic;  // of b for 7-point; that of other problems is random
  std::uint64_t seed = 1;
  /// tolerance 0: options.iterations iterations, whatever residual they reach.
  stencil::CgOptions options;

  bool is_assembled() const { return matrix != "7-point"; }
  bool is_file() const { return is_assembled() && matrix != "27-point"; }
};

/// Throws std::invalid_argument for what cannot go together: as stencil::require_grid(); a matrix without a tolerance
/// or with the polynomial preconditioner; a tolerance that the precision of `word` bytes does not reach.
void require_problem(const Problem& problem, std::size_t word);

/// A x = b.
template <class T>
class System {
 public:
  /// Throws io::InputError for a matrix file that cannot be read, or that conjugate gradients cannot solve with.
  explicit System(const Problem& problem);

  /// Unless the problem is assembled.
  const stencil::Operator<T>& op() const { return operator_->op(); }
  const sparse::Csr<T>& matrix() const { return matrix_; }
  std::span<const T> b() const { return b_.span(); }

 private:
  std::optional<stencil::UnitLaplacian<T>> operator_;
  sparse::Csr<T> matrix_;
  core::HostBuffer<T> b_;
};

/// The options of an assembled problem for speedwell::krylov.
krylov::SparseCgOptions matrix_options(const stencil::CgOptions& options);

/// Throws io::InputError if the matrix of a problem has turned out to be indefinite.
void require_definite(const Problem& problem, const stencil::CgResult& result);

}  // namespace speedwell::cg
