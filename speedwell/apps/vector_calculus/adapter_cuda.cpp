// The GPU rows: runs that forward to the operations in device memory.
#include "speedwell/apps/vector_calculus/adapter_cuda.hpp"

#include "speedwell/apps/vector_calculus/adapter_case_cuda.hpp"
#include "speedwell/apps/vector_calculus/cpu.hpp"
#include "speedwell/apps/vector_calculus/gpu/ladder.hpp"
#include "speedwell/apps/vector_calculus/gpu/operations.hpp"

namespace speedwell::vector_calculus {
namespace {

template <class T>
class BestRun final : public DeviceRun<T> {
 public:
  BestRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context&) : DeviceRun<T>(std::move(inputs)) {}

 protected:
  void enqueue() override {
    gpu_apply(this->problem().operation, this->problem().layout, this->operands(), this->out().data(), this->stream());
  }
};

template <class T>
class UnfusedRun final : public DeviceRun<T> {
 public:
  UnfusedRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context&) : DeviceRun<T>(std::move(inputs)) {}
  void allocate() override {
    DeviceRun<T>::allocate();
    for (auto& field : between_)
      field = core::DeviceBuffer<T>(static_cast<std::size_t>(3 * this->problem().grid.size()));
  }

 protected:
  void enqueue() override {
    const Between<T> between{between_[0].data(), between_[1].data(), between_[2].data()};
    const Operands<T> operands = this->operands();
    for (const ChainStep& step : steps_of_chain(this->problem().operation)) {
      const ChainCall<T> call = call_of_step(step, operands, between, this->out().data());
      gpu_apply(step.operation, this->problem().layout, call.operands, call.out, this->stream());
    }
  }

 private:
  core::DeviceBuffer<T> between_[3];
};

// A step of the ladder: its numbers are in device memory, and its vectors rearranged there where the step wants it.
template <class T>
class StepRun final : public DeviceRun<T> {
 public:
  StepRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context&, const Step* step)
      : DeviceRun<T>(std::move(inputs)), step_(step) {}
  void allocate() override {
    DeviceRun<T>::allocate();
    numbers_ = core::DeviceBuffer<T>(4);
    if (step_->restructured)
      rearranged_ = core::DeviceBuffer<T>(static_cast<std::size_t>(3 * this->problem().grid.size()));
  }
  void upload() override {
    DeviceRun<T>::upload();
    const Operands<T> operands = this->operands();
    core::copy_async(numbers_.data(), operands.s, 4, this->stream());
    if (step_->restructured)
      for (int field = 0; field < info(this->problem().operation).vectors; ++field) {
        restructure(this->problem().grid, Layout::aos, this->vector(field).data(), rearranged_.data(), this->stream());
        std::swap(this->vector(field), rearranged_);
      }
    this->stream().synchronize();
  }
  void download() override {
    if (!step_->restructured || info(this->problem().operation).components == 1) return DeviceRun<T>::download();
    restructure(this->problem().grid, Layout::soa, this->out().data(), rearranged_.data(), this->stream());
    this->download_from(rearranged_.data());
  }

 protected:
  void enqueue() override {
    study_apply(step_->name, this->problem().operation, StudyOperands<T>{this->operands(), numbers_.data()},
                this->out().data(), this->stream());
  }

 private:
  const Step* step_;
  core::DeviceBuffer<T> numbers_, rearranged_;
};

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  std::vector<harness::Binding> bindings = cublas_runs();
  for (const Step& step : steps) bindings.push_back({std::string(step.name), make_on_device<StepRun>(&step)});
  bindings.push_back({"cuda-unfused", make_on_device<UnfusedRun>()});
  bindings.push_back({"cuda", make_on_device<BestRun>()});
  return bindings;
}

}  // namespace speedwell::vector_calculus
