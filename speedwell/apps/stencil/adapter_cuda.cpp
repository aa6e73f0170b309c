// The GPU rows: runs that forward to the products, sweeps and solvers in device memory.
#include "speedwell/apps/stencil/adapter_cuda.hpp"

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
    if (this->inputs().spec().kernel == Kernel::jacobi) scratch_ = core::DeviceBuffer<T>(this->inputs().outputs());
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
      T* const to = (sweeps - 1 - s) % 2 == 0 ? this->y() : scratch_.data();
      multiply_(operator_.op(), from, to, this->stream());
      from = to;
    }
  }

 private:
  Multiply<T>* multiply_;
  DeviceOperator<T> operator_;
  core::DeviceBuffer<T> scratch_;
};

template <class T>
class SweepsRun final : public DeviceRun<T> {
 public:
  SweepsRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context&)
      : DeviceRun<T>(std::move(inputs)), sweeps_(this->inputs().op()) {}

  void allocate() override {
    DeviceRun<T>::allocate();
    scratch_ = core::DeviceBuffer<T>(this->inputs().outputs());
  }
  std::vector<std::pair<std::string, std::string>> choices() override {
    const TemporalPlan plan = sweeps_.plan(std::min(this->inputs().spec().steps, GpuSweeps<T>::deepest));
    return {{"sweeps_a_pass", std::to_string(plan.depth)},
            {"rows_of_a_thread", std::to_string(plan.rows)},
            {"pieces_along_z", std::to_string(plan.pieces)}};
  }

 protected:
  void enqueue() override {
    sweeps_.run(this->x(), this->y(), scratch_.data(), this->inputs().spec().steps, this->stream());
  }

 private:
  GpuSweeps<T> sweeps_;  // form E0: its coefficients are in the operator itself
  core::DeviceBuffer<T> scratch_;
};

template <class T>
class CgRun final : public DeviceRun<T> {
 public:
  CgRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context&, CgWay way)
      : DeviceRun<T>(std::move(inputs)), way_(way) {}

  void upload() override {
    DeviceRun<T>::upload();
    cg_.emplace(this->inputs().op(), this->inputs().spec().cg, this->stream(), way_);
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
  CgWay way_;
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
  CsrRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context&, CsrWay way)
      : DeviceRun<T>(std::move(inputs)), way_(way) {}
  void upload() override {
    DeviceRun<T>::upload();
    matrix_.emplace(this->inputs().matrix(), this->stream());
  }

 protected:
  void enqueue() override { gpu_multiply(*matrix_, way_, this->x(), this->y(), this->stream()); }

 private:
  CsrWay way_;
  std::optional<DeviceCsr<T>> matrix_;
};

template <class T>
class EllRun final : public DeviceRun<T> {
 public:
  EllRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context&) : DeviceRun<T>(std::move(inputs)) {}
  void upload() override {
    DeviceRun<T>::upload();
    matrix_.emplace(sliced(this->inputs().matrix()), this->stream());
  }

 protected:
  void enqueue() override { gpu_multiply(*matrix_, this->x(), this->y(), this->stream()); }

 private:
  std::optional<DeviceEll<T>> matrix_;
};

Kernel kernel_of_case(const harness::Case& prepared) {
  return std::visit([](const auto& inputs) { return inputs->spec().kernel; },
                    static_cast<const StencilCase&>(prepared).inputs());
}

// A row that multiplies in one kernel's problems may be one of conjugate gradients' in another's.
harness::Variant::Make make_step(std::string_view name) {
  const harness::Variant::Make product = make_on_device<ProductRun>(name), cg = make_on_device<SteppedCgRun>(name);
  return [product, cg](std::shared_ptr<const harness::Case> prepared, const harness::Context& context) {
    const bool is_cg = kernel_of_case(*prepared) == Kernel::cg;
    return (is_cg ? cg : product)(std::move(prepared), context);
  };
}

// The best of each kernel.
std::unique_ptr<harness::Run> make_best(std::shared_ptr<const harness::Case> prepared,
                                        const harness::Context& context) {
  static const harness::Variant::Make product = make_on_device<ProductRun>(std::string_view("cuda")),
                                      sweeps = make_on_device<SweepsRun>(), ell = make_on_device<EllRun>(),
                                      cg = make_on_device<CgRun>(CgWay::best);
  switch (kernel_of_case(*prepared)) {
    case Kernel::product:
      return product(std::move(prepared), context);
    case Kernel::jacobi:
      return sweeps(std::move(prepared), context);
    case Kernel::spmv:
      return ell(std::move(prepared), context);
    case Kernel::cg:
      break;
  }
  return cg(std::move(prepared), context);
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
  bindings.push_back({"cuda-csr-thread", make_on_device<CsrRun>(CsrWay::thread_per_row)});
  bindings.push_back({"cuda-csr-warp", make_on_device<CsrRun>(CsrWay::warp_per_row)});
  bindings.push_back({"cuda-csr", make_on_device<CsrRun>(CsrWay::blocks)});
  bindings.push_back({"cuda-passes", make_on_device<CgRun>(CgWay::passes)});
  bindings.push_back({"cuda", make_best});
  return bindings;
}

}  // namespace speedwell::stencil
