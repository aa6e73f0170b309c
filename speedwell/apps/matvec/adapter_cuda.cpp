// The GPU variants of matvec for the harness.
#include "speedwell/apps/matvec/adapter.hpp"
#include "speedwell/apps/matvec/adapter_device_solver.hpp"
#include "speedwell/apps/matvec/ladder.hpp"

namespace speedwell::matvec {
namespace {

template <class T>
class StepSolver : public DeviceSolver<T> {
 public:
  StepSolver(const Inputs<T>& inputs, const harness::Context&, const Step* step)
      : DeviceSolver<T>(inputs, step->layout),
        step_(step),
        block_threads_(inputs.block_threads()),
        function_(function_of<T>(step->name)) {}

  void allocate() {
    DeviceSolver<T>::allocate();
    this->solver().set_block_threads(block_threads_);
  }
  void execute(const core::Stream& stream) { this->solver().run_variant(function_, stream); }
  harness::Choices choices() const {
    const Operands<T>& p = this->operands();
    if (step_->name == "cuda") return harness::joined(DeviceSolver<T>::choices(), {{"kernel", describe(p)}});
    const bool capped = step_->name.ends_with("-maxreg");
    return harness::joined(DeviceSolver<T>::choices(),
                           {{"block", std::to_string(capped ? capped_block_of(p) : block_of(p))}});
  }

 private:
  const Step* step_;
  int block_threads_;
  Multiply<T>* function_;
};

}  // namespace

std::vector<harness::Binding> cuda_runs() {
  return harness::ladder_bindings(steps,
                                  [](const Step& step) { return harness::device_solver<Inputs, StepSolver>(&step); });
}

}  // namespace speedwell::matvec
