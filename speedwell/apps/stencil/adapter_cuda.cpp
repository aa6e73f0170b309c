// The GPU variants of stencil for the harness.
#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

#include "speedwell/apps/stencil/adapter.hpp"
#include "speedwell/apps/stencil/adapter_device.hpp"
#include "speedwell/apps/stencil/gpu/cg_steps.hpp"
#include "speedwell/apps/stencil/ladder.hpp"

namespace speedwell::stencil {
namespace {

/// y = A x, or one such product for each of Jacobi's sweeps.
template <class T>
class ProductSolver : public DeviceVectors<T> {
 public:
  ProductSolver(const Inputs<T>& inputs, const harness::Context&, std::string_view step)
      : DeviceVectors<T>(inputs), multiply_(product_of<T>(step)) {}

  void allocate() {
    DeviceVectors<T>::allocate();
    if (this->spec().kernel == Kernel::jacobi) workspace_ = core::DeviceBuffer<T>(this->inputs().output_size());
  }
  void upload(const core::Stream& stream) {
    DeviceVectors<T>::upload(stream);
    operator_ = DeviceOperator<T>(this->inputs().op(), stream);
  }
  void execute(const core::Stream& stream) {
    const int sweeps = this->spec().kernel == Kernel::jacobi ? this->spec().steps : 1;
    const T* from = this->x();
    for (int s = 0; s < sweeps; ++s) {
      T* const to = (sweeps - 1 - s) % 2 == 0 ? this->y() : workspace_.data();
      multiply_(operator_.op(), from, to, stream);
      from = to;
    }
  }

 private:
  Multiply<T>* multiply_;
  DeviceOperator<T> operator_;
  core::DeviceBuffer<T> workspace_;
};

/// Jacobi's sweeps, several of them in a pass over memory.
template <class T>
class SweepsSolver : public DeviceVectors<T> {
 public:
  SweepsSolver(const Inputs<T>& inputs, const harness::Context&) : DeviceVectors<T>(inputs), sweeps_(inputs.op()) {}

  void allocate() {
    DeviceVectors<T>::allocate();
    workspace_ = core::DeviceBuffer<T>(this->inputs().output_size());
  }
  void execute(const core::Stream& stream) {
    sweeps_.run(this->x(), this->y(), workspace_.data(), this->spec().steps, stream);
  }
  harness::Choices choices() const {
    const TemporalPlan plan = sweeps_.plan(std::min(this->spec().steps, GpuSweeps<T>::max_depth));
    return {{"sweeps_a_pass", std::to_string(plan.depth)},
            {"rows_of_a_thread", std::to_string(plan.rows)},
            {"pieces_along_z", std::to_string(plan.chunks)}};
  }

 private:
  GpuSweeps<T> sweeps_;  // form E0: its coefficients are in the operator itself
  core::DeviceBuffer<T> workspace_;
};

/// Conjugate gradients. Each of the libraries' solvers is made in upload, since it copies its matrix or operator.
template <class T, class Solver>
class CgBase : public DeviceVectors<T> {
 public:
  explicit CgBase(const Inputs<T>& inputs) : DeviceVectors<T>(inputs) {}

  void execute(const core::Stream& stream) {
    this->clear_y(stream);
    cg_->run(this->x(), this->y(), stream);
  }
  harness::Choices choices(const Answer<T>& answer) const { return cg_choices(answer.cg); }

 protected:
  std::optional<Solver> cg_;
};

template <class T>
class CgPassesSolver : public CgBase<T, GpuCg<T>> {
 public:
  CgPassesSolver(const Inputs<T>& inputs, const harness::Context&, CgMethod method)
      : CgBase<T, GpuCg<T>>(inputs), method_(method) {}

  void upload(const core::Stream& stream) {
    DeviceVectors<T>::upload(stream);
    this->cg_.emplace(this->inputs().op(), this->spec().cg, stream, method_);
  }
  void download(Answer<T>& answer, const core::Stream& stream) {
    DeviceVectors<T>::download(answer, stream);
    answer.cg = this->cg_->result(stream);
  }

 private:
  CgMethod method_;
};

/// The variants of the study.
template <class T>
class CgStepSolver : public CgBase<T, SteppedCg<T>> {
 public:
  CgStepSolver(const Inputs<T>& inputs, const harness::Context&, std::string_view step)
      : CgBase<T, SteppedCg<T>>(inputs), step_(step) {}

  void upload(const core::Stream& stream) {
    DeviceVectors<T>::upload(stream);
    this->cg_.emplace(this->inputs().op(), this->spec().cg, step_, stream);
  }
  void download(Answer<T>& answer, const core::Stream& stream) {
    DeviceVectors<T>::download(answer, stream);
    answer.cg = this->cg_->result();
  }

 private:
  std::string step_;
};

template <class T>
class SparseCgSolver : public CgBase<T, GpuSparseCg<T>> {
 public:
  SparseCgSolver(const Inputs<T>& inputs, const harness::Context&) : CgBase<T, GpuSparseCg<T>>(inputs) {}

  void upload(const core::Stream& stream) {
    DeviceVectors<T>::upload(stream);
    this->cg_.emplace(this->inputs().matrix(), this->spec().cg, stream);
  }
  void download(Answer<T>& answer, const core::Stream& stream) {
    DeviceVectors<T>::download(answer, stream);
    answer.cg = this->cg_->result(stream);
    require_definite(this->spec(), answer.cg);
  }
};

/// In double only: unsupported_reason refuses f32.
class MixedCgSolver : public DeviceVectors<double> {
 public:
  MixedCgSolver(const Inputs<double>& inputs, const harness::Context&) : DeviceVectors<double>(inputs) {}

  void upload(const core::Stream& stream) {
    DeviceVectors<double>::upload(stream);
    cg_.emplace(inputs().op(), spec().cg, stream);
  }
  void execute(const core::Stream& stream) {
    clear_y(stream);
    result_ = cg_->solve(x(), y(), stream);
  }
  void download(Answer<double>& answer, const core::Stream& stream) {
    DeviceVectors<double>::download(answer, stream);
    answer.cg = result_;
  }
  harness::Choices choices(const Answer<double>& answer) const { return cg_choices(answer.cg); }

 private:
  std::optional<GpuMixedCg> cg_;
  CgResult result_;
};
std::unique_ptr<harness::Run> make_mixed(std::shared_ptr<const harness::Workload> workload,
                                         const harness::Context& context) {
  using Run = harness::DeviceSolverRun<Inputs<double>, MixedCgSolver>;
  const auto& inputs = static_cast<const StencilWorkload&>(*workload).inputs();
  return std::make_unique<Run>(std::get<std::shared_ptr<const Inputs<double>>>(inputs), context);
}

template <class T>
class CsrSolver : public DeviceVectors<T> {
 public:
  CsrSolver(const Inputs<T>& inputs, const harness::Context&, CsrMethod method)
      : DeviceVectors<T>(inputs), method_(method) {}

  void upload(const core::Stream& stream) {
    DeviceVectors<T>::upload(stream);
    matrix_.emplace(this->inputs().matrix(), stream);
  }
  void execute(const core::Stream& stream) { gpu_multiply(*matrix_, method_, this->x(), this->y(), stream); }

 private:
  CsrMethod method_;
  std::optional<DeviceCsr<T>> matrix_;
};

template <class T>
void convert(const Csr<T>& m, const core::Stream& stream, std::optional<DeviceEll<T>>& to) {
  to.emplace(sliced(m), stream);
}
template <class T>
void convert(const Csr<T>& m, const core::Stream& stream, std::optional<DeviceDia<T>>& to) {
  to.emplace(diagonals(m), stream);
}
template <class T>
void convert(const Csr<T>& m, const core::Stream& stream, std::optional<DeviceBsr<T>>& to) {
  to.emplace(blocked(m), stream);
}

/// Sliced ELL, diagonals or blocks, made of compressed rows.
template <class T, template <class> class Device>
class FormatSolver : public DeviceVectors<T> {
 public:
  FormatSolver(const Inputs<T>& inputs, const harness::Context&) : DeviceVectors<T>(inputs) {}

  void upload(const core::Stream& stream) {
    DeviceVectors<T>::upload(stream);
    convert(this->inputs().matrix(), stream, matrix_);
  }
  void execute(const core::Stream& stream) { gpu_multiply(*matrix_, this->x(), this->y(), stream); }
  harness::Choices choices() const {
    if constexpr (std::is_same_v<Device<T>, DeviceBsr<T>>)
      return {{"block_side", std::to_string(matrix_->side())}};
    else if constexpr (std::is_same_v<Device<T>, DeviceDia<T>>)
      return {{"diagonals", std::to_string(matrix_->view().diagonals)}};
    else
      return {};
  }

 private:
  std::optional<Device<T>> matrix_;
};
template <class T>
using EllSolver = FormatSolver<T, DeviceEll>;
template <class T>
using DiaSolver = FormatSolver<T, DeviceDia>;
template <class T>
using BsrSolver = FormatSolver<T, DeviceBsr>;

/// Sliced ELL or diagonals, whichever reads fewer bytes.
template <class T>
class BestFormatSolver : public DeviceVectors<T> {
 public:
  BestFormatSolver(const Inputs<T>& inputs, const harness::Context&) : DeviceVectors<T>(inputs) {}

  void upload(const core::Stream& stream) {
    DeviceVectors<T>::upload(stream);
    if (diagonals_win(this->inputs().matrix()))
      convert(this->inputs().matrix(), stream, diagonals_);
    else
      convert(this->inputs().matrix(), stream, slices_);
  }
  void execute(const core::Stream& stream) {
    if (diagonals_)
      gpu_multiply(*diagonals_, this->x(), this->y(), stream);
    else
      gpu_multiply(*slices_, this->x(), this->y(), stream);
  }
  harness::Choices choices() const { return {{"format", diagonals_ ? "diagonals" : "sliced ELL"}}; }

 private:
  std::optional<DeviceEll<T>> slices_;
  std::optional<DeviceDia<T>> diagonals_;
};

template <class T>
class SumSolver {
 public:
  SumSolver(const Inputs<T>& inputs, const harness::Context&, bool in_stages)
      : inputs_(inputs), in_stages_(in_stages) {}

  void allocate(const core::Stream& stream) {
    const Grid& grid = inputs_.spec().problem.grid;
    x_ = core::DeviceBuffer<T>(inputs_.x().size());
    if (in_stages_)
      staged_.emplace(grid);
    else
      sums_.emplace(grid, stream);
  }
  void upload(const core::Stream& stream) {
    core::copy_async(x_.data(), inputs_.x().data(), x_.size(), stream);
    stream.synchronize();
  }
  void poison(const core::Stream& stream) {
    staged_sum_ = std::numeric_limits<double>::quiet_NaN();
    if (!sums_) return;
    core::copy_async(sums_->space().sums, &staged_sum_, 1, stream);
    stream.synchronize();
  }
  void execute(const core::Stream& stream) {
    if (in_stages_)
      staged_sum_ = staged_->of_squares(x_.data(), stream);
    else
      gpu_sum(x_.data(), static_cast<std::int64_t>(x_.size()), true, sums_->space(), stream);
  }
  void download(Answer<T>& answer, const core::Stream& stream) {
    answer.sum = sums_ ? sums_->value(stream) : staged_sum_;
  }
  core::Verdict verify(const Answer<T>& answer) {
    return inputs_.verify_sum(answer.sum, in_stages_ ? SumOrder::stages : SumOrder::lanes, errors_);
  }
  harness::Choices choices() const { return sum_choices(errors_); }

 private:
  const Inputs<T>& inputs_;
  bool in_stages_;
  core::DeviceBuffer<T> x_;
  std::optional<StagedSum<T>> staged_;
  std::optional<Sums> sums_;
  double staged_sum_ = 0;
  SumErrors errors_;
};

template <template <class> class Solver, class... Args>
harness::Variant::Make solver(Args... args) {
  return harness::device_solver<Inputs, Solver>(args...);
}

/// The variant `name` multiplies in products and sweeps, and is a step of the study in conjugate gradients.
harness::Variant::Make step_solver(std::string_view name) {
  const harness::Variant::Make product = solver<ProductSolver>(name), cg = solver<CgStepSolver>(name);
  return [product, cg](std::shared_ptr<const harness::Workload> workload, const harness::Context& context) {
    return (spec_of(*workload).kernel == Kernel::cg ? cg : product)(std::move(workload), context);
  };
}

/// The best solver of each kernel.
std::unique_ptr<harness::Run> make_best(std::shared_ptr<const harness::Workload> workload,
                                        const harness::Context& context) {
  const Spec& spec = spec_of(*workload);
  const auto make = [&] {
    switch (spec.kernel) {
      case Kernel::product:
        return solver<ProductSolver>(std::string_view("cuda"));
      case Kernel::jacobi:
        return solver<SweepsSolver>();
      case Kernel::spmv:
        return solver<BestFormatSolver>();
      case Kernel::cg:
        return spec.assembled() ? solver<SparseCgSolver>() : solver<CgPassesSolver>(CgMethod::best);
      case Kernel::sum:
        break;
    }
    return solver<SumSolver>(false);
  }();
  return make(std::move(workload), context);
}

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  std::vector<harness::Binding> bindings;
  for (const Step& step : steps)
    if (step.name != "cuda") bindings.push_back({std::string(step.name), step_solver(step.name)});
  for (const Step& step : cg_steps)
    if (step.name != "cuda-naive" && step.name != "cuda-tile")
      bindings.push_back({std::string(step.name), step_solver(step.name)});
  bindings.push_back({"cuda-march", solver<ProductSolver>(std::string_view("cuda"))});
  bindings.push_back({"cuda-csr-thread", solver<CsrSolver>(CsrMethod::thread_per_row)});
  bindings.push_back({"cuda-csr-warp", solver<CsrSolver>(CsrMethod::warp_per_row)});
  bindings.push_back({"cuda-csr", solver<CsrSolver>(CsrMethod::blocks)});
  bindings.push_back({"cuda-sell", solver<EllSolver>()});
  bindings.push_back({"cuda-dia", solver<DiaSolver>()});
  bindings.push_back({"cuda-bsr", solver<BsrSolver>()});
  bindings.push_back({"cuda-stages", solver<SumSolver>(true)});
  bindings.push_back({"cuda-mixed", harness::on_device(make_mixed)});
  bindings.push_back({"cuda-passes", solver<CgPassesSolver>(CgMethod::passes)});
  bindings.push_back({"cuda", make_best});
  return bindings;
}

}  // namespace speedwell::stencil
