// The GPU rows: runs that forward to the products, sweeps and solvers in device memory.
#include "speedwell/apps/stencil/adapter_cuda.hpp"

#include <limits>
#include <type_traits>

#include "speedwell/apps/stencil/adapter_case_cuda.hpp"
#include "speedwell/apps/stencil/gpu/cg_steps.hpp"
#include "speedwell/apps/stencil/ladder.hpp"

namespace speedwell::stencil {
namespace {

// y = A x, or one such product for each sweep.
template <class T>
class ProductRun final : public DeviceRun<T> {
 public:
  ProductRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context&, std::string_view step)
      : DeviceRun<T>(std::move(inputs)), multiply_(product_of<T>(step)) {}

  void allocate() override {
    DeviceRun<T>::allocate();
    if (this->inputs().spec().kernel == Kernel::jacobi) workspace_ = core::DeviceBuffer<T>(this->inputs().outputs());
  }
  void upload() override {
    DeviceRun<T>::upload();
    operator_ = DeviceOperator<T>(this->inputs().op(), this->stream());
  }

 protected:
  void enqueue() override {
    const Spec& spec = this->inputs().spec();
    const int sweeps = spec.kernel == Kernel::jacobi ? spec.steps : 1;
    const T* from = this->x();
    for (int s = 0; s < sweeps; ++s) {
      T* const to = (sweeps - 1 - s) % 2 == 0 ? this->y() : workspace_.data();
      multiply_(operator_.op(), from, to, this->stream());
      from = to;
    }
  }

 private:
  Multiply<T>* multiply_;
  DeviceOperator<T> operator_;
  core::DeviceBuffer<T> workspace_;
};

template <class T>
class SweepsRun final : public DeviceRun<T> {
 public:
  SweepsRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context&)
      : DeviceRun<T>(std::move(inputs)), sweeps_(this->inputs().op()) {}

  void allocate() override {
    DeviceRun<T>::allocate();
    workspace_ = core::DeviceBuffer<T>(this->inputs().outputs());
  }
  std::vector<std::pair<std::string, std::string>> choices() override {
    const TemporalPlan plan = sweeps_.plan(std::min(this->inputs().spec().steps, GpuSweeps<T>::max_depth));
    return {{"sweeps_a_pass", std::to_string(plan.depth)},
            {"rows_of_a_thread", std::to_string(plan.rows)},
            {"pieces_along_z", std::to_string(plan.chunks)}};
  }

 protected:
  void enqueue() override {
    sweeps_.run(this->x(), this->y(), workspace_.data(), this->inputs().spec().steps, this->stream());
  }

 private:
  GpuSweeps<T> sweeps_;  // form E0: its coefficients are in the operator itself
  core::DeviceBuffer<T> workspace_;
};

template <class T>
class CgRun final : public DeviceRun<T> {
 public:
  CgRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context&, CgMethod method)
      : DeviceRun<T>(std::move(inputs)), method_(method) {}

  void upload() override {
    DeviceRun<T>::upload();
    cg_.emplace(this->inputs().op(), this->inputs().spec().cg, this->stream(), method_);
  }
  void download() override {
    DeviceRun<T>::download();
    this->result_ = cg_->result(this->stream());
  }
  std::vector<std::pair<std::string, std::string>> choices() override { return cg_choices(this->result_); }

 protected:
  void enqueue() override {
    core::check(cudaMemsetAsync(this->y(), 0, this->inputs().outputs() * sizeof(T), this->stream().get()));
    cg_->run(this->x(), this->y(), this->stream());
  }

 private:
  CgMethod method_;
  std::optional<GpuCg<T>> cg_;
};

template <class T>
class SteppedCgRun final : public DeviceRun<T> {
 public:
  SteppedCgRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context&, std::string_view step)
      : DeviceRun<T>(std::move(inputs)), step_(step) {}

  void upload() override {
    DeviceRun<T>::upload();
    cg_.emplace(this->inputs().op(), this->inputs().spec().cg, step_, this->stream());
  }
  void download() override {
    DeviceRun<T>::download();
    this->result_ = cg_->result();
  }
  std::vector<std::pair<std::string, std::string>> choices() override { return cg_choices(this->result_); }

 protected:
  void enqueue() override {
    core::check(cudaMemsetAsync(this->y(), 0, this->inputs().outputs() * sizeof(T), this->stream().get()));
    cg_->run(this->x(), this->y(), this->stream());
  }

 private:
  std::string step_;
  std::optional<SteppedCg<T>> cg_;
};

template <class T>
class CsrRun final : public DeviceRun<T> {
 public:
  CsrRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context&, CsrMethod method)
      : DeviceRun<T>(std::move(inputs)), method_(method) {}
  void upload() override {
    DeviceRun<T>::upload();
    matrix_.emplace(this->inputs().matrix(), this->stream());
  }

 protected:
  void enqueue() override { gpu_multiply(*matrix_, method_, this->x(), this->y(), this->stream()); }

 private:
  CsrMethod method_;
  std::optional<DeviceCsr<T>> matrix_;
};

template <class T>
class SparseCgRun final : public DeviceRun<T> {
 public:
  SparseCgRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context&) : DeviceRun<T>(std::move(inputs)) {}
  void upload() override {
    DeviceRun<T>::upload();
    cg_.emplace(this->inputs().matrix(), this->inputs().spec().cg, this->stream());
  }
  void download() override {
    DeviceRun<T>::download();
    this->result_ = cg_->result(this->stream());
    require_definite(this->inputs().spec(), this->result_);
  }
  std::vector<std::pair<std::string, std::string>> choices() override { return cg_choices(this->result_); }

 protected:
  void enqueue() override {
    core::check(cudaMemsetAsync(this->y(), 0, this->inputs().outputs() * sizeof(T), this->stream().get()));
    cg_->run(this->x(), this->y(), this->stream());
  }

 private:
  std::optional<GpuSparseCg<T>> cg_;
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

// Sliced ELL, diagonals or blocks, made of compressed rows.
template <class T, template <class> class Device>
class FormatRun final : public DeviceRun<T> {
 public:
  FormatRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context&) : DeviceRun<T>(std::move(inputs)) {}
  void upload() override {
    DeviceRun<T>::upload();
    convert(this->inputs().matrix(), this->stream(), matrix_);
  }
  std::vector<std::pair<std::string, std::string>> choices() override {
    if constexpr (std::is_same_v<Device<T>, DeviceBsr<T>>)
      return {{"block_side", std::to_string(matrix_->side())}};
    else if constexpr (std::is_same_v<Device<T>, DeviceDia<T>>)
      return {{"diagonals", std::to_string(matrix_->view().diagonals)}};
    else
      return {};
  }

 protected:
  void enqueue() override { gpu_multiply(*matrix_, this->x(), this->y(), this->stream()); }

 private:
  std::optional<Device<T>> matrix_;
};
// The one of sliced ELL and diagonals that reads fewer bytes.
template <class T>
class BestFormatRun final : public DeviceRun<T> {
 public:
  BestFormatRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context&) : DeviceRun<T>(std::move(inputs)) {}
  void upload() override {
    DeviceRun<T>::upload();
    if (diagonals_win(this->inputs().matrix()))
      convert(this->inputs().matrix(), this->stream(), diagonals_);
    else
      convert(this->inputs().matrix(), this->stream(), slices_);
  }
  std::vector<std::pair<std::string, std::string>> choices() override {
    return {{"format", diagonals_ ? "diagonals" : "sliced ELL"}};
  }

 protected:
  void enqueue() override {
    if (diagonals_)
      gpu_multiply(*diagonals_, this->x(), this->y(), this->stream());
    else
      gpu_multiply(*slices_, this->x(), this->y(), this->stream());
  }

 private:
  std::optional<DeviceEll<T>> slices_;
  std::optional<DeviceDia<T>> diagonals_;
};
template <class T>
using EllRun = FormatRun<T, DeviceEll>;
template <class T>
using DiaRun = FormatRun<T, DeviceDia>;
template <class T>
using BsrRun = FormatRun<T, DeviceBsr>;

template <class T>
class SumRun final : public harness::GpuRun {
 public:
  SumRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context&, bool stages)
      : inputs_(std::move(inputs)), in_stages_(stages) {}

  void allocate() override {
    const Grid& grid = inputs_->spec().problem.grid;
    x_ = core::DeviceBuffer<T>(inputs_->x().size());
    if (in_stages_)
      staged_.emplace(grid);
    else
      sums_.emplace(grid, stream());
  }
  void upload() override {
    core::copy_async(x_.data(), inputs_->x().data(), x_.size(), stream());
    stream().synchronize();
  }
  void poison() override {
    sum_ = std::numeric_limits<double>::quiet_NaN();
    if (sums_) core::copy_async(sums_->space().sums, &sum_, 1, stream());
    stream().synchronize();
  }
  void download() override {
    if (sums_) sum_ = sums_->value(stream());
  }
  core::Verdict verify() override {
    return inputs_->judge_sum(sum_, in_stages_ ? SumOrder::stages : SumOrder::lanes, errors_);
  }
  std::vector<harness::Output> outputs() override { return {{"sum", harness::ElementType::f64, &sum_, 1}}; }
  std::vector<std::pair<std::string, std::string>> choices() override { return sum_choices(errors_); }

 protected:
  void enqueue() override {
    if (in_stages_)
      sum_ = staged_->of_squares(x_.data(), stream());
    else
      gpu_sum(x_.data(), static_cast<std::int64_t>(x_.size()), true, sums_->space(), stream());
  }

 private:
  std::shared_ptr<const Inputs<T>> inputs_;
  bool in_stages_;
  core::DeviceBuffer<T> x_;
  std::optional<StagedSum<T>> staged_;
  std::optional<Sums> sums_;
  double sum_ = 0;
  SumErrors errors_;
};

// In double alone: the row refuses f32.
class MixedCgRun final : public DeviceRun<double> {
 public:
  explicit MixedCgRun(std::shared_ptr<const Inputs<double>> inputs) : DeviceRun<double>(std::move(inputs)) {}

  void upload() override {
    DeviceRun<double>::upload();
    cg_.emplace(inputs().op(), inputs().spec().cg, stream());
  }
  std::vector<std::pair<std::string, std::string>> choices() override { return cg_choices(result_); }

 protected:
  void enqueue() override {
    core::check(cudaMemsetAsync(y(), 0, inputs().outputs() * sizeof(double), stream().get()));
    result_ = cg_->solve(x(), y(), stream());
  }

 private:
  std::optional<GpuMixedCg> cg_;
};
std::unique_ptr<harness::Run> make_mixed(std::shared_ptr<const harness::Workload> prepared, const harness::Context&) {
  return std::make_unique<MixedCgRun>(
      std::get<std::shared_ptr<const Inputs<double>>>(static_cast<const StencilCase&>(*prepared).inputs()));
}

// A row that multiplies in one kernel's problems may be one of conjugate gradients' in another's.
harness::Variant::Make make_step(std::string_view name) {
  const harness::Variant::Make product = make_on_device<ProductRun>(name), cg = make_on_device<SteppedCgRun>(name);
  return [product, cg](std::shared_ptr<const harness::Workload> prepared, const harness::Context& context) {
    const bool is_cg = kernel_of_case(*prepared) == Kernel::cg;
    return (is_cg ? cg : product)(std::move(prepared), context);
  };
}

bool is_assembled(const harness::Workload& prepared) {
  return std::visit([](const auto& inputs) { return inputs->spec().assembled(); },
                    static_cast<const StencilCase&>(prepared).inputs());
}

// The best of each kernel.
std::unique_ptr<harness::Run> make_best(std::shared_ptr<const harness::Workload> prepared,
                                        const harness::Context& context) {
  static const harness::Variant::Make product = make_on_device<ProductRun>(std::string_view("cuda")),
                                      sweeps = make_on_device<SweepsRun>(), sparse = make_on_device<BestFormatRun>(),
                                      cg = make_on_device<CgRun>(CgMethod::best), sum = make_on_device<SumRun>(false),
                                      sparse_cg = make_on_device<SparseCgRun>();
  switch (kernel_of_case(*prepared)) {
    case Kernel::product:
      return product(std::move(prepared), context);
    case Kernel::jacobi:
      return sweeps(std::move(prepared), context);
    case Kernel::spmv:
      return sparse(std::move(prepared), context);
    case Kernel::cg:
      return (is_assembled(*prepared) ? sparse_cg : cg)(std::move(prepared), context);
    case Kernel::sum:
      break;
  }
  return sum(std::move(prepared), context);
}

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  std::vector<harness::Binding> bindings = cusparse_runs();
  for (const Step& step : steps)
    if (step.name != "cuda") bindings.push_back({std::string(step.name), make_step(step.name)});
  for (const Step& step : cg_steps)
    if (step.name != "cuda-naive" && step.name != "cuda-tile")
      bindings.push_back({std::string(step.name), make_step(step.name)});
  bindings.push_back({"cuda-march", make_on_device<ProductRun>(std::string_view("cuda"))});
  bindings.push_back({"cuda-csr-thread", make_on_device<CsrRun>(CsrMethod::thread_per_row)});
  bindings.push_back({"cuda-csr-warp", make_on_device<CsrRun>(CsrMethod::warp_per_row)});
  bindings.push_back({"cuda-csr", make_on_device<CsrRun>(CsrMethod::blocks)});
  bindings.push_back({"cuda-sell", make_on_device<EllRun>()});
  bindings.push_back({"cuda-dia", make_on_device<DiaRun>()});
  bindings.push_back({"cuda-bsr", make_on_device<BsrRun>()});
  bindings.push_back({"cuda-stages", make_on_device<SumRun>(true)});
  bindings.push_back({"cuda-mixed", harness::on_device(make_mixed)});
  bindings.push_back({"cuda-passes", make_on_device<CgRun>(CgMethod::passes)});
  bindings.push_back({"cuda", make_best});
  return bindings;
}

}  // namespace speedwell::stencil
