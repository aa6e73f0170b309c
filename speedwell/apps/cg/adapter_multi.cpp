// cg on several GPUs for the harness: the first rank distributes the operator and the right-hand side and collects the
// solution.
#include <optional>

#include "speedwell/apps/cg/adapter.hpp"
#include "speedwell/apps/stencil/gpu_distributed.hpp"
#include "speedwell/harness/measurement/device_solver_run.hpp"

namespace speedwell::cg {
namespace {

template <class T>
class SlabSolver {
 public:
  using Answer = typename Inputs<T>::Answer;

  SlabSolver(const Inputs<T>& inputs, const harness::Context& context)
      : inputs_(inputs),
        ranks_(*context.ranks),
        // The operator of the model problem, UnitLaplacian with zeros beyond the box. Iterations need no exchange:
        // their kernels store into the memory of the other GPUs, as the exchange of x does.
        operator_(ranks_, {stencil::Form::constant, stencil::Boundary::zero, inputs.problem().grid},
                  comm::Transport::peer) {}

  void allocate(const core::Stream&) {
    b_ = operator_.make_field();
    x_ = operator_.make_field();
  }
  void upload(const core::Stream& stream) {
    operator_.set(is_root() ? &inputs_.system().op() : nullptr, stream);
    if (!solver_) solver_.emplace(operator_, inputs_.problem().options, stream);
    operator_.scatter(is_root() ? inputs_.system().b().data() : nullptr, b_.data(), stream);
  }
  void execute(const core::Stream& stream) {
    core::fill_bytes_async(x_, 0, stream);
    solver_->run(b_.data(), x_.data(), stream);
  }
  void poison(const core::Stream& stream) { core::fill_bytes_async(x_, 0xff, stream); }
  void download(Answer& answer, const core::Stream& stream) {
    const stencil::CgResult result = solver_->result(stream);
    operator_.gather(x_.data(), is_root() ? answer.x.data() : nullptr, stream);
    answer.result = result;
    require_definite(inputs_.problem(), result);
  }
  double exchange_seconds() const { return solver_ ? solver_->exchange_seconds() : 0; }
  harness::Choices choices(const Answer& answer) const {
    return harness::joined(choices_of(answer.result), {{"division", operator_.host().division_text()}});
  }

 private:
  bool is_root() const { return ranks_.rank() == 0; }

  const Inputs<T>& inputs_;
  const comm::Communicator& ranks_;
  stencil::DistributedGpuOperator<T> operator_;
  std::optional<stencil::DistributedGpuCg<T>> solver_;
  core::DeviceBuffer<T> b_, x_;
};

}  // namespace

std::vector<harness::Binding> multi_runs() { return {{"multi", harness::device_solver<Inputs, SlabSolver>()}}; }

}  // namespace speedwell::cg
