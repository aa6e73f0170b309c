// The GPU variants of vector_calculus for the harness.
#include <string>
#include <utility>

#include "speedwell/apps/vector_calculus/adapter.hpp"
#include "speedwell/apps/vector_calculus/adapter_device_solver.hpp"
#include "speedwell/apps/vector_calculus/cpu/cpu.hpp"
#include "speedwell/apps/vector_calculus/gpu/ladder.hpp"
#include "speedwell/apps/vector_calculus/gpu/operations.hpp"

namespace speedwell::vector_calculus {
namespace {

template <class T>
class BestSolver : public DeviceSolver<T> {
 public:
  BestSolver(const Inputs<T>& inputs, const harness::Context&) : DeviceSolver<T>(inputs) {}

  void execute(const core::Stream& stream) {
    gpu_apply(this->problem().operation, this->problem().layout, this->operands(), this->out().data(), stream);
  }
};

template <class T>
class UnfusedSolver : public DeviceSolver<T> {
 public:
  UnfusedSolver(const Inputs<T>& inputs, const harness::Context&) : DeviceSolver<T>(inputs) {}

  void allocate() {
    DeviceSolver<T>::allocate();
    for (auto& field : between_)
      field = core::DeviceBuffer<T>(static_cast<std::size_t>(3 * this->problem().grid.size()));
  }
  void execute(const core::Stream& stream) {
    const Between<T> between{between_[0].data(), between_[1].data(), between_[2].data()};
    const Operands<T> operands = this->operands();
    for (const ChainStep& step : steps_of_chain(this->problem().operation)) {
      const ChainCall<T> call = call_of_step(step, operands, between, this->out().data());
      gpu_apply(step.operation, this->problem().layout, call.operands, call.out, stream);
    }
  }

 private:
  core::DeviceBuffer<T> between_[3];
};

/// For a step of the ladder. The numbers are in device memory, and vectors are rearranged there for steps that need it.
template <class T>
class StepSolver : public DeviceSolver<T> {
 public:
  StepSolver(const Inputs<T>& inputs, const harness::Context&, const Step* step)
      : DeviceSolver<T>(inputs), step_(step) {}

  void allocate() {
    DeviceSolver<T>::allocate();
    numbers_ = core::DeviceBuffer<T>(4);
    if (step_->restructured)
      rearranged_ = core::DeviceBuffer<T>(static_cast<std::size_t>(3 * this->problem().grid.size()));
  }
  void upload(const core::Stream& stream) {
    DeviceSolver<T>::upload(stream);
    const Operands<T> operands = this->operands();
    core::copy_async(numbers_.data(), operands.s, 4, stream);
    if (step_->restructured)
      for (int field = 0; field < info(this->problem().operation).vectors; ++field) {
        restructure(this->problem().grid, Layout::aos, this->vector(field).data(), rearranged_.data(), stream);
        std::swap(this->vector(field), rearranged_);
      }
    stream.synchronize();
  }
  void execute(const core::Stream& stream) {
    study_apply(step_->name, this->problem().operation, StudyOperands<T>{this->operands(), numbers_.data()},
                this->out().data(), stream);
  }
  void download(Result<T>& result, const core::Stream& stream) {
    if (!step_->restructured || info(this->problem().operation).components == 1)
      return DeviceSolver<T>::download(result, stream);
    restructure(this->problem().grid, Layout::soa, this->out().data(), rearranged_.data(), stream);
    this->download_from(rearranged_.data(), result, stream);
  }

 private:
  const Step* step_;
  core::DeviceBuffer<T> numbers_, rearranged_;
};

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  using harness::device_solver;
  auto bindings =
      harness::ladder_bindings(steps, [](const Step& step) { return device_solver<TypedWorkload, StepSolver>(&step); });
  bindings.push_back({"cuda-unfused", device_solver<TypedWorkload, UnfusedSolver>()});
  bindings.push_back({"cuda", device_solver<TypedWorkload, BestSolver>()});
  return bindings;
}

}  // namespace speedwell::vector_calculus
