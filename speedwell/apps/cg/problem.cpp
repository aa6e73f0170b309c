#include "speedwell/apps/cg/problem.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <stdexcept>
#include <utility>

#include "speedwell/apps/stencil/assemble.hpp"
#include "speedwell/core/random.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/io/matrix_market.hpp"
#include "speedwell/io/sparse_matrix.hpp"

namespace speedwell::cg {
namespace {

constexpr const char* advice = "conjugate gradients solve with symmetric positive definite matrices alone";

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("cg: " + what); }

}  // namespace

void require_problem(const Problem& problem, std::size_t word) {
  const double tolerance = problem.options.tolerance, reached = word == sizeof(float) ? 1e-5 : 1e-13;
  if (tolerance == 0 && problem.is_assembled())
    refuse("matrix=" + problem.matrix + " solves to a tolerance above 0, such as tolerance=1e-8");
  if (tolerance != 0 && tolerance < reached)
    refuse(fmt::format("tolerance={} is below what {} reaches; at least {}, or 0 for `iterations` iterations",
                       tolerance, word == sizeof(float) ? "f32" : "f64", reached));
  if (problem.options.preconditioner == stencil::Preconditioner::polynomial && problem.is_assembled())
    refuse("preconditioner=polynomial is that of 7-point operators; none and jacobi are for any matrix");
  if (!problem.is_file()) stencil::require_grid(problem.grid, stencil::Form::constant, stencil::Boundary::zero);
}

template <class T>
System<T>::System(const Problem& problem) {
  if (!problem.is_assembled()) {
    operator_.emplace(problem.grid, stencil::Boundary::zero);
    stencil::Fields<T> fields({.form = stencil::Form::constant,
                               .boundary = stencil::Boundary::zero,
                               .grid = problem.grid,
                               .values = problem.values,
                               .seed = problem.seed});
    b_ = std::move(fields.x());
    return;
  }
  matrix_ = problem.is_file() ? io::to_csr<T>(io::read_matrix_market(problem.matrix).matrix)
                              : stencil::assemble_27_point<T>(problem.grid);
  if (const std::string reason = krylov::unfit_for_cg(matrix_); !reason.empty())
    throw io::InputError("input.mtx.cg", problem.matrix, 0, 0, reason, advice);
  b_ = core::HostBuffer<T>(static_cast<std::size_t>(matrix_.columns));
  for (std::size_t i = 0; i < b_.size(); ++i) b_[i] = static_cast<T>(2 * core::random_uniform(problem.seed, i) - 1);
}

krylov::SparseCgOptions matrix_options(const stencil::CgOptions& options) {
  return {.preconditioner = options.preconditioner,
          .tolerance = options.tolerance,
          .iterations = options.iterations,
          .threads = options.threads};
}

void require_definite(const Problem& problem, const stencil::CgResult& result) {
  if (result.outcome == stencil::CgOutcome::not_positive && problem.is_assembled())
    throw io::InputError("input.mtx.cg", problem.matrix, 0, 0,
                         fmt::format("the matrix is not positive definite: p.Ap <= 0 after {}, at a residual of {:.4g}",
                                     core::counted(result.iterations, "iteration"), result.residual),
                         advice);
}

template class System<float>;
template class System<double>;

}  // namespace speedwell::cg
