// What the runs of stencil share: the problem, its inputs in one precision, and the oracle's answer when it is first
// asked for.
#pragma once

#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/stencil/reference.hpp"
#include "speedwell/apps/stencil/stencil.hpp"
#include "speedwell/apps/stencil/verify.hpp"
#include "speedwell/harness/precision.hpp"

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

/// How far a sum was from the exact one, and how far one running sum in the precision of the data would have been, both
/// relative to it.
struct SumErrors {
  double staged = 0, running = 0;
};

template <class T>
class Inputs {
 public:
  /// Throws io::InputError for a matrix file that cannot be read, or that conjugate gradients cannot solve with.
  explicit Inputs(const Spec& spec);

  const Spec& spec() const { return spec_; }
  /// Unless spec().assembled().
  const Operator<T>& op() const { return unit_ ? unit_->op() : fields_->op(); }
  const Csr<T>& matrix() const { return matrix_; }
  std::span<const T> x() const { return fields_ ? fields_->x().span() : std::span<const T>(vector_); }
  std::size_t outputs() const {
    return static_cast<std::size_t>(spec_.assembled() ? matrix_.rows : spec_.problem.grid.size());
  }
  core::Verdict judge(std::span<const T> y, const CgResult& cg) const;
  core::Verdict judge_sum(double sum, SumOrder order, SumErrors& errors) const;

 private:
  Spec spec_;
  std::optional<Fields<T>> fields_;
  std::optional<UnitLaplacian<T>> unit_;  // cg
  Csr<T> matrix_;
  std::vector<T> vector_;
  mutable std::once_flag asked_;
  mutable std::vector<T> swept_;  // jacobi
  mutable ReferenceCg solved_;    // cg
  mutable long double sum_ = 0;   // sum
  mutable double running_ = 0;    // its error as one running sum
};

using StencilCase = harness::PrecisionCase<Inputs>;

inline Kernel kernel_of_case(const harness::Workload& prepared) {
  return std::visit([](const auto& inputs) { return inputs->spec().kernel; },
                    static_cast<const StencilCase&>(prepared).inputs());
}

/// A factory of RunType<float> or RunType<double>, whichever the case is in: RunType<T>(inputs, context, args...).
template <template <class> class RunType, class... Args>
harness::Variant::Make make_in_precision(Args... args) {
  return harness::make_in_precision<Inputs, RunType>(args...);
}

/// The result in host memory, as every run has it.
template <class T>
class Answer {
 public:
  /// What sweeps leave out keeps the value that they begin with.
  void allocate(const Inputs<T>& inputs) {
    y_ = core::HostBuffer<T>(inputs.outputs());
    const Grid& g = inputs.spec().problem.grid;
    if (!inputs.spec().assembled())
      extents_ = {static_cast<std::size_t>(g.nz), static_cast<std::size_t>(g.ny), static_cast<std::size_t>(g.nx)};
    if (inputs.spec().kernel == Kernel::jacobi) initial_ = inputs.x().data();
  }
  void poison() { std::memset(y_.data(), 0xff, y_.bytes()); }  // every element a NaN
  std::span<T> span() { return y_.span(); }
  std::vector<harness::Output> outputs() {
    return {{.name = "y",
             .type = harness::element_type<T>,
             .data = y_.data(),
             .count = y_.size(),
             .extents = extents_,
             .initial = initial_}};
  }

 private:
  core::HostBuffer<T> y_;
  std::vector<std::size_t> extents_;
  const T* initial_ = nullptr;
};

std::vector<std::pair<std::string, std::string>> cg_choices(const CgResult& result);
std::vector<std::pair<std::string, std::string>> sum_choices(const SumErrors& errors);
/// Throws io::InputError where a file's matrix turned out to be indefinite.
void require_definite(const Spec& spec, const CgResult& result);

}  // namespace speedwell::stencil
