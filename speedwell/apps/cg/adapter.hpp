// Adapter of cg for the harness: the workload, the description of the application, and the factories of the CUDA
// variants.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "speedwell/apps/cg/problem.hpp"
#include "speedwell/apps/cg/verify.hpp"
#include "speedwell/core/lazy.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::cg {

template <class T>
class Inputs {
 public:
  struct Answer {
    core::HostBuffer<T> x;
    stencil::CgResult result;
  };

  /// `whole` is false on all ranks but the first one, which distributes the system and verifies.
  explicit Inputs(const Problem& problem, bool whole = true) : problem_(problem) {
    if (whole) system_.emplace(problem);
  }

  const Problem& problem() const { return problem_; }
  const System<T>& system() const { return *system_; }

  Answer make_answer() const { return {.x = core::HostBuffer<T>(system_->b().size()), .result = {}}; }
  void poison(Answer& answer) const {
    std::memset(answer.x.data(), 0xff, answer.x.bytes());  // every element a NaN
    answer.result = {};
  }
  std::vector<harness::Output> outputs(Answer& answer) const {
    harness::Output x{.name = "x", .type = harness::element_type<T>, .data = answer.x.data(), .count = answer.x.size()};
    const stencil::Grid& g = problem_.grid;
    if (!problem_.is_assembled())
      x.extents = {static_cast<std::size_t>(g.nz), static_cast<std::size_t>(g.ny), static_cast<std::size_t>(g.nx)};
    return {x};
  }
  core::Verdict verify(const Answer& answer) const {
    const double tolerance = problem_.options.tolerance;
    const std::span<const T> b = system_->b(), x = answer.x.span();
    if (problem_.is_assembled()) return verify_solution<T>(system_->matrix(), b, tolerance, answer.result, x);
    if (tolerance > 0) return verify_solution<T>(system_->op(), b, tolerance, answer.result, x);
    const ReferenceCg& expected = oracle_.get([&] {
      const stencil::CgOptions& options = problem_.options;
      return reference_cg(system_->op(), b.data(), options.iterations, 0,
                          options.preconditioner != stencil::Preconditioner::none,
                          options.preconditioner == stencil::Preconditioner::polynomial ? options.omega : 0);
    });
    return verify_cg<T>(system_->op(), b, expected, answer.result, x);
  }

 private:
  Problem problem_;
  std::optional<System<T>> system_;
  core::Lazy<ReferenceCg> oracle_;
};
using CgWorkload = harness::PrecisionWorkload<Inputs>;

inline harness::Choices choices_of(const stencil::CgResult& result) {
  return {{"iterations", std::to_string(result.iterations)}, {"residual", fmt::format("{:.4g}", result.residual)}};
}

harness::Application application();
/// Factories of the CUDA variants; defined only in builds with CUDA.
std::vector<harness::Binding> cuda_runs();
/// Factories of the MPI variants; defined only in builds with MPI.
std::vector<harness::Binding> mpi_runs();
/// Factories of the variants on several GPUs; defined only in builds with CUDA and MPI.
std::vector<harness::Binding> multi_runs();

}  // namespace speedwell::cg
