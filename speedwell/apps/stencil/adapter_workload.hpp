// The workload of stencil for the harness: the problem, its inputs in either precision, and the oracle's answer when it
// is first needed.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "speedwell/apps/stencil/reference.hpp"
#include "speedwell/apps/stencil/stencil.hpp"
#include "speedwell/apps/stencil/verify.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/lazy.hpp"
#include "speedwell/harness/solver_run.hpp"

namespace speedwell::stencil {

/// product: y = A x of a form. jacobi: `steps` of them with form E0. spmv: y = A x of an assembled or a read matrix.
/// cg: conjugate gradients on the model problem, `steps` iterations or as many as a tolerance takes; or on a matrix.
/// sum: of the squares of x.
enum class Kernel { product, jacobi, spmv, cg, sum };

struct Spec {
  Kernel kernel = Kernel::product;
  Problem problem;  // jacobi and cg: x or b alone; spmv: the form that is assembled
  int steps = 1;
  CgOptions cg;
  std::string matrix;  // spmv, cg: "7-point", "27-point" or a file
  /// Whether A is a sparse matrix; else an operator.
  bool assembled() const { return kernel == Kernel::spmv || (kernel == Kernel::cg && matrix != "7-point"); }
};

/// The relative error of a sum, and that which one running sum in the precision of the data would have.
struct SumErrors {
  double staged = 0, running = 0;
};

/// The result of one run in host memory.
template <class T>
struct Answer {
  core::HostBuffer<T> y;  // of all kernels but sum
  CgResult cg;            // of kernel cg
  double sum = 0;         // of kernel sum
};

template <class T>
class Inputs {
 public:
  using Answer = stencil::Answer<T>;

  /// Throws io::InputError for a matrix file that cannot be read, or that conjugate gradients cannot solve with.
  explicit Inputs(const Spec& spec);

  const Spec& spec() const { return spec_; }
  /// Unless spec().assembled().
  const Operator<T>& op() const { return unit_ ? unit_->op() : fields_->op(); }
  const Csr<T>& matrix() const { return matrix_; }
  std::span<const T> x() const { return fields_ ? fields_->x().span() : std::span<const T>(vector_); }
  std::size_t output_size() const {
    return static_cast<std::size_t>(spec_.assembled() ? matrix_.rows : spec_.problem.grid.size());
  }

  Answer make_answer() const;
  void poison(Answer& answer) const;
  std::vector<harness::Output> outputs(Answer& answer) const;
  /// The verdict on any kernel but sum, for which verify_sum() takes the order of the additions into account.
  core::Verdict verify(const Answer& answer) const;
  core::Verdict verify_sum(double sum, SumOrder order, SumErrors& errors) const;

 private:
  /// What the oracle computes for the kernels whose verdict is not computed from the answer.
  struct Oracle {
    std::vector<T> sweeps;   // jacobi
    ReferenceCg cg;          // cg
    long double sum = 0;     // sum
    double running_sum = 0;  // its relative error as one running sum
  };
  const Oracle& oracle() const;

  Spec spec_;
  std::optional<Fields<T>> fields_;
  std::optional<UnitLaplacian<T>> unit_;  // cg
  Csr<T> matrix_;
  std::vector<T> vector_;
  core::Lazy<Oracle> oracle_;
};

using StencilWorkload = harness::PrecisionWorkload<Inputs>;

inline const Spec& spec_of(const harness::Workload& workload) {
  return std::visit([](const auto& inputs) -> const Spec& { return inputs->spec(); },
                    static_cast<const StencilWorkload&>(workload).inputs());
}

harness::Choices cg_choices(const CgResult& result);
harness::Choices sum_choices(const SumErrors& errors);
/// Throws io::InputError if the matrix of a file has turned out to be indefinite.
void require_definite(const Spec& spec, const CgResult& result);

}  // namespace speedwell::stencil
