// Adapter of spmv for the harness: the workload, the description of the application, and the factories of variants that
// need an optional part.
#pragma once

#include <span>
#include <vector>

#include "speedwell/apps/spmv/problem.hpp"
#include "speedwell/apps/spmv/verify.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::spmv {

template <class T>
class Inputs {
 public:
  using Answer = core::HostBuffer<T>;  // y

  explicit Inputs(const Problem& problem) : problem_(problem), system_(make_system<T>(problem)) {}

  const Problem& problem() const { return problem_; }
  const sparse::Csr<T>& matrix() const { return system_.matrix; }
  std::span<const T> x() const { return system_.x.span(); }
  std::size_t rows() const { return static_cast<std::size_t>(system_.matrix.rows); }

  Answer make_answer() const { return Answer(rows()); }
  std::vector<harness::Output> outputs(Answer& y) const {
    return {{"y", harness::element_type<T>, y.data(), y.size()}};
  }
  core::Verdict verify(const Answer& y) const { return verify_sparse<T>(system_.matrix, x(), system_.exact, y.span()); }

 private:
  Problem problem_;
  System<T> system_;
};
using SpmvWorkload = harness::PrecisionWorkload<Inputs>;

harness::Application application();
/// Factories of the CUDA variants; defined only in builds with CUDA.
std::vector<harness::Binding> cuda_runs();
/// Factories of the cuSPARSE variants; defined only in builds with cuSPARSE.
std::vector<harness::Binding> cusparse_runs();

}  // namespace speedwell::spmv
