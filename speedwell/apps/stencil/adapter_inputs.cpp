// The inputs of a problem, and which verdict judges its result.
#include <fmt/format.h>

#include <cmath>

#include "speedwell/apps/stencil/adapter_case.hpp"
#include "speedwell/core/random.hpp"
#include "speedwell/io/matrix_market.hpp"

namespace speedwell::stencil {

template <class T>
Inputs<T>::Inputs(const Spec& spec) : spec_(spec) {
  const bool file = spec.matrix != "7-point" && spec.matrix != "27-point";
  const bool from_cells = !spec.assembled() || spec.matrix == "7-point";
  if (from_cells) fields_.emplace(spec.problem);
  if (spec.kernel == Kernel::cg && !spec.assembled()) unit_.emplace(spec.problem.grid, spec.problem.boundary);
  if (!spec.assembled()) return;
  if (from_cells) {
    matrix_ = assemble(fields_->op());
    return;
  }
  matrix_ = file ? from_file<T>(io::read_matrix_market(spec.matrix).matrix) : assemble_27_point<T>(spec.problem.grid);
  if (spec.kernel == Kernel::cg)
    if (const std::string reason = unfit_for_cg(matrix_); !reason.empty())
      throw io::InputError("input.mtx.cg", spec.matrix, 0, 0, reason,
                           "conjugate gradients solve with symmetric positive definite matrices alone");
  vector_.resize(static_cast<std::size_t>(matrix_.columns));
  for (std::size_t i = 0; i < vector_.size(); ++i)
    vector_[i] = static_cast<T>(2 * core::random_uniform(spec.problem.seed, i) - 1);
}

template <class T>
core::Verdict Inputs<T>::judge(std::span<const T> y, const CgResult& cg) const {
  const double tolerance = spec_.cg.tolerance;
  std::call_once(asked_, [this, tolerance] {
    if (spec_.kernel == Kernel::jacobi) swept_ = reference_sweeps(op(), x().data(), spec_.steps);
    if (spec_.kernel == Kernel::cg && tolerance == 0)
      solved_ = reference_cg(op(), x().data(), spec_.steps, 0, spec_.cg.preconditioner != Preconditioner::none,
                             spec_.cg.preconditioner == Preconditioner::polynomial ? spec_.cg.omega : 0);
  });
  switch (spec_.kernel) {
    case Kernel::product:
      return verify_product<T>(*fields_, y);
    case Kernel::jacobi:
      return verify_sweeps<T>(*fields_, spec_.steps, swept_, y);
    case Kernel::spmv:
      return verify_sparse<T>(matrix_, x(), fields_ && spec_.problem.values == Values::dyadic, y);
    case Kernel::cg:
      if (spec_.assembled()) return verify_solution<T>(matrix_, x(), tolerance, cg, y);
      return tolerance > 0 ? verify_solution<T>(op(), x(), tolerance, cg, y) : verify_cg<T>(op(), x(), solved_, cg, y);
    case Kernel::sum:
      break;
  }
  throw std::logic_error("stencil: a sum is judged by judge_sum");
}

template <class T>
core::Verdict Inputs<T>::judge_sum(double sum, SumOrder order, SumErrors& errors) const {
  std::call_once(asked_, [this] {
    const auto n = static_cast<std::int64_t>(x().size());
    sum_ = reference_sum_of_squares(x().data(), n);
    running_ = static_cast<double>(std::abs(static_cast<long double>(reference_running_sum(x().data(), n)) - sum_) /
                                   (sum_ > 0 ? sum_ : 1));
  });
  const core::Verdict verdict = verify_sum<T>(spec_.problem.grid, spec_.problem.values, order, sum_, sum);
  errors = {verdict.error, running_};
  return verdict;
}

std::vector<std::pair<std::string, std::string>> cg_choices(const CgResult& result) {
  return {{"iterations", std::to_string(result.iterations)}, {"residual", fmt::format("{:.4g}", result.residual)}};
}

std::vector<std::pair<std::string, std::string>> sum_choices(const SumErrors& errors) {
  return {{"relative_error", fmt::format("{:.3e}", errors.staged)},
          {"running_sum_error", fmt::format("{:.3e}", errors.running)}};
}

void require_definite(const Spec& spec, const CgResult& result) {
  if (result.outcome == CgOutcome::not_positive && spec.assembled())
    throw io::InputError(
        "input.mtx.cg", spec.matrix, 0, 0,
        fmt::format("the matrix is not positive definite: p.Ap <= 0 after {} iterations, at a residual of {:.4g}",
                    result.iterations, result.residual),
        "conjugate gradients solve with symmetric positive definite matrices alone");
}

template class Inputs<float>;
template class Inputs<double>;

}  // namespace speedwell::stencil
