// Adapter of stencil for the harness: the workload, the description of the application, and the factories of variants
// that need an optional part.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "speedwell/apps/stencil/stencil.hpp"
#include "speedwell/apps/stencil/verify/reference.hpp"
#include "speedwell/apps/stencil/verify/verify.hpp"
#include "speedwell/core/lazy.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::stencil {

/// product: y = A x of a form. jacobi: `steps` of them with form E0. sum: of the squares of x.
enum class Kernel { product, jacobi, sum };

struct Spec {
  Kernel kernel = Kernel::product;
  Problem problem;
  int steps = 1;
};

/// The relative error of a sum, and that which one running sum in the precision of the data would have.
struct SumErrors {
  double staged = 0, running = 0;
};

template <class T>
class Inputs {
 public:
  struct Answer {
    core::HostBuffer<T> y;  // of products and sweeps
    double sum = 0;
  };

  /// `whole` is false on all ranks but the first one, which distributes the fields and verifies.
  explicit Inputs(const Spec& spec, bool whole = true) : spec_(spec) {
    if (whole) fields_.emplace(spec.problem);
  }

  const Spec& spec() const { return spec_; }
  const Operator<T>& op() const { return fields_->op(); }
  std::span<const T> x() const { return fields_->x().span(); }

  Answer make_answer() const { return {.y = core::HostBuffer<T>(spec_.kernel == Kernel::sum ? 0 : x().size())}; }
  void poison(Answer& answer) const {
    std::memset(answer.y.data(), 0xff, answer.y.bytes());  // every element a NaN
    answer.sum = std::numeric_limits<double>::quiet_NaN();
  }
  std::vector<harness::Output> outputs(Answer& answer) const {
    if (spec_.kernel == Kernel::sum) return {{"sum", harness::ElementType::f64, &answer.sum, 1}};
    const Grid& g = spec_.problem.grid;
    harness::Output y{.name = "y", .type = harness::element_type<T>, .data = answer.y.data(), .count = answer.y.size()};
    y.extents = {static_cast<std::size_t>(g.nz), static_cast<std::size_t>(g.ny), static_cast<std::size_t>(g.nx)};
    if (spec_.kernel == Kernel::jacobi) y.initial = x().data();  // what sweeps leave out
    return {y};
  }
  /// The verdict on any answer; on a sum for the order in which it was added up, with its errors in `errors`.
  core::Verdict verify(const Answer& answer, SumOrder order, SumErrors& errors) const {
    return spec_.kernel == Kernel::sum ? verify_sum(answer.sum, order, errors) : verify(answer);
  }
  /// The verdict on products and sweeps.
  core::Verdict verify(const Answer& answer) const {
    if (spec_.kernel == Kernel::product) return verify_product<T>(*fields_, answer.y.span());
    const auto& expected = sweeps_.get([this] { return reference_sweeps(op(), x().data(), spec_.steps); });
    return verify_sweeps<T>(*fields_, spec_.steps, expected, answer.y.span());
  }
  core::Verdict verify_sum(double sum, SumOrder order, SumErrors& errors) const {
    const ExactSum& exact = sum_.get([this] {
      const auto n = static_cast<std::int64_t>(x().size());
      const long double value = reference_sum_of_squares(x().data(), n);
      const auto running = static_cast<long double>(reference_running_sum(x().data(), n));
      return ExactSum{value, static_cast<double>(std::abs(running - value) / (value > 0 ? value : 1))};
    });
    const core::Verdict verdict =
        stencil::verify_sum<T>(spec_.problem.grid, spec_.problem.values, order, exact.value, sum);
    errors = {verdict.error, exact.running_error};
    return verdict;
  }

 private:
  struct ExactSum {
    long double value = 0;
    double running_error = 0;  // the relative error of one running sum
  };
  Spec spec_;
  std::optional<Fields<T>> fields_;
  core::Lazy<std::vector<T>> sweeps_;
  core::Lazy<ExactSum> sum_;
};
using StencilWorkload = harness::PrecisionWorkload<Inputs>;

inline harness::Choices sum_choices(const SumErrors& errors) {
  return {{"relative_error", fmt::format("{:.3e}", errors.staged)},
          {"running_sum_error", fmt::format("{:.3e}", errors.running)}};
}

harness::Application application();
/// Factories of the CUDA variants; defined only in builds with CUDA.
std::vector<harness::Binding> cuda_runs();
/// Factories of the MPI variants; defined only in builds with MPI.
std::vector<harness::Binding> mpi_runs();
/// Factories of the variants on several GPUs; defined only in builds with CUDA and MPI.
std::vector<harness::Binding> multi_runs();

}  // namespace speedwell::stencil
