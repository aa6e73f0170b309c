// The inputs of a problem, and which verdict judges its result.
#include <cmath>

#include "speedwell/apps/stencil/adapter_case.hpp"
#include "speedwell/core/random.hpp"
#include "speedwell/io/matrix_market.hpp"

namespace speedwell::stencil {

template <class T>
Inputs<T>::Inputs(const Spec& spec) : spec_(spec) {
  const bool from_cells = spec.kernel != Kernel::spmv || spec.matrix == "7-point";
  if (from_cells) fields_.emplace(spec.problem);
  if (spec.kernel == Kernel::cg) unit_.emplace(spec.problem.grid, spec.problem.boundary);
  if (spec.kernel != Kernel::spmv) return;
  if (from_cells) {
    matrix_ = assemble(fields_->op());
    return;
  }
  matrix_ = spec.matrix == "27-point" ? assemble_27_point<T>(spec.problem.grid)
                                      : from_file<T>(io::read_matrix_market(spec.matrix).matrix);
  vector_.resize(static_cast<std::size_t>(matrix_.columns));
  for (std::size_t i = 0; i < vector_.size(); ++i)
    vector_[i] = static_cast<T>(2 * core::random_uniform(spec.problem.seed, i) - 1);
}

template <class T>
core::Verdict Inputs<T>::judge(std::span<const T> y, const CgResult& cg) const {
  std::call_once(asked_, [this] {
    if (spec_.kernel == Kernel::jacobi) swept_ = reference_sweeps(op(), x().data(), spec_.steps);
    if (spec_.kernel == Kernel::cg)
      residuals_ = reference_cg(op(), x().data(), spec_.steps, 0, spec_.cg.preconditioner != Preconditioner::none,
                                spec_.cg.preconditioner == Preconditioner::polynomial ? spec_.cg.omega : 0)
                       .residuals;
  });
  switch (spec_.kernel) {
    case Kernel::product:
      return verify_product<T>(*fields_, y);
    case Kernel::jacobi:
      return verify_sweeps<T>(*fields_, spec_.steps, swept_, y);
    case Kernel::spmv:
      return verify_sparse<T>(matrix_, x(), fields_ && spec_.problem.values == Values::dyadic, y);
    case Kernel::cg:
      break;
  }
  return verify_cg<T>(op(), x(), residuals_, cg, y);
}

std::vector<std::pair<std::string, std::string>> cg_choices(const CgResult& result) {
  return {{"iterations", std::to_string(result.iterations)}, {"residual", std::to_string(result.residual)}};
}

template class Inputs<float>;
template class Inputs<double>;

}  // namespace speedwell::stencil
