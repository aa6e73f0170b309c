// The GPU rows: a run that forwards to the solver with the row's function.
#include "speedwell/apps/matvec/adapter_cuda.hpp"

#include "speedwell/apps/matvec/adapter_case_cuda.hpp"
#include "speedwell/apps/matvec/ladder.hpp"

namespace speedwell::matvec {
namespace {

template <class T>
class StepRun final : public DeviceRun<T> {
 public:
  StepRun(std::shared_ptr<const Inputs<T>> inputs, const harness::Context&, const Step* step)
      : DeviceRun<T>(std::move(inputs), step->layout), step_(step), function_(function_of<T>(step->name)) {}

  std::vector<std::pair<std::string, std::string>> choices() override {
    auto all = DeviceRun<T>::choices();
    const Operands<T>& p = this->solver().operands();
    if (step_->name == "cuda")
      all.push_back({"kernel", describe(p)});
    else
      all.push_back({"block", std::to_string(ladder_block(p.rows, p.multiprocessors))});
    return all;
  }

 protected:
  void enqueue() override { this->solver().run(function_, this->stream()); }

 private:
  const Step* step_;
  Multiply<T>* function_;
};

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  std::vector<harness::Binding> bindings = cublas_runs();
  for (const Step& step : steps) bindings.push_back({std::string(step.name), make_on_device<StepRun>(&step)});
  return bindings;
}

}  // namespace speedwell::matvec
