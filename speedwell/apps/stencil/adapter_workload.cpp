// The inputs of a problem, and the verdict on its answer.
#include "speedwell/apps/stencil/adapter_workload.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

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
auto Inputs<T>::make_answer() const -> Answer {
  return {.y = core::HostBuffer<T>(spec_.kernel == Kernel::sum ? 0 : output_size())};
}

template <class T>
void Inputs<T>::poison(Answer& answer) const {
  std::memset(answer.y.data(), 0xff, answer.y.bytes());  // every element a NaN
  answer.cg = {};
  answer.sum = std::numeric_limits<double>::quiet_NaN();
}

template <class T>
std::vector<harness::Output> Inputs<T>::outputs(Answer& answer) const {
  if (spec_.kernel == Kernel::sum) return {{"sum", harness::ElementType::f64, &answer.sum, 1}};
  harness::Output y{.name = "y", .type = harness::element_type<T>, .data = answer.y.data(), .count = answer.y.size()};
  const Grid& g = spec_.problem.grid;
  if (!spec_.assembled())
    y.extents = {static_cast<std::size_t>(g.nz), static_cast<std::size_t>(g.ny), static_cast<std::size_t>(g.nx)};
  if (spec_.kernel == Kernel::jacobi) y.initial = x().data();  // what sweeps leave out
  return {y};
}

template <class T>
auto Inputs<T>::oracle() const -> const Oracle& {
  return oracle_.get([this] {
    Oracle oracle;
    if (spec_.kernel == Kernel::jacobi) oracle.sweeps = reference_sweeps(op(), x().data(), spec_.steps);
    if (spec_.kernel == Kernel::cg && spec_.cg.tolerance == 0)
      oracle.cg = reference_cg(op(), x().data(), spec_.steps, 0, spec_.cg.preconditioner != Preconditioner::none,
                               spec_.cg.preconditioner == Preconditioner::polynomial ? spec_.cg.omega : 0);
    if (spec_.kernel == Kernel::sum) {
      const auto n = static_cast<std::int64_t>(x().size());
      oracle.sum = reference_sum_of_squares(x().data(), n);
      const auto running = static_cast<long double>(reference_running_sum(x().data(), n));
      oracle.running_sum = static_cast<double>(std::abs(running - oracle.sum) / (oracle.sum > 0 ? oracle.sum : 1));
    }
    return oracle;
  });
}

template <class T>
core::Verdict Inputs<T>::verify(const Answer& answer) const {
  const double tolerance = spec_.cg.tolerance;
  const std::span<const T> y = answer.y.span();
  switch (spec_.kernel) {
    case Kernel::product:
      return verify_product<T>(*fields_, y);
    case Kernel::jacobi:
      return verify_sweeps<T>(*fields_, spec_.steps, oracle().sweeps, y);
    case Kernel::spmv:
      return verify_sparse<T>(matrix_, x(), fields_ && spec_.problem.values == Values::dyadic, y);
    case Kernel::cg:
      if (spec_.assembled()) return verify_solution<T>(matrix_, x(), tolerance, answer.cg, y);
      return tolerance > 0 ? verify_solution<T>(op(), x(), tolerance, answer.cg, y)
                           : verify_cg<T>(op(), x(), oracle().cg, answer.cg, y);
    case Kernel::sum:
      break;
  }
  throw std::logic_error("stencil: the solvers of sums verify them themselves");
}

template <class T>
core::Verdict Inputs<T>::verify_sum(double sum, SumOrder order, SumErrors& errors) const {
  const core::Verdict verdict =
      stencil::verify_sum<T>(spec_.problem.grid, spec_.problem.values, order, oracle().sum, sum);
  errors = {verdict.error, oracle().running_sum};
  return verdict;
}

harness::Choices cg_choices(const CgResult& result) {
  return {{"iterations", std::to_string(result.iterations)}, {"residual", fmt::format("{:.4g}", result.residual)}};
}

harness::Choices sum_choices(const SumErrors& errors) {
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
