// The GPU variants of stencil for the harness.
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "speedwell/apps/stencil/adapter.hpp"
#include "speedwell/apps/stencil/gpu_stencil.hpp"
#include "speedwell/apps/stencil/ladder.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"
#include "speedwell/harness/measurement/device_vectors.hpp"

namespace speedwell::stencil {
namespace {

template <class T>
class Solver : public harness::DeviceVectors<T> {
 public:
  explicit Solver(const Inputs<T>& inputs)
      : harness::DeviceVectors<T>(inputs.x(), inputs.x().size()), inputs_(inputs) {}

  void allocate() {
    harness::DeviceVectors<T>::allocate();
    if (inputs_.spec().kernel == Kernel::jacobi) workspace_ = core::DeviceBuffer<T>(inputs_.x().size());
  }
  void download(typename Inputs<T>::Answer& answer, const core::Stream& stream) {
    harness::DeviceVectors<T>::download(answer.y, stream);
  }

 protected:
  const Inputs<T>& inputs_;
  core::DeviceBuffer<T> workspace_;
};

/// y = A x, or one such product for each of Jacobi's sweeps.
template <class T>
class ProductSolver : public Solver<T> {
 public:
  ProductSolver(const Inputs<T>& inputs, const harness::Context&, std::string_view step)
      : Solver<T>(inputs), multiply_(product_of<T>(step)) {}

  void upload(const core::Stream& stream) {
    Solver<T>::upload(stream);
    operator_ = DeviceOperator<T>(this->inputs_.op(), stream);
  }
  void execute(const core::Stream& stream) {
    const Spec& spec = this->inputs_.spec();
    const int sweeps = spec.kernel == Kernel::jacobi ? spec.steps : 1;
    const T* from = this->x();
    for (int s = 0; s < sweeps; ++s) {
      T* const to = (sweeps - 1 - s) % 2 == 0 ? this->y() : this->workspace_.data();
      multiply_(operator_.op(), from, to, stream);
      from = to;
    }
  }

 private:
  Multiply<T>* multiply_;
  DeviceOperator<T> operator_;
};

/// Jacobi's sweeps, several of them in a pass over memory.
template <class T>
class SweepsSolver : public Solver<T> {
 public:
  SweepsSolver(const Inputs<T>& inputs, const harness::Context&) : Solver<T>(inputs), sweeps_(inputs.op()) {}

  void execute(const core::Stream& stream) {
    sweeps_.run(this->x(), this->y(), this->workspace_.data(), this->inputs_.spec().steps, stream);
  }
  harness::Choices choices() const {
    const TemporalPlan plan = sweeps_.plan(std::min(this->inputs_.spec().steps, GpuSweeps<T>::max_depth));
    return {{"sweeps_a_pass", std::to_string(plan.depth)},
            {"rows_of_a_thread", std::to_string(plan.rows)},
            {"pieces_along_z", std::to_string(plan.chunks)}};
  }

 private:
  GpuSweeps<T> sweeps_;  // form E0: its coefficients are in the operator itself
};

template <class T>
class SumSolver {
 public:
  using Answer = typename Inputs<T>::Answer;

  SumSolver(const Inputs<T>& inputs, const harness::Context&, SumOrder order) : inputs_(inputs), order_(order) {}

  void allocate(const core::Stream& stream) {
    const Grid& grid = inputs_.spec().problem.grid;
    x_ = core::DeviceBuffer<T>(inputs_.x().size());
    if (order_ == SumOrder::stages)
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
    if (staged_)
      staged_sum_ = staged_->of_squares(x_.data(), stream);
    else
      gpu_sum(x_.data(), static_cast<std::int64_t>(x_.size()), true, sums_->space(), stream);
  }
  void download(Answer& answer, const core::Stream& stream) { answer.sum = sums_ ? sums_->value(stream) : staged_sum_; }
  core::Verdict verify(const Answer& answer) { return inputs_.verify_sum(answer.sum, order_, errors_); }
  harness::Choices choices() const { return sum_choices(errors_); }

 private:
  const Inputs<T>& inputs_;
  SumOrder order_;
  core::DeviceBuffer<T> x_;
  std::optional<StagedSum<T>> staged_;
  std::optional<Sums> sums_;
  double staged_sum_ = 0;
  SumErrors errors_;
};

template <template <class> class AnySolver, class... Args>
harness::Variant::Make solver(Args... args) {
  return harness::device_solver<Inputs, AnySolver>(args...);
}

/// The best solver of each kernel.
std::unique_ptr<harness::Run> make_best(std::shared_ptr<const harness::Workload> workload,
                                        const harness::Context& context) {
  const Kernel kernel = std::visit([](const auto& inputs) { return inputs->spec().kernel; },
                                   static_cast<const StencilWorkload&>(*workload).inputs());
  const auto make = kernel == Kernel::product  ? solver<ProductSolver>(std::string_view("cuda"))
                    : kernel == Kernel::jacobi ? solver<SweepsSolver>()
                                               : solver<SumSolver>(SumOrder::lanes);
  return make(std::move(workload), context);
}

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  std::vector<harness::Binding> bindings;
  for (const Step& step : steps)
    if (step.name != "cuda") bindings.push_back({std::string(step.name), solver<ProductSolver>(step.name)});
  bindings.push_back({"cuda-march", solver<ProductSolver>(std::string_view("cuda"))});
  bindings.push_back({"cuda-stages", solver<SumSolver>(SumOrder::stages)});
  bindings.push_back({"cuda", make_best});
  return bindings;
}

}  // namespace speedwell::stencil
