#include "speedwell/apps/incompressible_flow/linear_solvers/approximate_pressure.hpp"

#include <memory>
#include <vector>

#include "speedwell/apps/incompressible_flow/choice.hpp"
#include "speedwell/apps/incompressible_flow/linear_solvers/direct_solver.hpp"
#include "speedwell/apps/incompressible_flow/mesh/metrics.hpp"
#include "speedwell/core/parts.hpp"
#include "speedwell/core/simd/isa.hpp"

namespace speedwell::incompressible_flow {

reference::Approximate approximate_pressure(const Problem& problem) {
  const auto order = direct_order(problem);
  if (!order || !problem.solid.empty()) return {};
  const Problem permuted = with_permuted_axes(problem, *order);
  const AxisOrder axis_order{*order, permuted.extents()};
  const auto solver = std::make_shared<DirectSolver<double>>(permuted, core::resolve_threads(0), core::best_isa());
  return [solver, axis_order](const reference::Cells& rhs, reference::Cells& p) {
    const Extents e = axis_order.extents;
#pragma omp parallel
    {
      std::vector<double> row(static_cast<std::size_t>(e.nx));
#pragma omp for collapse(2)
      for (int k = 0; k < e.nz; ++k)
        for (int j = 0; j < e.ny; ++j) {
          for (int i = 0; i < e.nx; ++i) row[static_cast<std::size_t>(i)] = rhs[axis_order.at(i, j, k)];
          solver->put(j, k, row.data());
        }
    }
    solver->solve();
#pragma omp parallel
    {
      std::vector<double> row(static_cast<std::size_t>(e.nx));
#pragma omp for collapse(2)
      for (int k = 0; k < e.nz; ++k)
        for (int j = 0; j < e.ny; ++j) {
          solver->get(j, k, row.data());
          for (int i = 0; i < e.nx; ++i) p[axis_order.at(i, j, k)] = row[static_cast<std::size_t>(i)];
        }
    }
  };
}

}  // namespace speedwell::incompressible_flow
